import type { FieldDescriptor, Value } from '@sluice/contract';
import { pasteArea, squared } from './clipboard.ts';
import type { FormatSettings } from './format-value.ts';
import { readTyped } from './parse-typed.ts';
import type { Range } from './selection.ts';
import type { GridColumn } from './types.ts';

export const isArrayField = (field: FieldDescriptor): boolean =>
  field.kind === 'simpleArray' || field.kind === 'complexArray' || field.kind === 'primitiveValuesArray';

/** Pasted text as a value; undefined when it is none. */
const pastedValue = (
  text: string,
  field: FieldDescriptor,
  settings: FormatSettings,
): { value: Value } | null => {
  if (isArrayField(field)) {
    if (text.trim() === '') return { value: null };
    try {
      const parsed: unknown = JSON.parse(text);
      return Array.isArray(parsed) ? { value: parsed as Value[] } : null;
    } catch {
      return null;
    }
  }
  const parsed = readTyped(text, field, settings);
  return parsed.ok ? { value: parsed.value } : null;
};

interface PasteContext {
  columns: readonly GridColumn[];
  rowCount: number;
  canAddRows: boolean;
  settings: FormatSettings;
  canWrite: (column: GridColumn) => boolean;
}

/** Columns hold the same texts again and again: each is read once. */
interface ColumnReader {
  column: GridColumn;
  known: Map<string, { value: Value } | null>;
}

/** A paste, worked out before anything changes: where it goes, and what its texts are in the columns there. */
export class PastePlan {
  readonly top: number;
  readonly left: number;
  readonly height: number;
  readonly width: number;
  /** Rows that were copied; a larger area repeats them. */
  readonly blockHeight: number;
  readonly readOnlyColumns: number;
  /** Rows beyond the end of the table. */
  readonly extraRows: number;
  private readonly rows: readonly (readonly string[])[];
  private readonly blockWidth: number;
  private readonly readers: (ColumnReader | null)[];
  private readonly values: (Value | undefined)[][] = [];
  private readonly invalid = new Set<string>();
  private readonly settings: FormatSettings;

  constructor(block: readonly (readonly string[])[], selection: Range, context: PasteContext) {
    this.rows = squared(block);
    this.settings = context.settings;
    this.blockHeight = this.rows.length;
    this.blockWidth = this.rows[0]?.length ?? 0;
    const area = pasteArea(
      { height: this.blockHeight, width: this.blockWidth },
      {
        top: selection.top,
        left: selection.left,
        height: selection.bottom - selection.top + 1,
        width: selection.right - selection.left + 1,
      },
    );
    const below = Math.max(0, area.top + area.height - context.rowCount);
    this.top = area.top;
    this.left = area.left;
    this.width = Math.min(area.width, context.columns.length - area.left);
    this.height = context.canAddRows ? area.height : area.height - below;
    this.extraRows = context.canAddRows ? below : 0;
    this.readers = Array.from({ length: Math.min(this.blockWidth, this.width) }, (_, c) => {
      const column = context.columns[area.left + c];
      return column && context.canWrite(column) ? { column, known: new Map() } : null;
    });
    this.readOnlyColumns = this.readers.filter((reader) => reader === null).length;
  }

  /** Columns with a text that is no value of theirs, among the rows read so far: the paste is refused as a whole. */
  get invalidColumns(): string[] {
    return this.readers.flatMap((reader) =>
      reader && this.invalid.has(reader.column.id) ? [reader.column.name] : [],
    );
  }

  /** Reads the texts of one row of the block. */
  read(row: number): void {
    const texts = this.rows[row];
    if (!texts || this.values[row]) return;
    const values: (Value | undefined)[] = [];
    this.readers.forEach((reader, c) => {
      if (!reader || this.invalid.has(reader.column.id)) return;
      const text = texts[c] ?? '';
      let parsed = reader.known.get(text);
      if (parsed === undefined) {
        parsed = pastedValue(text, reader.column.field, this.settings);
        reader.known.set(text, parsed);
      }
      if (parsed) values[c] = parsed.value;
      else this.invalid.add(reader.column.id);
    });
    this.values[row] = values;
  }

  /** Value of a place of the area whose row has been read; undefined = read-only, left as it is. */
  valueAt(row: number, col: number): Value | undefined {
    return this.values[row % this.blockHeight]?.[col % this.blockWidth];
  }
}
