import { Popover } from '@mantine/core';
import type { FilterCondition, FilterOperator } from '@sluice/contract';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FormatSettings } from '../../grid/format-value.ts';
import type { GridColumn } from '../../grid/types.ts';
import { Labelled, SelectField } from '../../ui/fields.tsx';
import { useOverlay } from '../../ui/overlays.ts';
import {
  conditionText,
  needsValue,
  operatorKey,
  operatorsFor,
  readCondition,
  takesMany,
} from './filter-operators.ts';

/** One condition: column, operator of its type, value. Opens at a point, for a column or for the toolbar's button. */
export const FilterPopover = ({
  at,
  columns,
  columnId,
  current,
  settings,
  onApply,
  onClose,
}: {
  at: { x: number; y: number };
  columns: readonly GridColumn[];
  columnId: string | null;
  current: FilterCondition | null;
  settings: FormatSettings;
  onApply: (condition: FilterCondition) => void;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const [id, setId] = useState(columnId ?? current?.field ?? columns[0]?.id ?? '');
  const column = columns.find((one) => one.id === id);
  const operators = column ? operatorsFor(column.field) : [];
  const [wanted, setOperator] = useState<FilterOperator | null>(current?.operator ?? null);
  const operator = wanted && operators.includes(wanted) ? wanted : operators[0];
  const [text, setText] = useState(() =>
    current && column ? conditionText(current, column.field, settings).replaceAll(', ', '\n') : '',
  );
  const [isWrong, setWrong] = useState(false);
  useOverlay('dropdown', true, onClose);
  const options = column?.field.options ?? [];
  const picked = text.split('\n').filter(Boolean);

  const handleSubmit = (event: FormEvent): void => {
    event.preventDefault();
    const condition = column && operator ? readCondition(column.field, operator, text, settings) : null;
    if (!condition) {
      setWrong(true);
      return;
    }
    onApply(condition);
    onClose();
  };
  return (
    <Popover
      opened
      onChange={(is) => !is && onClose()}
      position="bottom-start"
      trapFocus
      returnFocus
      width={296}
    >
      <Popover.Target>
        <span aria-hidden="true" style={{ position: 'fixed', left: at.x, top: at.y, width: 1, height: 1 }} />
      </Popover.Target>
      <Popover.Dropdown>
        <form onSubmit={handleSubmit} style={{ display: 'grid', gap: 10, padding: 10 }}>
          {columnId ? (
            <p className="b">{column?.name}</p>
          ) : (
            <SelectField
              label={t('table.column')}
              value={id}
              options={columns.map((one) => ({
                value: one.id,
                label: one.group ? `${one.group} › ${one.name}` : one.name,
              }))}
              onChange={(next) => {
                setId(next);
                setText('');
              }}
            />
          )}
          <SelectField
            label={t('table.operator')}
            value={operator ?? ''}
            options={operators.map((one) => ({ value: one, label: t(`table.${operatorKey(one)}`) }))}
            onChange={(next) => setOperator(next as FilterOperator)}
          />
          {operator && needsValue(operator) ? (
            options.length > 0 && takesMany(operator) ? (
              <div style={{ maxHeight: 220, overflow: 'auto', display: 'grid' }}>
                {options.map((option) => {
                  const value = String(option.value);
                  return (
                    <label key={value} className="swt" style={{ minHeight: 26 }}>
                      <input
                        type="checkbox"
                        className="cbx"
                        style={{ width: 14, height: 14, borderRadius: 3 }}
                        checked={picked.includes(value)}
                        onChange={(event) =>
                          setText(
                            (event.target.checked
                              ? [...picked, value]
                              : picked.filter((one) => one !== value)
                            ).join('\n'),
                          )
                        }
                      />
                      <span>
                        {value} <span className="mut">{option.description}</span>
                      </span>
                    </label>
                  );
                })}
              </div>
            ) : (
              <Labelled
                label={t(takesMany(operator) ? 'table.values' : 'table.value')}
                error={isWrong ? t('grid.isInvalid', { x: text }) : null}
              >
                {(ids) => (
                  <span className={`inp sm ${takesMany(operator) ? 'area' : ''}`}>
                    {takesMany(operator) ? (
                      <textarea
                        {...ids}
                        rows={4}
                        value={text}
                        onChange={(event) => setText(event.target.value)}
                        data-autofocus
                      />
                    ) : (
                      <input
                        {...ids}
                        value={text}
                        onChange={(event) => setText(event.target.value)}
                        data-autofocus
                      />
                    )}
                  </span>
                )}
              </Labelled>
            )
          ) : null}
          <div style={{ display: 'flex', gap: 8, justifyContent: 'flex-end' }}>
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
