import type { Value } from '@sluice/contract';
import { BlockLoader, type Changed } from './block-loader.ts';
import { DEFAULT_MAX_VALUES, GRANULE, Granules } from './granules.ts';
import { type CellValue, type LocalCell, LocalCells } from './local-cells.ts';
import { RowStates } from './row-states.ts';
import { type NowRow, type TopRow, TopRows } from './top-rows.ts';
import type {
  CellFailure,
  CellState,
  GridSource,
  RowBlock,
  RowPatch,
  RowState,
  RowView,
  StoreChange,
} from './types.ts';

/**
 * The rows of one table as the user sees them: a window over a snapshot of the server, with what was changed since
 * laid over it. Holds no DOM and makes no HTTP call.
 */
export class GridStore {
  private readonly granules = new Granules();
  private readonly loader: BlockLoader;
  private readonly states = new RowStates();
  private readonly local = new LocalCells((rowId) => this.revisionOf(rowId) ?? 0);
  private readonly listeners = new Set<(change: StoreChange) => void>();
  private readonly tops = new TopRows();
  private snapshot: string | null = null;
  private knownTotal: number | null = null;
  private reach = 0;
  private seen = { first: 0, last: -1 };
  private readonly fieldIndex: ReadonlyMap<string, number>;
  private readonly maxValues: number;

  constructor(
    source: GridSource,
    fieldIndex: ReadonlyMap<string, number>,
    options: { maxValues?: number } = {},
  ) {
    this.fieldIndex = fieldIndex;
    this.maxValues = options.maxValues ?? DEFAULT_MAX_VALUES;
    this.loader = new BlockLoader(source, fieldIndex.size, {
      snapshot: () => this.snapshot,
      isFresh: (g) => this.granules.isFresh(g),
      has: (g) => this.granules.has(g),
      total: () => this.knownTotal,
      accept: (block, changed) => this.accept(block, changed),
      onError: () => this.emit('error'),
    });
  }

