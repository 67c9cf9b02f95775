import type { Value } from '@sluice/contract';
import type { GridController } from './controller.ts';
import { Slices } from './slices.ts';

/** Values of one request for what is not loaded: few enough that the page stays awake between the answers. */
const VALUES_PER_READ = 50_000;
/** Most rows that the server answers at a time. */
const MOST_ROWS_PER_READ = 5000;

export interface FoundRow {
  id: string;
  revision: number;
  /** Null where the row is loaded: the store has them then. */
  values: ((fieldIndex: number) => Value) | null;
}

/** What the user saw of rows that are not loaded: their revisions, for the server to compare. */
export const seenRevisions = (rows: ReadonlyMap<number, FoundRow>): Map<string, number> =>
  new Map([...rows.values()].filter(({ values }) => values).map(({ id, revision }) => [id, revision]));

/** What places in the table mean at a moment. */
export interface Places {
  snapshot: string | null;
  /** Rows at the top, which are in no snapshot. */
  tops: number;
}

export const placesOf = ({ store }: GridController): Places => ({
  snapshot: store.currentSnapshot,
  tops: store.topRows.length,
});

/** The rows at places `top` to `bottom`, all of them: see `visitRows`. */
export const rowIds = async (
  grid: GridController,
  top: number,
  bottom: number,
  onProgress?: (rows: number) => boolean,
  places?: Places,
): Promise<Map<number, FoundRow>> => {
  const found = new Map<number, FoundRow>();
  await visitRows(grid, top, bottom, (place, row) => found.set(place, row), onProgress, places);
  return found;
};

/**
 * Goes through the rows at places `top` to `bottom`, in order, as the snapshot has them; those that are not loaded
 * are fetched. Rejects when the table is in another order before the end: places mean other rows then.
 */
export const visitRows = async (
  grid: GridController,
  top: number,
  bottom: number,
  visit: (place: number, row: FoundRow) => void,
  /** Told how many rows have been visited; false stops it. */
  onProgress: (rows: number) => boolean = () => true,
  /** Rows may join those at the top before the end: places count as they were. */
  { snapshot, tops }: Places = placesOf(grid),
): Promise<void> => {
  const { store } = grid;
  const slices = new Slices();
  const rowsPerRead = Math.max(
    100,
    Math.min(MOST_ROWS_PER_READ, Math.floor(VALUES_PER_READ / Math.max(1, grid.columns.length))),
  );
  for (let row = top; row <= bottom; row++) {
    if (store.currentSnapshot !== snapshot) throw new Error(grid.translate('orderChanged'));
    const place = row < tops ? row : row - tops + store.topRows.length;
    const loaded = store.rowAt(place);
    if (loaded) {
      visit(row, { id: loaded.id, revision: loaded.revision, values: null });
      if (slices.isOver) await slices.pause();
      continue;
    }
    if (row < tops || store.isGap(place)) continue;
    const limit = Math.min(rowsPerRead, bottom - row + 1);
    const block = await grid.commands.loadRows(row - tops, limit, snapshot);
    if (block.snapshotChanged || store.currentSnapshot !== snapshot)
      throw new Error(grid.translate('orderChanged'));
    block.ids.forEach((id, i) => {
      if (id === null) return;
      const values = (field: number): Value => block.columns[field]?.[i] ?? null;
      visit(row + i, { id, revision: block.revisions[i] ?? 0, values });
    });
    if (block.ids.length === 0) break;
    row += block.ids.length - 1;
    if (!onProgress(row - top + 1)) break;
  }
};
