import type { FilterCondition, Scalar } from '@sluice/contract';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { cellText } from '../../grid/format-value.ts';
import type { GridColumn } from '../../grid/types.ts';
import { call, errorText, isAbort } from '../../platform/call.ts';
import { numeral } from '../../platform/i18n/i18n.ts';
import { Icon } from '../../ui/icons.tsx';
import type { TableSession } from './table-session.ts';
import './records.css';

const TYPING_MS = 200;
const LIMIT = 200;

interface Found {
  values: readonly { value: Scalar; count: number }[];
  isComplete: boolean;
}

/** The different values of a column with their counts, to tick: what is chosen stays on top while one searches. */
export const ValuesList = ({
  table,
  column,
  others,
  chosen,
  onChange,
}: {
  table: TableSession;
  column: GridColumn;
  /** What else the table is filtered by. */
  others: readonly FilterCondition[];
  chosen: readonly Scalar[];
  onChange: (values: readonly Scalar[]) => void;
}) => {
  const { t } = useTranslation();
  const [wanted, setWanted] = useState('');
  const [found, setFound] = useState<Found | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const { settings } = table.grid;
  const key = JSON.stringify(others);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(
      () => {
        const { search } = table.state.get().view;
        call('distinct', {
          params: { collection: table.collection },
          body: {
            field: column.id,
            view: { filter: JSON.parse(key) as FilterCondition[], search, order: [] },
            limit: LIMIT,
            ...(wanted ? { contains: wanted } : {}),
          },
          signal: controller.signal,
        })
          .then((reply) => {
            setFound(reply);
            setFault(null);
          })
          .catch((error: unknown) => {
            if (!isAbort(error)) setFault(errorText(error));
          });
      },
      wanted === '' ? 0 : TYPING_MS,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [table, column.id, key, wanted]);

  const listed = found?.values ?? [];
  const counts = new Map(listed.map(({ value, count }) => [value, count]));
  const picked = chosen.filter((value) => wanted === '' && !counts.has(value));
  const rows = [...picked, ...listed.map(({ value }) => value)];
  return (
    <div className="values">
      <label className="field">
        <Icon name="search" />
        <input
          aria-label={t('table.findValue')}
          placeholder={t('table.findValue')}
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
          data-autofocus
        />
        {chosen.length > 0 ? (
          <span className="findsays">{t('table.selectedCount', { count: chosen.length })}</span>
        ) : null}
      </label>
      <fieldset className="values-list" aria-label={t('table.values')}>
        {rows.map((value) => {
          const { main, extra } = cellText(value, column.field, settings);
          const count = counts.get(value);
          return (
            <label key={`${typeof value} ${String(value)}`} className="values-row">
              <input
                type="checkbox"
                className="cbx"
                checked={chosen.includes(value)}
                onChange={(event) =>
                  onChange(event.target.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
                }
              />
              <span className="trunc">
                {main === '' ? <span className="mut">{t('table.emptyValues')}</span> : main}
                {extra ? <span className="mut"> {extra}</span> : null}
              </span>
              <span className="mut tn">{count === undefined ? '' : numeral(count)}</span>
            </label>
          );
        })}
        {found && rows.length === 0 ? <p className="mut values-note">{t('table.noValues')}</p> : null}
        {fault ? <p className="err-t values-note">{fault}</p> : null}
        {!found && !fault ? <p className="mut values-note">{t('common.loading')}…</p> : null}
      </fieldset>
      {found && !found.isComplete ? (
        <p className="mut values-note">{t('table.moreValues', { count: listed.length })}</p>
      ) : null}
    </div>
  );
};
