import { useTranslation } from 'react-i18next';
import { useStore } from '../../platform/store.ts';
import type { TableSession } from './table-session.ts';
import './records.css';

/** How far a command over many records is, with a way to stop it; not shown for what is done at once. */
export const JobStrip = ({ table }: { table: TableSession }) => {
  const { t } = useTranslation();
  const { job } = useStore(table.state);
  if (!job) return null;
  const amount = { done: job.done, total: job.total };
  const text = job.unit === 'cells' ? t('bulk.cells', amount) : t('bulk.progress', amount);
  return (
    <output className="jobstrip">
      <span className="m">{job.label}</span>
      <progress max={Math.max(1, job.total)} value={job.done} aria-label={job.label} />
      {job.total > 0 ? <span className="sec tn">{text}</span> : null}
      <button type="button" className="btn" onClick={job.cancel}>
        {t('bulk.cancel')}
      </button>
    </output>
  );
};
