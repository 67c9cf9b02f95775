import { useTranslation } from 'react-i18next';
import { useStore } from '../../platform/store.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { shownResults } from './push-progress.ts';

/** What did not go, with the external system's own words; one click leads to the record, or to the very cell. */
export const ResultsDialog = ({
  nameOf,
  onShow,
}: {
  nameOf: (collection: string, fieldId: string) => string;
  onShow: (collection: string, id: string, fieldId: string | null) => void;
}) => {
  const { t } = useTranslation();
  const shown = useStore(shownResults);
  if (!shown) return null;
  const { action, collection, title, systemName } = shown;
  const close = (): void => shownResults.set(null);
  const problems = action.results.filter((result) => result.outcome !== 'succeeded');
  const labels = {
    rejected: 'push.outcomeRejected',
    unknown: 'push.outcomeUnknown',
    skipped: 'push.skipped',
    waiting: 'push.skipped',
  } as const;
  return (
    <Dialog
      isOpen
      onClose={close}
      title={t('push.resultsTitle')}
      subtitle={`${title}, ${systemName}. ${t('push.donePart', { succeeded: action.succeeded, failed: action.failed })}`}
      width={880}
    >
      <div style={{ overflow: 'auto', minHeight: 0 }}>
        {problems.map((result) => (
          <div className="rec" key={result.id}>
            <div
              className="hd"
              style={{ gridTemplateColumns: '28px minmax(0, 1fr) auto auto', columnGap: 12 }}
            >
              <i
                className={`mk mk-${result.outcome === 'rejected' ? 'rejected' : 'invalid'}`}
                style={{ justifySelf: 'center' }}
              />
              <span className="nm">
                <span className="trunc">{result.label ?? result.key ?? t('push.kindNew')}</span>
                {result.label && result.key ? <span className="id">{result.key}</span> : null}
              </span>
              <span className="sec">{result.outcome === 'succeeded' ? '' : t(labels[result.outcome])}</span>
              <button
                type="button"
                className="link"
                onClick={() => {
                  close();
                  onShow(collection, result.id, result.fieldErrors[0]?.field ?? null);
                }}
              >
                {t('push.showInTable')}
              </button>
            </div>
            <ul style={{ padding: '0 20px 8px 60px', fontSize: 13 }} className="sec">
              {result.fieldErrors.length > 0
                ? result.fieldErrors.map((error, i) => (
                    <li key={i}>
                      {error.field ? <b>{nameOf(collection, error.field)}: </b> : null}
                      {error.msg}
                    </li>
                  ))
                : result.msg
                  ? [<li key="m">{result.msg}</li>]
                  : null}
            </ul>
          </div>
        ))}
      </div>
    </Dialog>
  );
};
