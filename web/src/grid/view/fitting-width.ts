import type { GridController } from '../controller.ts';

/** Rows beyond the window that are looked at. */
const FIT_ROWS = 200;

let measurer: CanvasRenderingContext2D | null = null;

/** Width in which the header of a column and its texts in and near the window fit. */
export const fittingWidth = (
  grid: GridController,
  col: number,
  firstRow: number,
  lastRow: number,
  family: string,
): number => {
  const column = grid.columnAt(col);
  measurer ??= document.createElement('canvas').getContext('2d');
  const context = measurer;
  if (!column || !context) return 0;
  context.font = `500 12px ${family}`;
  const name = column.group ? `${column.group} › ${column.name}` : column.name;
  let width =
    context.measureText(name).width + 46 + (column.isReadOnly ? 16 : 0) + (column.field.isMandatory ? 8 : 0);
  context.font = `400 13px ${family}`;
  const first = Math.max(0, firstRow - FIT_ROWS);
  const last = Math.min(grid.store.rowCount - 1, lastRow + FIT_ROWS);
  for (let row = first; row <= last; row++) {
    const { main, extra } = grid.text(row, column);
    const text = (extra ? `${main} ${extra}` : main).slice(0, 200).replaceAll('\n', ' \u21b5 ');
    const digits = column.align === 'end' ? text.length * 0.4 : 0;
    width = Math.max(width, context.measureText(text).width + digits + 20);
  }
  return Math.ceil(width);
};
