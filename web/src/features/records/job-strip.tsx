import { useTranslation } from 'react-i18next';
import { useStore } from '../../platform/store.ts';
import type { TableSession } from './table-session.ts';
import './records.css';

/** How far a command over many records is, with a way to stop it; not shown for what is done at once. */
export const JobStrip = ({ table, onStop }: { table: TableSession; onStop: () => void }) => {
  const { t } = useTranslation();
  const { job } = useStore(table.state);
  if (!job) return null;
  const { cancel } = job;
  const amount = { done: job.done, total: job.total };
  const text = job.unit === 'cells' ? t('bulk.cells', amount) : t('bulk.progress', amount);
  return (
    <output className="jobstrip">
      <span className="m">{job.label}</span>
      <progress {...(job.total > 0 ? { max: job.total, value: job.done } : {})} aria-label={job.label} />
      {job.total > 0 ? <span className="sec tn">{text}</span> : null}
      {cancel ? (
        <button
          type="button"
          className="btn"
          // The table keeps the focus: the button will be gone in a moment.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => {
            cancel();
            onStop();
          }}
        >
          {t('bulk.cancel')}
        </button>
      ) : null}
    </output>
  );
};
