import type { ChosenRows, Value } from '@sluice/contract';
import { type Change, addDrafts, applyChanges, sendChanges, showInStep } from './actions.ts';
import { chosenRows } from './chosen-rows.ts';
import type { GridController } from './controller.ts';
import { rowIds, seenRevisions } from './found-rows.ts';
import { type Range, cutRange, cutRanges } from './selection.ts';
import { fillSeries, isSeriesUsual } from './series.ts';

/** More cells than this, or rows that are not loaded, are filled by a command of the server where that can do it. */
const MAX_DIRECT_CELLS = 20_000;
const MAX_CELLS = 500_000;
const MAX_DUPLICATES = 1000;

/**
 * Where the handle was dragged to: the block grows along the axis on which the pointer is farther away; null while it
 * is still over the block.
 */
export const fillTarget = (source: Range, to: { row: number; col: number }): Range | null => {
  const down = to.row - source.bottom;
  const up = source.top - to.row;
  const right = to.col - source.right;
  const left = source.left - to.col;
  const most = Math.max(down, up, right, left);
  if (most <= 0) return null;
  if (most === down) return { ...source, kind: 'cells', top: source.bottom + 1, bottom: to.row };
  if (most === up) return { ...source, kind: 'cells', top: to.row, bottom: source.top - 1 };
  if (most === right) return { ...source, kind: 'cells', left: source.right + 1, right: to.col };
  return { ...source, kind: 'cells', left: to.col, right: source.left - 1 };
};

const isVertical = (source: Range, target: Range): boolean =>
  target.left === source.left && target.right === source.right && target.top !== source.top;

type FillMode = 'usual' | 'turned' | 'copy';

/**
 * Fills `target` out of `source`, which lies beside it. `mode`: as usual for the values, or turned round (Ctrl while
 * dragging), or copies (Ctrl+D, Ctrl+R).
 */
export const fillRange = async (
  grid: GridController,
  source: Range,
  target: Range,
  mode: FillMode,
): Promise<void> => {
  const command = commandOf(grid, source, target, mode);
  if (command) {
    await grid.commands.bulk(command.rows, { kind: 'set', changes: command.changes }, 'fill');
    return;
  }
  // What the source holds now is meant, whatever is under way; it is sent when it is its turn.
  const ready = prepareFill(grid, source, target, mode);
  await grid.steps.run(null, async () => {
    const filled = await ready;
    if (filled) await sendChanges(grid, filled.changes, 'fill', filled.revisions);
  });
};

interface Filled {
  changes: Change[];
  revisions: ReadonlyMap<string, number>;
}

/** Works out a fill and shows it; null when it may not be. */
const prepareFill = async (
  grid: GridController,
  source: Range,
  target: Range,
  mode: FillMode,
): Promise<Filled | null> => {
  const since = grid.store.changesSoFar;
  const vertical = isVertical(source, target);
  const height = target.bottom - target.top + 1;
  const width = target.right - target.left + 1;
  if (height * width > MAX_CELLS) {
    grid.announce(grid.translate('tooLargeToFill', { count: MAX_CELLS }), 'warning');
    return null;
  }
  const [from, into] = await Promise.all([
    rowIds(grid, source.top, source.bottom),
    rowIds(grid, target.top, target.bottom),
  ]);
  const valueAt = (row: number, col: number): Value => {
    const column = grid.columnAt(col);
    const found = from.get(row);
    if (!column || !found) return null;
    return (found.values ? found.values(column.index) : grid.store.valueAt(row, column.id)) ?? null;
  };
  const changes: Change[] = [];
  let skipped = 0;
  const put = (row: number, col: number, value: Value): void => {
    const column = grid.columnAt(col);
    const found = into.get(row);
    if (!column || !found) return;
    const view = grid.store.rowAt(row);
    if (view ? grid.whyReadOnly(view, column) : column.isReadOnly) skipped++;
    else changes.push({ rowId: found.id, fieldId: column.id, value });
  };
  if (vertical) {
    for (let col = target.left; col <= target.right; col++) {
      const column = grid.columnAt(col);
      if (!column) continue;
      const values = span(source.top, source.bottom).map((row) => valueAt(row, col));
      const usual = isSeriesUsual(values, column.field);
      const series = fillSeries(
        values,
        column.field,
        mode === 'copy' ? false : (mode === 'turned') !== usual,
      );
      for (let row = target.top; row <= target.bottom; row++) put(row, col, series(row - source.top));
    }
  } else {
    for (let row = target.top; row <= target.bottom; row++) {
      const values = span(source.left, source.right).map((col) => valueAt(row, col));
      const first = grid.columnAt(source.left);
      if (!first) continue;
      const usual = isSeriesUsual(values, first.field);
      const series = fillSeries(values, first.field, mode === 'copy' ? false : (mode === 'turned') !== usual);
      for (let col = target.left; col <= target.right; col++) {
        const column = grid.columnAt(col);
        const value = series(col - source.left);
        // Sideways the columns are of other kinds: only what is a value there is taken.
        if (column && fits(value, first.field.dataType, column.field.dataType)) put(row, col, value);
        else skipped++;
      }
    }
  }
  if (skipped > 0) grid.announce(grid.translate('readOnlySkipped', { count: skipped }), 'info');
  return { changes, revisions: showInStep(grid, changes, seenRevisions(into), since) };
};

