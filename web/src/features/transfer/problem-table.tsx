import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';
import type { CellProblem } from './import-run.ts';

const SHOWN = 100;

/** Cells that are no value of their field, by row and column of the file. */
export const ProblemTable = ({
  problems,
  badRows,
}: {
  problems: readonly CellProblem[];
  badRows: number;
}) => {
  const { t } = useTranslation();
  return (
    <section aria-label={t('transfer.problems')} style={{ display: 'grid', gap: 8 }}>
      <output className="note-line warn">
        <Icon name="warning" />
        {t('transfer.badRows', { count: badRows })}
      </output>
      <table className="tbl">
        <thead>
          <tr>
            <th scope="col" className="num">
              {t('transfer.row')}
            </th>
            <th scope="col">{t('transfer.inFile')}</th>
            <th scope="col">{t('transfer.value')}</th>
            <th scope="col">{t('transfer.reason')}</th>
          </tr>
        </thead>
        <tbody>
          {problems.slice(0, SHOWN).map((problem, index) => (
            <tr key={index}>
              <td className="num">{problem.row}</td>
              <td>{problem.heading}</td>
              <td className="trunc" style={{ maxWidth: 260 }}>
                {problem.text}
              </td>
              <td>{t(`transfer.problem_${problem.problem}`, { x: problem.text })}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {problems.length > SHOWN ? (
        <p className="sec">{t('transfer.moreProblems', { count: problems.length - SHOWN })}</p>
      ) : null}
    </section>
  );
};
