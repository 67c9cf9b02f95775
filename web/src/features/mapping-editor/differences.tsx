import { useTranslation } from 'react-i18next';
import type { Difference } from './compare.ts';

/** What is different, one a line: its name, what it was, what it is. */
export const Differences = ({
  differences,
  beforeLabel,
  afterLabel,
}: {
  differences: readonly Difference[];
  beforeLabel: string;
  afterLabel: string;
}) => {
  const { t } = useTranslation();
  if (differences.length === 0) return <p className="pick-0">{t('mapping.noDifference')}</p>;
  return (
    <table className="diff">
      <thead>
        <tr>
          <th scope="col">{t('mapping.what')}</th>
          <th scope="col">{beforeLabel}</th>
          <th scope="col">{afterLabel}</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ id, area, name, kind, before, after }) => (
          <tr key={id}>
            <th scope="row">
              <span className="m">{name}</span>
              <span className="mut">
                {t(`mapping.area_${area}`)}, {t(`mapping.kind_${kind}`)}
              </span>
            </th>
            <td className={before === '' ? 'mut' : 'was'}>
              {before === '' ? t('mapping.notThere') : before}
            </td>
            <td className={after === '' ? 'mut' : ''}>{after === '' ? t('mapping.notThere') : after}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
