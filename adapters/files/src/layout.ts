import type { FieldDescriptor, Formats, Value } from '@sluice/contract';
import { canonicalDecimal, isCalendarDate, parseFormattedDate, parseFormattedNumber } from '@sluice/mapping';
import { dateChoices, numberChoices } from '@sluice/mapping/files';
import { type Cell, cellOf, type FileRow } from './rows.ts';
import type { FileSettings } from './settings.ts';

export interface LayoutColumn {
  field: FieldDescriptor;
  /** Text only because its numbers or dates could be read in two ways, and no setting says which. */
  isAmbiguous: boolean;
  toValue(cell: Cell): Value;
}

const moment = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;
const truths = new Map<string, boolean>([
  ['true', true],
  ['false', false],
]);

/** Columns with the types that all values of a sample have; what later breaks its type is shown as such, never changed. */
export function layoutOf(
  rows: readonly FileRow[],
  keys: readonly string[],
  settings: FileSettings,
): LayoutColumn[] {
  const names = new Set(rows.flatMap(({ places }) => [...places.keys()]));
  return [...names].map((name) => {
    const cells = rows.flatMap((row) => cellOf(row, name) ?? []).filter((cell) => cell !== '');
    const isKey = keys.includes(name);
    // A key that looks like a number is still a name: 007 and 7 are two.
    const type = isKey ? text : typeOf(cells, settings);
    return {
      field: {
        id: name,
        name,
        kind: 'field',
        dataType: type.dataType,
        isKey,
        isMandatory: false,
        isReadOnly: true,
        isReadOnlyOnUpdate: true,
        isHidden: false,
        validations: [],
        ...(type.scale === undefined ? {} : { scale: type.scale }),
      },
      isAmbiguous: type === text && !isKey && canBeReadTwice(cells.map(String), settings),
      toValue: (cell) => (cell === null || cell === '' ? null : type.toValue(cell)),
    };
  });
}

interface CellType {
  dataType: NonNullable<FieldDescriptor['dataType']>;
  scale?: number;
  toValue(cell: Exclude<Cell, null>): Value;
}

const text: CellType = { dataType: 'string', toValue: (cell) => String(cell) };

function typeOf(cells: readonly Cell[], settings: FileSettings): CellType {
  if (cells.length === 0) return text;
  const texts = cells.map(String);
  const all = (pattern: RegExp): boolean => texts.every((one) => pattern.test(one.trim()));
  if (cells.every((cell) => typeof cell === 'boolean') || texts.every((one) => truths.has(one.toLowerCase())))
    return { dataType: 'bool', toValue: (cell) => truths.get(String(cell).toLowerCase()) ?? String(cell) };
  if (all(/^-?(0|[1-9]\d{0,14})$/))
    return {
      dataType: 'int',
      toValue: (cell) => (/^-?\d{1,15}$/.test(String(cell).trim()) ? Number(cell) : String(cell)),
    };
  const isPlain = all(/^-?\d+([.]\d+)?(e[+-]?\d+)?$/i) && cells.every((cell) => typeof cell === 'number');
  const numberFormat = isPlain ? 'commaSeparated' : numberFormatOf(texts, settings);
  if (numberFormat !== null) {
    const read = (cell: Cell): string | null =>
      typeof cell === 'number' ? String(cell) : parseFormattedNumber(String(cell).trim(), numberFormat);
    const scale = Math.max(...cells.map((cell) => (read(cell) ?? '').split('.')[1]?.length ?? 0));
    return {
      dataType: 'float64',
      scale,
      toValue: (cell) => {
        const number = read(cell);
        if (number === null) return String(cell);
        return /e/i.test(number) ? Number(number) : canonicalDecimal(number);
      },
    };
  }
  if (all(moment)) return { dataType: 'datetime', toValue: momentOf };
  const dateFormat = dateFormatOf(texts, settings);
  if (dateFormat !== null)
    return {
      dataType: 'date',
      toValue: (cell) => {
        const date = parseFormattedDate(String(cell).trim(), dateFormat);
        return date !== null && isCalendarDate(date) ? date : String(cell);
      },
    };
  return text;
}

const areNumbers = (texts: readonly string[]): boolean =>
  texts.every((one) => /^-?[\d.,'’ \u00a0\u202f]+$/.test(one.trim()) && !/^-?0\d/.test(one.trim()));

const areDates = (texts: readonly string[]): boolean =>
  texts.every((one) => /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}$/.test(one.trim()));

const canBeReadTwice = (texts: readonly string[], settings: FileSettings): boolean =>
  texts.length > 0 &&
  ((settings.numberFormat === null && areNumbers(texts) && numberChoices(texts).isAmbiguous) ||
    (settings.dateFormat === null && areDates(texts) && dateChoices(texts).isAmbiguous));

/** Null: they are no numbers, or nobody can know which (1.234 is one thing here and another there). */
function numberFormatOf(texts: readonly string[], settings: FileSettings): Formats['numberFormat'] | null {
  if (!areNumbers(texts)) return null;
  const given = settings.numberFormat;
  if (given !== null)
    return texts.every((one) => parseFormattedNumber(one.trim(), given) !== null) ? given : null;
  const { fitting, isAmbiguous } = numberChoices(texts);
  return isAmbiguous ? null : (fitting[0] ?? null);
}

function dateFormatOf(texts: readonly string[], settings: FileSettings): Formats['shortDate'] | null {
  if (!areDates(texts)) return null;
  const { fitting, isAmbiguous } = dateChoices(texts);
  const given = settings.dateFormat;
  if (given !== null) return fitting.includes(given) ? given : null;
  return isAmbiguous ? null : (fitting[0] ?? null);
}

/** A moment without a zone is taken as UTC. */
function momentOf(cell: Exclude<Cell, null>): Value {
  const written = String(cell).trim();
  if (!moment.test(written)) return written;
  const whole = written.replace(' ', 'T');
  const date = new Date(/(Z|[+-]\d\d:?\d\d)$/.test(whole) ? whole : `${whole}Z`);
  return Number.isNaN(date.getTime()) ? written : date.toISOString().replace('.000Z', 'Z');
}
