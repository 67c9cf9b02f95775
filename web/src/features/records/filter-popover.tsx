import { Popover } from '@mantine/core';
import type { FilterCondition, FilterOperator, Scalar } from '@sluice/contract';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fullName } from '../../grid/column-layout.ts';
import type { FormatSettings } from '../../grid/format-value.ts';
import type { GridColumn } from '../../grid/types.ts';
import { Labelled, SelectField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useOverlay } from '../../ui/overlays.ts';
import {
  conditionText,
  needsValue,
  operatorKey,
  operatorsFor,
  readCondition,
  takesMany,
} from './filter-operators.ts';
import type { TableSession } from './table-session.ts';
import { ValuesList } from './values-list.tsx';
import './records.css';

interface Line {
  id: number;
  operator: FilterOperator;
  text: string;
  values: readonly Scalar[];
}

const lineOf = (
  id: number,
  condition: FilterCondition,
  column: GridColumn,
  settings: FormatSettings,
): Line => ({
  id,
  operator: condition.operator,
  text: condition.values ? '' : conditionText(condition, column.field, settings),
  values: condition.values ?? [],
});

const conditionOf = (line: Line, column: GridColumn, settings: FormatSettings): FilterCondition | null =>
  takesMany(line.operator)
    ? line.values.length === 0
      ? null
      : { field: column.id, operator: line.operator, values: [...line.values] }
    : readCondition(column.field, line.operator, line.text, settings);

/** All conditions of one column: operators of its type, values typed or ticked. Opens at a point. */
export const FilterPopover = ({
  at,
  table,
  columnId,
  onClose,
}: {
  at: { x: number; y: number };
  table: TableSession;
  /** Null: opened by the toolbar's button, where one chooses the column. */
  columnId: string | null;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const { grid } = table;
  const { settings } = grid;
  const { columns } = grid.layout;
  const { filter } = table.state.get().view;
  const [id, setId] = useState(
    columnId ?? filter.at(-1)?.field ?? grid.columnAt(grid.selection.active.col)?.id ?? columns[0]?.id ?? '',
  );
  const column = grid.columns.find((one) => one.id === id);
  const operators = column ? operatorsFor(column.field) : [];
  const startLines = (ofColumn: GridColumn | undefined): Line[] => {
    if (!ofColumn) return [];
    const own = filter.filter((one) => one.field === ofColumn.id);
    if (own.length > 0) return own.map((condition, i) => lineOf(i, condition, ofColumn, settings));
    const [operator] = operatorsFor(ofColumn.field);
    return operator ? [{ id: 0, operator, text: '', values: [] }] : [];
  };
  const [lines, setLines] = useState<readonly Line[]>(() => startLines(column));
  const [areFaultsShown, showFaults] = useState(false);
  useOverlay('dropdown', true, onClose);
  const others = filter.filter((one) => one.field !== id);
  const hasOwn = others.length < filter.length;
  const change = (lineId: number, part: Partial<Line>): void =>
    setLines((list) => list.map((line) => (line.id === lineId ? { ...line, ...part } : line)));

  const handleSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (!column) return;
    const conditions = lines.map((line) => conditionOf(line, column, settings));
    if (conditions.includes(null)) {
      showFaults(true);
      return;
    }
    table.setView({ filter: [...others, ...conditions.flatMap((one) => one ?? [])] });
    onClose();
  };
  return (
    <Popover
      opened
      onChange={(is) => !is && onClose()}
      position="bottom-start"
      trapFocus
      returnFocus
      width={320}
    >
      <Popover.Target>
        <span aria-hidden="true" style={{ position: 'fixed', left: at.x, top: at.y, width: 1, height: 1 }} />
      </Popover.Target>
      <Popover.Dropdown>
        <form className="filterform" onSubmit={handleSubmit} noValidate>
          {columnId ? (
            <p className="b">{column ? fullName(column) : null}</p>
          ) : (
            <SelectField
              label={t('table.column')}
              value={id}
              options={columns.map((one) => ({
                value: one.id,
                label: fullName(one),
              }))}
              onChange={(next) => {
                setId(next);
                setLines(startLines(grid.columns.find((one) => one.id === next)));
                showFaults(false);
              }}
            />
          )}
          {column
            ? lines.map((line, i) => {
                const isWrong = areFaultsShown && conditionOf(line, column, settings) === null;
                return (
                  <fieldset key={line.id} className="filterline">
                    <div className="filterop">
                      <SelectField
                        label={t('table.operator')}
                        value={line.operator}
                        options={operators.map((one) => ({
                          value: one,
                          label: t(`table.${operatorKey(one)}`),
                        }))}
                        onChange={(next) => {
                          const operator = operators.find((one) => one === next);
                          if (operator) change(line.id, { operator });
                        }}
                      />
                      {lines.length > 1 ? (
                        <button
                          type="button"
                          className="iconbtn"
                          aria-label={t('table.removeCondition', { number: i + 1 })}
                          onClick={() => setLines((list) => list.filter((one) => one.id !== line.id))}
                        >
                          <Icon name="close" size="s" />
                        </button>
                      ) : null}
                    </div>
                    {takesMany(line.operator) ? (
                      <>
                        <ValuesList
                          key={column.id}
                          table={table}
                          column={column}
                          others={others}
                          chosen={line.values}
                          onChange={(values) => change(line.id, { values })}
                        />
                        {isWrong ? <p className="err-t">{t('table.chooseValues')}</p> : null}
                      </>
                    ) : needsValue(line.operator) ? (
                      <Labelled
                        label={t('table.value')}
                        error={isWrong ? t('grid.isInvalid', { x: line.text }) : null}
                      >
                        {(ids) => (
                          <span className={`inp sm ${isWrong ? 'bad' : ''}`}>
                            <input
                              {...ids}
                              value={line.text}
                              onChange={(event) => change(line.id, { text: event.target.value })}
                              data-autofocus
                            />
                          </span>
                        )}
                      </Labelled>
                    ) : null}
                  </fieldset>
                );
              })
            : null}
          <button
            type="button"
            className="link filteradd"
            onClick={() => {
              const [operator] = operators;
              const next = Math.max(0, ...lines.map((line) => line.id)) + 1;
              if (operator) setLines((list) => [...list, { id: next, operator, text: '', values: [] }]);
            }}
          >
            <Icon name="plus" size="s" /> {t('table.addCondition')}
          </button>
          <div className="filterfoot">
            {hasOwn ? (
              <button
                type="button"
                className="btn ghost"
                onClick={() => {
                  table.setView({ filter: others });
                  onClose();
                }}
              >
                {t('table.clearColumnFilter')}
              </button>
            ) : null}
            <span className="sp" />
            <button type="button" className="btn" onClick={onClose}>
              {t('common.cancel')}
            </button>
            <button type="submit" className="btn primary">
              {t('common.apply')}
            </button>
          </div>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
};
