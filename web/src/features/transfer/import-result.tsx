import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';
import type { ImportResult } from './import-run.ts';
import { RepeatNote } from './repeat-note.tsx';

const SHOWN = 200;

/** What became of the rows of a file. */
export const ImportResultView = ({ result, badRows }: { result: ImportResult; badRows: number }) => {
  const { t } = useTranslation();
  const { added, updated, unchanged, refused, repeats, isCancelled, failure } = result;
  const left = badRows + refused.length;
  const look = failure ? 'bad' : left > 0 || isCancelled ? 'warn' : 'good';
  return (
    <div style={{ overflow: 'auto', minHeight: 0, padding: '0 20px 16px', display: 'grid', gap: 12 }}>
      <output className={`note-line ${look}`}>
        <Icon name={failure ? 'danger' : look === 'warn' ? 'warning' : 'success'} />
        {failure
          ? t('transfer.failed', { added, updated, reason: failure.message })
          : t(isCancelled ? 'transfer.cancelled' : 'transfer.done', { added, updated })}
      </output>
      {failure || unchanged + left > 0 ? (
        <ul className="sec" style={{ paddingLeft: 20 }}>
          {failure ? <li>{t('transfer.missed', { count: failure.missed })}</li> : null}
          {failure && failure.uncertain > 0 ? (
            <li>{t('transfer.uncertain', { count: failure.uncertain })}</li>
          ) : null}
          {unchanged > 0 ? <li>{t('transfer.unchanged', { count: unchanged })}</li> : null}
          {badRows > 0 ? <li>{t('transfer.leftOut', { count: badRows })}</li> : null}
          {refused.slice(0, SHOWN).map(({ row, message }, index) => (
            <li key={index}>
              {t('transfer.row')} {row}: {message}
            </li>
          ))}
          {refused.length > SHOWN ? (
            <li>{t('transfer.moreProblems', { count: refused.length - SHOWN })}</li>
          ) : null}
        </ul>
      ) : null}
      {repeats.length > 0 ? <RepeatNote repeats={repeats} /> : null}
      <p className="sec">
        {t(failure && added + updated + failure.uncertain > 0 ? 'transfer.undoOrAgain' : 'transfer.nextStep')}
      </p>
    </div>
  );
};