const span = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

const fits = (value: Value, from: string | undefined, to: string | undefined): boolean =>
  value === null || from === to || (to === 'string' && typeof value === 'string');

/** A copy of one row down over many rows is one command of the server, whether they are loaded or not; else null. */
const commandOf = (
  grid: GridController,
  source: Range,
  target: Range,
  mode: FillMode,
): { rows: ChosenRows; changes: Record<string, Value> } | null => {
  if (!isVertical(source, target) || source.top !== source.bottom) return null;
  const height = target.bottom - target.top + 1;
  const cells = height * (target.right - target.left + 1);
  const row = grid.store.rowAt(source.top);
  if (cells <= MAX_DIRECT_CELLS || !row) return null;
  const changes: Record<string, Value> = {};
  for (let col = source.left; col <= source.right; col++) {
    const column = grid.columnAt(col);
    if (!column || column.isReadOnly) continue;
    const value = grid.store.valueOf(row.id, column.id, source.top) ?? null;
    const usual = isSeriesUsual([value], column.field);
    if (mode !== 'copy' && (mode === 'turned') !== usual) return null;
    changes[column.id] = value;
  }
  const { rows, count } = chosenRows(grid, [{ top: target.top, bottom: target.bottom }]);
  return count === 0 || Object.keys(changes).length === 0 ? null : { rows, changes };
};

/** Ctrl+D and Ctrl+R: the first row or column of each block over the rest of it; of a single cell its neighbour. */
export const fillSelection = async (grid: GridController, direction: 'down' | 'right'): Promise<void> => {
  for (const range of cutRanges(grid.selection, grid.extent)) {
    const isDown = direction === 'down';
    const isOne = isDown ? range.top === range.bottom : range.left === range.right;
    const source: Range = isDown
      ? { ...range, top: range.top - (isOne ? 1 : 0), bottom: range.top - (isOne ? 1 : 0) }
      : { ...range, left: range.left - (isOne ? 1 : 0), right: range.left - (isOne ? 1 : 0) };
    const target: Range = isDown ? { ...range, top: source.top + 1 } : { ...range, left: source.left + 1 };
    if (source.top < 0 || source.left < 0 || !cutRange(target, grid.extent)) continue;
    await fillRange(grid, source, target, 'copy');
  }
};

/** New records out of the chosen rows: what the external system hands out is left to it. */
export const duplicateRows = async (
  grid: GridController,
  spans: readonly { top: number; bottom: number }[],
): Promise<void> => {
  const count = spans.reduce((sum, { top, bottom }) => sum + bottom - top + 1, 0);
  if (count > MAX_DUPLICATES) {
    grid.announce(grid.translate('tooManyToDuplicate', { count: MAX_DUPLICATES }), 'warning');
    return;
  }
  const drafts: { id: string; values: Value[] }[] = [];
  for (const { top, bottom } of spans) {
    for (const [row, { values }] of await rowIds(grid, top, bottom)) {
      const copied = grid.columns.map((column): Value => {
        const { field } = column;
        const isLeft =
          field.hasServerDefault || field.isKey || (column.isReadOnly && !field.isReadOnlyOnUpdate);
        if (isLeft) return field.defaultValue ?? null;
        return (values ? values(column.index) : grid.store.valueAt(row, column.id)) ?? null;
      });
      drafts.push({ id: grid.commands.newId(), values: copied });
    }
  }
  if (drafts.length === 0) return;
  addDrafts(grid, drafts);
  const changes = drafts.flatMap(({ id, values }): Change[] => {
    const column = grid.columns.find(
      (one) =>
        values[one.index] !== null &&
        values[one.index] !== undefined &&
        !(one.isReadOnly && !one.field.isReadOnlyOnUpdate),
    );
    return column ? [{ rowId: id, fieldId: column.id, value: values[column.index] ?? null }] : [];
  });
  await applyChanges(grid, changes, 'add');
};