  subscribe(listener: (change: StoreChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Rows in sight of the user: of the snapshot (as far as known) and those at the top. */
  get rowCount(): number {
    return this.tops.length + (this.knownTotal ?? this.reach);
  }
  /** Of the snapshot; null until it is counted. */
  get total(): number | null {
    return this.knownTotal;
  }
  get isLoaded(): boolean {
    return this.snapshot !== null;
  }
  get isLoading(): boolean {
    return this.loader.isLoading;
  }
  /** What is looked at is here and up to date. */
  get isFresh(): boolean {
    return this.loader.isSightFresh;
  }
  get topRows(): readonly TopRow[] {
    return this.tops.all;
  }
  get currentSnapshot(): string | null {
    return this.snapshot;
  }
  get error(): unknown {
    return this.loader.error;
  }
  /** Rows that are looked at. */
  get sight(): { readonly first: number; readonly last: number } {
    return this.seen;
  }
  /** Changes of cells so far: what is changed later counts as newer for `setLocal`. */
  get changesSoFar(): number {
    return this.local.now;
  }

  /** Typed values that could not be saved. */
  get unsavedCells(): number {
    return this.local.failed;
  }

  // ---- reading

  rowAt(position: number): RowView | null {
    const top = this.tops.all[position];
    if (top) {
      const { id, revision, isDraft } = top;
      return { id, revision, isDraft, position, state: this.states.get(id) };
    }
    const offset = position - this.tops.length;
    const id = this.granules.idAt(offset);
    if (id === undefined || id === null) return null;
    const revision = this.granules.revisionAt(offset);
    return { id, position, revision, isDraft: false, state: this.states.get(id) };
  }

  /** Undefined where no row is loaded, null where the record has been removed since. */
  idAt(position: number): string | null | undefined {
    const top = this.tops.all[position];
    return top ? top.id : this.granules.idAt(position - this.tops.length);
  }

  /** True for a place of the snapshot whose record has been removed since. */
  isGap(position: number): boolean {
    return this.idAt(position) === null;
  }

  positionOf(id: string): number | null {
    const top = this.tops.placeOf(id);
    if (top !== undefined) return top;
    const place = this.granules.placeOf(id);
    return place === undefined ? null : place + this.tops.length;
  }

  /** Null where the row is not loaded. */
  revisionOf(id: string): number | null {
    const position = this.positionOf(id);
    return position === null ? null : (this.rowAt(position)?.revision ?? null);
  }

  /** Revision of a row that the user has seen of a cell; null where the row is not loaded. */
  seenRevision(id: string, fieldId: string): number | null {
    return this.local.get(id, fieldId)?.seen ?? this.revisionOf(id);
  }

  stateOf(id: string): RowState | null {
    return this.states.get(id);
  }

  /** What is shown: the unconfirmed value before the server's; undefined while the row is not loaded. */
  valueAt(position: number, fieldId: string): Value | undefined {
    const row = this.rowAt(position);
    return row ? this.valueOf(row.id, fieldId, position) : undefined;
  }

  valueOf(id: string, fieldId: string, position = this.positionOf(id)): Value | undefined {
    const local = this.local.get(id, fieldId);
    return local ? local.value : this.serverValue(position, fieldId);
  }

  /** What stands here and not, or not for sure, on the server. */
  get unsent(): CellValue[] {
    return this.local.list();
  }

  localCell(id: string, fieldId: string): LocalCell | null {
    return this.local.get(id, fieldId) ?? null;
  }

  cellState(id: string, fieldId: string): CellState | null {
    return this.states.get(id)?.cells.get(fieldId) ?? null;
  }

  private serverValue(position: number | null, fieldId: string): Value | undefined {
    if (position === null) return undefined;
    const field = this.fieldIndex.get(fieldId);
    if (field === undefined) return undefined;
    const top = this.tops.all[position];
    if (top) return top.values[field] ?? null;
    return this.granules.valueAt(position - this.tops.length, field);
  }

  // ---- loading

  /** Tells which rows are looked at; loads what is missing there first, then around it. */
  view(first: number, last: number): void {
    this.seen = { first, last };
    const from = Math.max(0, first - this.tops.length);
    const to = Math.max(from, last - this.tops.length);
    const [fromGranule, toGranule] = [Math.floor(from / GRANULE), Math.floor(to / GRANULE)];
    this.granules.use(fromGranule, toGranule);
    this.loader.want(fromGranule, toGranule);
  }

  /** Start anew with another snapshot (other sort, filter, refresh); drafts stay. */
  reset(): void {
    this.knownTotal = 0;
    this.renew();
  }

  /** Another snapshot of the same view, with what has come and gone since: the window stays where it is. */
  renew(): void {
    this.loader.drop();
    this.loader.forgetError();
    this.granules.clear();
    this.snapshot = null;
    this.reach = this.knownTotal ?? this.reach;
    this.knownTotal = null;
    this.tops.keepDrafts();
    this.emit('total');
    this.loader.pump();
  }

  /** What is loaded may be out of date: fetched again when looked at, shown meanwhile. */
  markStale(): void {
    this.granules.markStale();
    this.loader.noteChanged(null);
    this.loader.pump();
  }

  /** Asks again for what could not be read. */
  retry(): void {
    if (this.loader.error === null) return;
    this.loader.forgetError();
    this.emit('error');
    this.loader.pump();
  }

  dispose(): void {
    this.loader.drop();
    this.listeners.clear();
  }

  /** Lays an answer into the window; what changed since it was asked for is asked for again. */
  accept(block: RowBlock, changed: Changed = new Set()): void {
    if (block.snapshotChanged && this.snapshot !== null && block.snapshot !== this.snapshot) {
      this.granules.clear();
      this.tops.keepDrafts();
    }
    this.snapshot = block.snapshot;
    const { ids, offset } = block;
    this.tops.dropArrived(ids);
    this.granules.lay(block);
    this.granules.markOld(block, changed);
    for (const id of ids) {
      if (id === null) continue;
      this.states.put(id, block.states.get(id) ?? null);
    }
    this.reach = Math.max(this.reach, offset + ids.length);
    const before = this.knownTotal;
    if (block.total !== null) this.knownTotal = block.total;
    this.evict();
    if (before !== this.knownTotal) this.emit('total');
    this.emit('block');
    this.loader.pump();
  }

  private evict(): void {
    const width = Math.max(1, this.fieldIndex.size);
    const room = Math.max(6, Math.floor(this.maxValues / (width * GRANULE)));
    const { from, to } = this.loader.sight;
    const { reach } = this.loader;
    const isFar = (g: number): boolean => g < from - reach || g > to + reach;
    for (const id of this.granules.evict(room, isFar)) if (!this.local.has(id)) this.states.put(id, null);
  }

  // ---- changes

  /** New rows at the top; `values` in field order. */
  addTop(rows: readonly TopRow[], at: 'start' | 'end' = 'end'): void {
    this.tops.add(rows, at);
    this.emit('total');
  }

  /** What a row is called now: drafts get another id, and their first revision, when they become records. */
  nowOf(rowId: string): NowRow {
    return this.tops.nowOf(rowId);
  }

  /** A draft became a record of the server; what was changed in it since then stays to be seen. */
  settleDraft(draftId: string, patch: RowPatch): void {
    const before = this.tops.length;
    this.tops.settle(draftId, patch);
    this.local.move(
      draftId,
      patch.id,
      (fieldId, value) => value === (patch.values[this.fieldIndex.get(fieldId) ?? -1] ?? null),
    );
    this.states.put(draftId, null);
    this.states.put(patch.id, patch.state);
    this.emit(before === this.tops.length ? 'rows' : 'total');
  }

  /** Rows as the server has them now; unknown ones are ignored unless `areNew`. */
  applyPatches(patches: readonly RowPatch[], areNew = false): void {
    this.loader.noteChanged(patches.map(({ id }) => id));
    for (const patch of patches) {
      const top = this.tops.get(patch.id);
      const place = this.granules.placeOf(patch.id);
      this.states.put(patch.id, patch.state);
      if (top) {
        top.values = patch.values;
        top.revision = patch.revision;
      } else if (place !== undefined) {
        this.granules.patch(place, patch);
      } else if (areNew) {
        const { id, revision, values } = patch;
        this.tops.add([{ id, revision, values, isDraft: false }], 'end');
      }
    }
    this.emit(areNew ? 'total' : 'rows');
  }

  /** Records that left the table; their places stay empty until the next snapshot. */
  removeRows(ids: readonly string[]): void {
    const gone = new Set(ids);
    this.loader.noteChanged(gone);
    const before = this.tops.length;
    this.tops.remove(gone);
    for (const id of gone) {
      this.granules.remove(id);
      this.states.put(id, null);
      this.local.deleteRow(id);
    }
    this.emit(before === this.tops.length ? 'rows' : 'total');
  }

  /**
   * Shows values at once, before the server has them; cells that were changed after `since` are left alone. Answers
   * how to take it back.
   */
  setLocal(edits: readonly CellValue[], since?: number): () => void {
    const takeBack = this.local.set(edits, since);
    this.emit('rows');
    return () => {
      takeBack();
      this.emit('rows');
    };
  }

  /** The server has spoken about these cells: those without a failure show the server's value from now on. */
  settleLocal(
    cells: readonly { rowId: string; fieldId: string; value?: Value | undefined }[],
    failures: ReadonlyMap<string, CellFailure>,
  ): void {
    this.local.settle(cells, failures);
    this.emit('rows');
  }

  /** Rows that are stored just as they were sent: what was sent is now what they hold, marked as the user's change. */
  commit(changes: readonly CellValue[], stored: ReadonlyMap<string, number>, at: string): void {
    this.loader.noteChanged(stored.keys());
    const replaced = changes.flatMap(({ rowId, fieldId, value }) => {
      const revision = stored.get(rowId);
      const old = revision === undefined ? undefined : this.replaceValue(rowId, fieldId, value, revision);
      return old === undefined ? [] : [{ rowId, fieldId, old, value }];
    });
    this.states.markOwn(replaced, at);
    this.emit('rows');
  }

  /** Answers the value that was there; undefined when the row is not loaded. */
  private replaceValue(rowId: string, fieldId: string, value: Value, revision: number): Value | undefined {
    const field = this.fieldIndex.get(fieldId);
    if (field === undefined) return undefined;
    const place = this.granules.placeOf(rowId);
    if (place !== undefined) {
      this.granules.setRevision(place, revision);
      return this.granules.write(place, field, value);
    }
    const top = this.tops.get(rowId);
    if (!top) return undefined;
    const old = top.values[field] ?? null;
    top.values[field] = value;
    top.revision = revision;
    return old;
  }

  /** Drops a failed value: the server's shows again. */
  dropLocal(rowId: string, fieldId: string): void {
    this.local.delete(rowId, fieldId);
    this.emit('rows');
  }

  setStates(states: ReadonlyMap<string, RowState | null>): void {
    this.loader.noteChanged(states.keys());
    for (const [id, state] of states) this.states.put(id, state);
    this.emit('rows');
  }

  setRevisions(revisions: ReadonlyMap<string, number>): void {
    for (const [id, revision] of revisions) {
      const top = this.tops.get(id);
      if (top) top.revision = revision;
      const place = this.granules.placeOf(id);
      if (place !== undefined) this.granules.setRevision(place, revision);
    }
  }

  private emit(change: StoreChange): void {
    for (const listener of this.listeners) listener(change);
  }
}
