import type { FieldDescriptor, FilterCondition, FilterOperator, Scalar } from '@sluice/contract';
import { formatDate } from '@sluice/mapping';
import { cellText, type FormatSettings } from '../../grid/format-value.ts';
import { readTyped, typedDay } from '../../grid/parse-typed.ts';
import type { en } from '../../platform/i18n/en.ts';

const EMPTY: readonly FilterOperator[] = ['isEmpty', 'isNotEmpty'];
const TEXT: readonly FilterOperator[] = [
  'contains',
  'doesNotContain',
  'equals',
  'doesNotEqual',
  'beginsWith',
  'endsWith',
  'in',
  'notIn',
  ...EMPTY,
];
const NUMBER: readonly FilterOperator[] = [
  'equals',
  'doesNotEqual',
  'greaterThan',
  'lessThan',
  'greaterThanOrEqual',
  'lessThanOrEqual',
  'in',
  'notIn',
  ...EMPTY,
];
const MOMENT: readonly FilterOperator[] = ['equals', 'before', 'after', 'in', 'notIn', ...EMPTY];

/** Operators by data type: text, number, date-time and boolean each have their own set. */
export const operatorsFor = (field: FieldDescriptor): readonly FilterOperator[] => {
  if (field.options?.length) return ['in', 'notIn', 'equals', 'doesNotEqual', ...EMPTY];
  switch (field.dataType) {
    case 'int':
    case 'uint':
    case 'float64':
    case 'nonFormattableInt':
      return NUMBER;
    case 'date':
    case 'datetime':
    case 'time':
      return MOMENT;
    case 'bool':
      return ['isTrue', 'isFalse', 'in', ...EMPTY];
    default:
      return TEXT;
  }
};

type OperatorKey = Extract<keyof typeof en.table, `op${string}`>;
export const operatorKey = (operator: FilterOperator): OperatorKey =>
  `op${operator.charAt(0).toUpperCase()}${operator.slice(1)}` as OperatorKey;

export const needsValue = (operator: FilterOperator): boolean =>
  !['isTrue', 'isFalse', 'isEmpty', 'isNotEmpty'].includes(operator);
export const takesMany = (operator: FilterOperator): boolean => operator === 'in' || operator === 'notIn';

const isFragment = (operator: FilterOperator): boolean =>
  ['contains', 'doesNotContain', 'beginsWith', 'endsWith'].includes(operator);

/** A condition out of what was typed; null when a value is none of the field's type. */
export const readCondition = (
  field: FieldDescriptor,
  operator: FilterOperator,
  text: string,
  settings: FormatSettings,
): FilterCondition | null => {
  if (!needsValue(operator)) return { field: field.id, operator };
  const read = (part: string): Scalar | undefined => {
    if (isFragment(operator)) return part;
    // A day in a field of moments means all of that day.
    const day = field.dataType === 'datetime' ? typedDay(part.trim(), settings) : null;
    if (day !== null) return day;
    const parsed = readTyped(part, field, settings);
    return parsed.ok && (parsed.value === null || typeof parsed.value !== 'object')
      ? parsed.value
      : undefined;
  };
  if (!takesMany(operator)) {
    const value = read(text);
    return value === undefined || text.trim() === '' ? null : { field: field.id, operator, value };
  }
  const parts = text.split('\n').filter((part) => part.trim() !== '');
  const values = parts.map(read);
  if (values.length === 0 || values.some((value) => value === undefined)) return null;
  return { field: field.id, operator, values: values as Scalar[] };
};

/** The value part of a chip. */
export const conditionText = (
  condition: FilterCondition,
  field: FieldDescriptor,
  settings: FormatSettings,
): string => {
  const show = (value: Scalar): string =>
    field.dataType === 'datetime' && typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)
      ? formatDate(value, settings.formats.shortDate)
      : cellText(value, field, settings).main;
  if (condition.values) return condition.values.map(show).join(', ');
  return condition.value === undefined ? '' : show(condition.value);
};
