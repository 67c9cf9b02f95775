import type { DataType, TransformFn, TranslationTable, Value, ValueType } from '@sluice/contract';
import { compileTable } from '@sluice/mapping/engine';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { numeral } from '../../platform/i18n/i18n.ts';
import { Icon } from '../../ui/icons.tsx';
import { notFoundBehaviours } from './lists.ts';
import { TranslationDialog } from './translation-dialog.tsx';
import { problemsAt, useWorkspace } from './workspace.ts';
import { shownValue } from './words.ts';

const SHOWN = 5;

const emptyTable = (inputType: ValueType | null): TranslationTable => ({
  inputType:
    inputType === null || inputType === 'any' || inputType.endsWith('[]')
      ? 'string'
      : (inputType as DataType),
  returnType: 'string',
  rows: [],
  defaultValue: null,
  notFound: 'error',
});

/** How many sample records use a row, by its key; what is in no row, most frequent first. */
const useUse = (table: TranslationTable | undefined, inputPath: string, zone: string) => {
  const { preview } = useWorkspace();
  return useMemo(() => {
    const input = preview?.steps.findLast(({ path }) => path === inputPath)?.values;
    if (!input) return null;
    const { keyOf, byKey } = compileTable(table ?? emptyTable(null), zone);
    const used = new Map<string, number>();
    const missing = new Map<string, number>();
    for (const value of input as readonly Value[]) {
      if (value === null || value === '') continue;
      const key = keyOf(value);
      const counts = key !== null && byKey.has(key) ? used : missing;
      const name = counts === used ? (key ?? '') : shownValue(value);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return { keyOf, used, missing: [...missing].sort((a, b) => b[1] - a[1]) };
  }, [preview, table, inputPath, zone]);
};

/** The translation table of a step: its first rows with how often they are used, and what it does not know. */
export const TableStep = ({
  fn,
  path,
  inputPath,
  inputType,
  onChange,
}: {
  fn: TransformFn;
  path: string;
  inputPath: string;
  inputType: ValueType | null;
  onChange: (fn: TransformFn) => void;
}) => {
  const { t } = useTranslation();
  const { canEdit, zone, problems } = useWorkspace();
  const [isOpen, setOpen] = useState(false);
  const table = fn.translationTable;
  const use = useUse(table, inputPath, zone);
  const wrongRows = new Set(
    problemsAt(problems, `${path}.translationTable.rows`, true).map((problem) => problem.path),
  ).size;
  const missing = use?.missing.reduce((sum, [, count]) => sum + count, 0) ?? 0;
  return (
    <div className="tt">
      {table && table.rows.length > 0 ? (
        <table className="ttab">
          <thead>
            <tr>
              <th scope="col">{t('mapping.tableIn')}</th>
              <th scope="col">{t('mapping.tableOut')}</th>
              <th scope="col" className="num">
                {t('mapping.tableUsed')}
              </th>
            </tr>
          </thead>
          <tbody>
            {table.rows.slice(0, SHOWN).map((row, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- two rows may be the same until one is mended
              <tr key={index}>
                <td className="trunc">{shownValue(row.key)}</td>
                <td className="trunc m">{shownValue(row.value)}</td>
                <td className="num mut">{use ? numeral(use.used.get(use.keyOf(row.key) ?? '') ?? 0) : ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      <div className="nf">
        <button type="button" className="link" onClick={() => setOpen(true)}>
          {canEdit
            ? table
              ? t('mapping.editTable', { count: table.rows.length })
              : t('mapping.makeTable')
            : t('mapping.showTable')}
        </button>
        <span className="sp" />
        {table ? (
          <label className="nf-l">
            {t('mapping.notFound')}
            <span className="inp sm">
              <select
                value={table.notFound}
                disabled={!canEdit}
                onChange={(event) =>
                  onChange({
                    ...fn,
                    translationTable: {
                      ...table,
                      notFound: notFoundBehaviours.find((one) => one === event.target.value) ?? 'error',
                    },
                  })
                }
              >
                {notFoundBehaviours.map((one) => (
                  <option key={one} value={one}>
                    {t(`mapping.notFound_${one}`)}
                  </option>
                ))}
              </select>
            </span>
          </label>
        ) : null}
      </div>
      {wrongRows > 0 ? (
        <p className="err-t">
          <Icon name="danger" size="xs" />
          {t('mapping.wrongRows', { count: wrongRows })}
        </p>
      ) : null}
      {table && missing > 0 ? (
        <p className={table?.notFound === 'error' ? 'err-t' : 'warn-t2'}>
          <Icon name={table?.notFound === 'error' ? 'danger' : 'warning'} size="xs" />
          <span className="trunc">
            {t('mapping.notInTable', {
              count: missing,
              values: use?.missing
                .slice(0, 4)
                .map(([value, count]) => `${value} ${numeral(count)}`)
                .join(', '),
            })}
          </span>
        </p>
      ) : null}
      {isOpen ? (
        <TranslationDialog
          table={table ?? emptyTable(inputType)}
          suggestions={use?.missing.map(([value]) => value) ?? []}
          canEdit={canEdit}
          zone={zone}
          onClose={() => setOpen(false)}
          onSave={(next) => {
            setOpen(false);
            onChange({ ...fn, translationTable: next });
          }}
        />
      ) : null}
    </div>
  );
};
