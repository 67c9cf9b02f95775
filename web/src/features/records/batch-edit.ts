import type { BulkCommand, ChosenRows, Value } from '@sluice/contract';
import { calculateDecimal, parseFormattedNumber } from '@sluice/mapping';
import type { FormatSettings } from '../../grid/format-value.ts';
import { readTyped } from '../../grid/parse-typed.ts';
import type { GridColumn } from '../../grid/types.ts';
import type { BulkPart } from './bulk-run.ts';

export type BatchOperation = 'set' | 'empty' | 'add' | 'multiply' | 'percent' | 'round';

/** One line of the dialog: what happens to one field. */
export interface BatchLine {
  columnId: string;
  operation: BatchOperation;
  text: string;
  roundTo: string;
}

const NUMBERS = new Set(['int', 'uint', 'float64']);
const isNumber = (column: GridColumn): boolean =>
  NUMBERS.has(column.field.dataType ?? '') && !column.field.options?.length;

/** What may be done to a field; mandatory ones cannot be emptied. */
export const operationsOf = (column: GridColumn): readonly BatchOperation[] => [
  'set',
  ...(column.field.isMandatory ? [] : (['empty'] as const)),
  ...(isNumber(column) ? (['add', 'multiply', 'percent', 'round'] as const) : []),
];

/** Fields of the dialog: arrays have editors of their own, read-only fields cannot be changed. */
export const batchColumns = (columns: readonly GridColumn[]): GridColumn[] =>
  columns.filter((column) => !column.isReadOnly && column.field.kind === 'field');

export type ReadLine =
  | { isOk: true; set: Value }
  | {
      isOk: true;
      calculate: { operator: 'add' | 'multiply' | 'percent'; operand: string; roundTo: string | null };
    }
  | { isOk: false; fault: 'required' | 'number' | 'value' };

const decimal = (text: string, settings: FormatSettings): string | null => {
  const value = parseFormattedNumber(text.trim(), settings.formats.numberFormat);
  return value !== null && /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? value : null;
};

/** The steps that a line's number or value stands for; why not where it stands for none. */
export const readLine = (line: BatchLine, column: GridColumn, settings: FormatSettings): ReadLine => {
  if (line.operation === 'empty') return { isOk: true, set: null };
  if (line.text.trim() === '') return { isOk: false, fault: 'required' };
  if (line.operation === 'set') {
    const typed = readTyped(line.text, column.field, settings);
    return typed.ok ? { isOk: true, set: typed.value } : { isOk: false, fault: 'value' };
  }
  const operand = decimal(line.text, settings);
  if (operand === null) return { isOk: false, fault: 'number' };
  if (line.operation === 'round') {
    return operand.startsWith('-') || Number(operand) === 0
      ? { isOk: false, fault: 'number' }
      : { isOk: true, calculate: { operator: 'add', operand: '0', roundTo: operand } };
  }
  const roundTo = line.roundTo.trim() === '' ? null : decimal(line.roundTo, settings);
  if (line.roundTo.trim() !== '' && (roundTo === null || !(Number(roundTo) > 0)))
    return { isOk: false, fault: 'number' };
  return { isOk: true, calculate: { operator: line.operation, operand, roundTo } };
};

/** What a calculation makes of a value, so that one sees it before it is done to thousands; null where it has none. */
export const exampleOf = (read: ReadLine, value: Value | undefined): string | null => {
  if (!read.isOk || !('calculate' in read)) return null;
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const { operator, operand, roundTo } = read.calculate;
  return calculateDecimal(String(value), operator, operand, roundTo);
};

/** Commands for all lines: one that sets, and one for each different calculation. */
export const batchCommands = (lines: readonly { columnId: string; read: ReadLine }[]): BulkCommand[] => {
  const changes: Record<string, Value> = {};
  const byCalculation = new Map<string, Extract<BulkCommand, { kind: 'calculate' }>>();
  for (const { columnId, read } of lines) {
    if (!read.isOk) continue;
    if ('set' in read) changes[columnId] = read.set;
    else {
      const key = JSON.stringify(read.calculate);
      const command = byCalculation.get(key);
      if (command) command.fields.push(columnId);
      else byCalculation.set(key, { kind: 'calculate', fields: [columnId], calculation: read.calculate });
    }
  }
  return [
    ...(Object.keys(changes).length > 0 ? [{ kind: 'set' as const, changes }] : []),
    ...byCalculation.values(),
  ];
};

export const batchParts = (rows: ChosenRows, commands: readonly BulkCommand[]): BulkPart[] =>
  commands.map((command) => ({ rows, command }));
