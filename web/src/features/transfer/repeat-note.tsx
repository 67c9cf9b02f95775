import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';
import type { Repeat } from './repeats.ts';

const SHOWN = 100;

/** Rows that do not count because the file names their record again further down. */
export const RepeatNote = ({ repeats }: { repeats: readonly Repeat[] }) => {
  const { t } = useTranslation();
  return (
    <section aria-label={t('transfer.repeats')} style={{ display: 'grid', gap: 8 }}>
      <output className="note-line warn">
        <Icon name="warning" />
        {t('transfer.repeated', { count: repeats.length })}
      </output>
      <ul className="sec" style={{ paddingLeft: 20 }}>
        {repeats.slice(0, SHOWN).map(({ row, by }) => (
          <li key={row}>{t('transfer.repeatedBy', { row, by })}</li>
        ))}
        {repeats.length > SHOWN ? (
          <li>{t('transfer.moreProblems', { count: repeats.length - SHOWN })}</li>
        ) : null}
      </ul>
    </section>
  );
};
