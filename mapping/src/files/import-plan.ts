import type { FieldDescriptor, Formats, Value } from '@sluice/contract';
import { parseFormattedDate, parseFormattedNumber } from '../formats.ts';
import { isCalendarDate } from '../parse.ts';
import { parseTyped, type TypedContext, type TypedProblem } from '../typed.ts';

// The contract's lists, without its schemas: this runs in the browser.
const shortDateFormats: readonly Formats['shortDate'][] = [
  'dd-mm-yyyy',
  'mm/dd/yyyy',
  'yyyy-mm-dd',
  'dd/m/yy',
  'mm/dd/yy',
  'yyyy/m/dd',
  'dd/mm/yyyy',
  'dd.mm.yyyy',
  'yyyy.mm.dd',
];
const numberFormats: readonly Formats['numberFormat'][] = [
  'commaSeparated',
  'dotSeparated',
  'si-style-FR',
  'si-style-EN',
  'gsw-CH',
];

/** A cell of a file: text as it stands in a CSV, or what a spreadsheet stored (dates as ISO text). */
export type FileCell = string | number | boolean | { date: string } | null;

export interface ImportColumn {
  /** Field that the column goes to; null = left out. */
  field: FieldDescriptor | null;
  /** How its numbers and dates are written; null = nobody knows yet (`choicesOf` found several readings). */
  dateFormat: Formats['shortDate'] | null;
  numberFormat: Formats['numberFormat'] | null;
}

const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/** For each heading the field of that id or name, whatever case and punctuation; each field once. */
export function suggestFields(
  headings: readonly string[],
  fields: readonly FieldDescriptor[],
): (FieldDescriptor | null)[] {
  const taken = new Set<string>();
  const byName = new Map<string, FieldDescriptor>();
  for (const field of fields) {
    for (const name of [field.name, field.id]) if (plain(name) !== '') byName.set(plain(name), field);
  }
  return headings.map((heading) => {
    const field = byName.get(plain(heading));
    if (!field || taken.has(field.id)) return null;
    taken.add(field.id);
    return field;
  });
}

export interface Choices<T> {
  /** Formats by which every value of the column can be read. */
  fitting: T[];
  /** True: they read some value differently, so somebody must say which one it is. */
  isAmbiguous: boolean;
  /** The first value that they read differently, with the readings. */
  example: { text: string; readings: { format: T; value: string }[] } | null;
}

function choices<T extends string>(
  texts: readonly string[],
  formats: readonly T[],
  read: (text: string, format: T) => string | null,
): Choices<T> {
  const written = texts.map((text) => text.trim()).filter((text) => text !== '');
  const fitting = formats.filter((format) => written.every((text) => read(text, format) !== null));
  for (const text of written) {
    const readings = fitting.map((format) => ({ format, value: read(text, format) ?? '' }));
    if (new Set(readings.map(({ value }) => value)).size > 1)
      return { fitting, isAmbiguous: true, example: { text, readings: distinct(readings) } };
  }
  return { fitting, isAmbiguous: false, example: null };
}

function distinct<T>(readings: readonly { format: T; value: string }[]): { format: T; value: string }[] {
  return [...new Map(readings.toReversed().map((reading) => [reading.value, reading])).values()].toReversed();
}

const datePartOf = (text: string): string => text.split(/[ T]+(?=\d{1,2}:)/)[0] ?? '';

/** The ways in which a column's dates can be read; 03-04-2026 is never guessed (decisions Q-FILT-02). */
export function dateChoices(texts: readonly string[]): Choices<Formats['shortDate']> {
  return choices(texts.map(datePartOf), shortDateFormats, (text, format) => {
    const date = parseFormattedDate(text, format);
    return date !== null && isCalendarDate(date) ? date : null;
  });
}

/** The same for numbers: `1.234` is one thing with a decimal point and another with a decimal comma. */
export function numberChoices(texts: readonly string[]): Choices<Formats['numberFormat']> {
  return choices(texts, numberFormats, parseFormattedNumber);
}

export type ImportProblem = TypedProblem | 'readOnly';

export interface ReadCell {
  /** Undefined: the column is left out. */
  value: Value | undefined;
  problem: ImportProblem | null;
}

/** One cell as a value of its column's field. */
export function readCell(column: ImportColumn, cell: FileCell, context: TypedContext): ReadCell {
  const { field } = column;
  if (!field) return { value: undefined, problem: null };
  if (cell === null) return { value: null, problem: null };
  const formats: Formats = {
    ...context.formats,
    shortDate: column.dateFormat ?? context.formats.shortDate,
    numberFormat: column.numberFormat ?? context.formats.numberFormat,
  };
  const typed = parseTyped(field, textOf(field, cell, formats), { ...context, formats });
  return typed.isOk ? { value: typed.value, problem: null } : { value: undefined, problem: typed.problem };
}

/** What a spreadsheet stored as a number or a date, written so that the field's parser reads the same. */
function textOf(field: FieldDescriptor, cell: Exclude<FileCell, null>, formats: Formats): string {
  if (typeof cell === 'string') return cell;
  if (typeof cell === 'boolean') return String(cell);
  if (typeof cell === 'object') return field.dataType === 'date' ? cell.date.slice(0, 10) : cell.date;
  const text = String(cell);
  const isFormatted = ['int', 'uint', 'float64', 'nonFormattableInt'].includes(field.dataType ?? '');
  return isFormatted && usesDecimalComma(formats.numberFormat) ? text.replace('.', ',') : text;
}

const usesDecimalComma = (format: Formats['numberFormat']): boolean =>
  parseFormattedNumber('1,5', format) === '1.5';
