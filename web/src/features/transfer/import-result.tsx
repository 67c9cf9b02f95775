import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';
import type { ImportResult } from './import-run.ts';

const SHOWN = 200;

/** What became of the rows of a file. */
export const ImportResultView = ({ result, badRows }: { result: ImportResult; badRows: number }) => {
  const { t } = useTranslation();
  const { added, updated, unchanged, refused, isCancelled } = result;
  const left = badRows + refused.length;
  return (
    <div style={{ overflow: 'auto', minHeight: 0, padding: '0 20px 16px', display: 'grid', gap: 12 }}>
      <output className={`note-line ${left > 0 || isCancelled ? 'warn' : 'good'}`}>
        <Icon name={left > 0 || isCancelled ? 'warning' : 'success'} />
        {t(isCancelled ? 'transfer.cancelled' : 'transfer.done', { added, updated })}
      </output>
      <ul className="sec" style={{ paddingLeft: 20 }}>
        {unchanged > 0 ? <li>{t('transfer.unchanged', { count: unchanged })}</li> : null}
        {badRows > 0 ? <li>{t('transfer.leftOut', { count: badRows })}</li> : null}
        {refused.slice(0, SHOWN).map(({ row, message }, index) => (
          <li key={index}>
            {t('transfer.row')} {row}: {message}
          </li>
        ))}
      </ul>
      <p className="sec">{t('transfer.nextStep')}</p>
    </div>
  );
};
