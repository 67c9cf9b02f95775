import type { GridColumn } from './types.ts';

export const MIN_COLUMN_WIDTH = 40;
export const MAX_COLUMN_WIDTH = 800;

export interface ColumnSetting {
  isHidden?: boolean | undefined;
  width?: number | undefined;
}

/** Visible columns in shown order with their places; those that are pinned come first, beside the row numbers. */
export interface ColumnLayout {
  columns: readonly GridColumn[];
  widths: readonly number[];
  /** Left edge of each column from the left edge of the first; one more at the end: the total. */
  lefts: readonly number[];
  /** How many of them are pinned. */
  pinned: number;
}

/** The name of a column where its heading does not stand above it. */
export const fullName = ({ group, name }: GridColumn): string => (group ? `${group} › ${name}` : name);

const typeWidth = (column: GridColumn): number => {
  const { dataType, options, kind, validations } = column.field;
  if (kind !== 'field') return 112;
  if (options?.length) return 140;
  switch (dataType) {
    case 'bool':
      return 72;
    case 'date':
      return 104;
    case 'time':
      return 88;
    case 'datetime':
      return 152;
    case 'uuid':
      return 272;
    case 'int':
    case 'uint':
    case 'nonFormattableInt':
      return 96;
    case 'float64':
      return 120;
    default: {
      const max = validations.find((v) => v.code === 4102)?.params['max'];
      return typeof max === 'number' ? Math.max(80, Math.min(40 + max * 6, 220)) : 160;
    }
  }
};

/** Wide enough for the type's usual values and for the name in the header. */
const defaultWidth = (column: GridColumn): number => {
  const header = 44 + column.name.length * 6.6 + (column.isReadOnly ? 14 : 0);
  return Math.round(Math.max(typeWidth(column), Math.min(header, 220)));
};

export const layoutColumns = (
  columns: readonly GridColumn[],
  order: readonly number[] | null,
  settings: Readonly<Record<string, ColumnSetting>>,
  /** Ids of pinned columns; null = the first one, as nobody chose. */
  pinned: readonly string[] | null = null,
): ColumnLayout => {
  const shown = orderColumns(columns, order).filter(
    (column) => !(settings[column.id]?.isHidden ?? column.field.isHidden),
  );
  const kept = new Set(pinned ?? shown.slice(0, 1).map((column) => column.id));
  const front = shown.filter((column) => kept.has(column.id));
  const visible = [...front, ...shown.filter((column) => !kept.has(column.id))];
  const widths = visible.map((column) =>
    Math.max(MIN_COLUMN_WIDTH, Math.round(settings[column.id]?.width ?? defaultWidth(column))),
  );
  const lefts = [0];
  for (const width of widths) lefts.push((lefts.at(-1) ?? 0) + width);
  return { columns: visible, widths, lefts, pinned: front.length };
};

/** `order` holds column indexes in shown order; new columns come after, vanished ones are left out. */
const orderColumns = (columns: readonly GridColumn[], order: readonly number[] | null): GridColumn[] => {
  if (!order) return [...columns];
  const known = order.flatMap((index) => columns[index] ?? []);
  const seen = new Set(known);
  return [...seen, ...columns.filter((column) => !seen.has(column))];
};

/** First column whose right edge lies beyond `x`. */
export const columnAt = (layout: ColumnLayout, x: number): number => {
  let low = 0;
  let high = layout.columns.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((layout.lefts[middle + 1] ?? 0) > x) high = middle;
    else low = middle + 1;
  }
  return Math.max(0, low);
};

/** Digits of the table font are some 8 px wide, signs 4. */
const numberWidth = (text: string): number => {
  let width = 0;
  for (const c of text) width += c >= '0' && c <= '9' ? 8.1 : 4.2;
  return width;
};

const NUMERIC = new Set(['int', 'uint', 'nonFormattableInt', 'float64']);
const isNumeric = (column: GridColumn): boolean =>
  NUMERIC.has(column.field.dataType ?? '') && !column.field.options?.length;

/** A number that is cut off looks like another number: it is not shown at all then. */
export const isTooWide = (column: GridColumn, text: string, width: number): boolean =>
  isNumeric(column) && text !== '' && numberWidth(text) > width - 16;
