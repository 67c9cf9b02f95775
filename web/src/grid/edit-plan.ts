import type { FieldDescriptor, Value } from '@sluice/contract';
import { pasteArea, squared } from './clipboard.ts';
import type { FormatSettings } from './format-value.ts';
import { readTyped } from './parse-typed.ts';
import type { Range } from './selection.ts';
import type { GridColumn } from './types.ts';

/** A paste, worked out before anything changes. */
export interface PastePlan {
  top: number;
  left: number;
  height: number;
  width: number;
  /** Value of a place of the area; undefined = read-only, skipped. */
  valueAt: (row: number, col: number) => Value | undefined;
  /** Columns with a text that is no value of theirs: the paste is refused as a whole. */
  invalidColumns: string[];
  readOnlyColumns: number;
  /** Rows beyond the end of the table. */
  extraRows: number;
}

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

export const planPaste = (
  block: readonly (readonly string[])[],
  selection: Range,
  context: {
    columns: readonly GridColumn[];
    rowCount: number;
    canAddRows: boolean;
    settings: FormatSettings;
    canWrite: (column: GridColumn) => boolean;
  },
): PastePlan => {
  const rows = squared(block);
  const size = { height: rows.length, width: rows[0]?.length ?? 0 };
  const area = pasteArea(size, {
    top: selection.top,
    left: selection.left,
    height: selection.bottom - selection.top + 1,
    width: selection.right - selection.left + 1,
  });
  const width = Math.min(area.width, context.columns.length - area.left);
  const below = Math.max(0, area.top + area.height - context.rowCount);
  const height = context.canAddRows ? area.height : area.height - below;
  const invalid = new Set<string>();
  const values: (Value | undefined)[][] = rows.map(() => []);
  let readOnlyColumns = 0;
  for (let c = 0; c < Math.min(size.width, width); c++) {
    const column = context.columns[area.left + c];
    if (!column || !context.canWrite(column)) {
      readOnlyColumns++;
      continue;
    }
    // Columns hold the same texts again and again: each is read once.
    const known = new Map<string, { value: Value } | null>();
    let lastText: string | null = null;
    let last: { value: Value } | null | undefined;
    for (let r = 0; r < rows.length; r++) {
      const text = rows[r]?.[c] ?? '';
      let parsed = text === lastText ? last : known.get(text);
      if (parsed === undefined) {
        parsed = pastedValue(text, column.field, context.settings);
        known.set(text, parsed);
      }
      last = parsed;
      lastText = text;
      const own = values[r];
      if (parsed && own) own[c] = parsed.value;
      else invalid.add(column.name);
      if (!parsed) break;
    }
  }
  return {
    top: area.top,
    left: area.left,
    height,
    width,
    valueAt: (row, col) => values[row % size.height]?.[col % size.width],
    invalidColumns: [...invalid],
    readOnlyColumns,
    extraRows: context.canAddRows ? below : 0,
  };
};
