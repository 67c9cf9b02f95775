import type { Value } from '@sluice/contract';
import { type CellValue, type LocalCell, LocalCells } from './local-cells.ts';
import type { CellFailure, CellState, GridSource, RowBlock, RowPatch, RowState } from './types.ts';

/** Rows are kept in granules; a request fetches one (first paint, far jump) up to ten of them at a time. */
export const GRANULE = 100;
const MOST_GRANULES_PER_REQUEST = 10;
/** Wide tables get fewer rows at a time: an answer is read between two frames. */
const VALUES_PER_REQUEST = 50_000;
const MAX_IN_FLIGHT = 2;
/** Values kept before the least recently seen granules go: some 10 MB. */
const DEFAULT_MAX_VALUES = 400_000;

interface Granule {
  ids: (string | null)[];
  revisions: number[];
  /** `columns[fieldIndex][row]` */
  columns: Value[][];
  isStale: boolean;
  usedAt: number;
}

/** A row that is not (yet) part of the snapshot: a draft or a record added in this session. */
export interface TopRow {
  id: string;
  revision: number;
  values: Value[];
  /** Nothing of it has reached the server yet. */
  isDraft: boolean;
}

export interface RowView {
  id: string;
  position: number;
  revision: number;
  state: RowState | null;
  isDraft: boolean;
}

/** `block`: cells that were waited for are there now, to be drawn without delay. */
export type StoreChange = 'rows' | 'total' | 'error' | 'block';

const compare = (a: number, b: number): number => a - b;

/**
 * The rows of one table as the user sees them: a window over a snapshot of the server, with what was changed since
 * laid over it. Holds no DOM and makes no HTTP call.
 */
export class GridStore {
  private readonly granules = new Map<number, Granule>();
  private readonly places = new Map<string, number>();
  private readonly states = new Map<string, RowState>();
  private readonly local = new LocalCells((rowId) => this.revisionOf(rowId) ?? 0);
  /** Records that drafts have become. */
  private readonly settledDrafts = new Map<string, string>();
  private readonly inFlight = new Map<AbortController, { from: number; to: number }>();
  private readonly listeners = new Set<(change: StoreChange) => void>();
  private tops: TopRow[] = [];
  /** Places of the rows at the top by id, made anew when those are others. */
  private indexedTops: TopRow[] | null = null;
  private topPlaces: ReadonlyMap<string, number> = new Map();
  private snapshot: string | null = null;
  private knownTotal: number | null = null;
  private reach = 0;
  private clock = 0;
  private wanted: { from: number; to: number } | null = null;
  private seen = { first: 0, last: -1 };
  private failedAt: { error: unknown } | null = null;
  private generation = 0;
  private readonly source: GridSource;
  private readonly fieldIndex: ReadonlyMap<string, number>;
  private readonly maxValues: number;
  private readonly granulesPerRequest: number;

  constructor(
    source: GridSource,
    fieldIndex: ReadonlyMap<string, number>,
    options: { maxValues?: number } = {},
  ) {
    this.source = source;
    this.fieldIndex = fieldIndex;
    this.maxValues = options.maxValues ?? DEFAULT_MAX_VALUES;
    const fitting = Math.floor(VALUES_PER_REQUEST / (Math.max(1, fieldIndex.size) * GRANULE));
    this.granulesPerRequest = Math.max(1, Math.min(MOST_GRANULES_PER_REQUEST, fitting));
  }

  subscribe(listener: (change: StoreChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Rows in sight of the user: of the snapshot (as far as known) and those at the top. */
  get rowCount(): number {
    return this.tops.length + (this.knownTotal ?? this.reach);
  }
  get total(): number | null {
    return this.knownTotal;
  }
  get isLoaded(): boolean {
    return this.snapshot !== null;
  }
  get isLoading(): boolean {
    return this.inFlight.size > 0;
  }
  get topRows(): readonly TopRow[] {
    return this.tops;
  }
  get currentSnapshot(): string | null {
    return this.snapshot;
  }
  get error(): unknown {
    return this.failedAt?.error ?? null;
  }
  /** Rows that are looked at. */
  get sight(): { readonly first: number; readonly last: number } {
    return this.seen;
  }
  /** Changes of cells so far: what is changed later counts as newer for `setLocal`. */
  get changesSoFar(): number {
    return this.local.now;
  }

  // ---- reading

  rowAt(position: number): RowView | null {
    const top = this.tops[position];
    if (top) {
      const { id, revision, isDraft } = top;
      return { id, revision, isDraft, position, state: this.states.get(id) ?? null };
    }
    const offset = position - this.tops.length;
    const granule = this.granules.get(Math.floor(offset / GRANULE));
    if (!granule) return null;
    const index = offset % GRANULE;
    const id = granule.ids[index];
    if (id === undefined || id === null) return null;
    return {
      id,
      position,
      revision: granule.revisions[index] ?? 0,
      isDraft: false,
      state: this.states.get(id) ?? null,
    };
  }

  /** Undefined where no row is loaded, null where the record has been removed since. */
  idAt(position: number): string | null | undefined {
    const top = this.tops[position];
    if (top) return top.id;
    const offset = position - this.tops.length;
    return this.granules.get(Math.floor(offset / GRANULE))?.ids[offset % GRANULE];
  }

  /** True for a place of the snapshot whose record has been removed since. */
  isGap(position: number): boolean {
    return this.idAt(position) === null;
  }

  positionOf(id: string): number | null {
    const top = this.topPlace(id);
    if (top !== undefined) return top;
    const place = this.places.get(id);
    return place === undefined ? null : place + this.tops.length;
  }

  private topRow(id: string): TopRow | undefined {
    const place = this.topPlace(id);
    return place === undefined ? undefined : this.tops[place];
  }

  private topPlace(id: string): number | undefined {
    if (this.indexedTops !== this.tops) {
      this.indexedTops = this.tops;
      this.topPlaces = new Map(this.tops.map((row, i) => [row.id, i]));
    }
    return this.topPlaces.get(id);
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
    return this.states.get(id) ?? null;
  }

  /** What is shown: the unconfirmed value before the server's; undefined while the row is not loaded. */
  valueAt(position: number, fieldId: string): Value | undefined {
    const row = this.rowAt(position);
    return row ? this.valueOf(row.id, fieldId, position) : undefined;
  }

  valueOf(id: string, fieldId: string, position = this.positionOf(id)): Value | undefined {
    const local = this.local.get(id, fieldId);
    if (local) return local.value;
    return this.serverValue(position, fieldId);
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
    const top = this.tops[position];
    if (top) return top.values[field] ?? null;
    const offset = position - this.tops.length;
    const granule = this.granules.get(Math.floor(offset / GRANULE));
    return granule ? (granule.columns[field]?.[offset % GRANULE] ?? null) : undefined;
  }

  // ---- loading

  /** Tells which rows are looked at; loads what is missing there first, then around it. */
  view(first: number, last: number): void {
    this.seen = { first, last };
    const from = Math.max(0, first - this.tops.length);
    const to = Math.max(from, last - this.tops.length);
    this.wanted = { from: Math.floor(from / GRANULE), to: Math.floor(to / GRANULE) };
    this.clock++;
    for (let g = this.wanted.from; g <= this.wanted.to; g++) {
      const granule = this.granules.get(g);
      if (granule) granule.usedAt = this.clock;
    }
    this.pump();
  }

  /** Start anew with another snapshot (other sort, filter, refresh); drafts stay. */
  reset(): void {
    this.generation++;
    for (const controller of this.inFlight.keys()) controller.abort();
    this.inFlight.clear();
    this.granules.clear();
    this.places.clear();
    this.snapshot = null;
    this.knownTotal = null;
    this.reach = 0;
    this.failedAt = null;
    this.tops = this.tops.filter((row) => row.isDraft);
    this.emit('total');
    this.pump();
  }

  /** What is loaded may be out of date: fetched again when looked at, shown meanwhile. */
  markStale(): void {
    for (const granule of this.granules.values()) granule.isStale = true;
    this.pump();
  }

  retry(): void {
    this.failedAt = null;
    this.emit('error');
    this.pump();
  }

  dispose(): void {
    this.generation++;
    for (const controller of this.inFlight.keys()) controller.abort();
    this.inFlight.clear();
    this.listeners.clear();
  }

  private needs(g: number): boolean {
    const granule = this.granules.get(g);
    if (granule && !granule.isStale) return false;
    for (const span of this.inFlight.values()) if (g >= span.from && g <= span.to) return false;
    return this.knownTotal === null || g * GRANULE < this.knownTotal;
  }

  private pump(): void {
    if (!this.wanted || this.failedAt) return;
    const { from, to } = this.wanted;
    this.dropUseless(from, to);
    if (this.inFlight.size >= MAX_IN_FLIGHT) return;
    if (this.snapshot === null) {
      // The first answer names the snapshot; all others have to wait for it.
      if (this.inFlight.size === 0) void this.fetch(from, from);
      return;
    }
    for (let g = from; g <= to; g++) {
      if (!this.needs(g)) continue;
      const hasNeighbour = this.granules.has(g - 1) || this.granules.has(g + 1);
      void this.fetch(g, hasNeighbour ? this.extend(g) : Math.min(to, g + 1));
      return;
    }
    const isMissing = (g: number): boolean => g >= 0 && this.needs(g) && !this.granules.get(g)?.isStale;
    for (let step = 1; step < this.granulesPerRequest; step++) {
      if (isMissing(to + step)) return void this.fetch(to + step, this.extend(to + step));
    }
    for (let step = 1; step <= 2; step++) {
      if (isMissing(from - step)) {
        let first = from - step;
        while (isMissing(first - 1) && from - first < this.granulesPerRequest) first--;
        return void this.fetch(first, from - step);
      }
    }
  }

  private extend(g: number): number {
    let last = g;
    while (last - g < this.granulesPerRequest - 1 && this.needs(last + 1)) last++;
    return last;
  }

  /** Requests for places that the user left again only hold up the ones that matter. */
  private dropUseless(from: number, to: number): void {
    if (this.snapshot === null) return;
    for (const [controller, span] of this.inFlight) {
      if (span.to < from - this.granulesPerRequest || span.from > to + this.granulesPerRequest) {
        this.inFlight.delete(controller);
        controller.abort();
      }
    }
  }

  private async fetch(from: number, to: number): Promise<void> {
    const controller = new AbortController();
    const generation = this.generation;
    this.inFlight.set(controller, { from, to });
    try {
      const block = await this.source.loadBlock({
        snapshot: this.snapshot,
        offset: from * GRANULE,
        limit: (to - from + 1) * GRANULE,
        signal: controller.signal,
      });
      if (generation === this.generation && !controller.signal.aborted) {
        this.inFlight.delete(controller);
        this.accept(block);
      }
    } catch (error) {
      if (generation !== this.generation || controller.signal.aborted) return;
      this.inFlight.delete(controller);
      this.failedAt = { error };
      this.emit('error');
    }
  }

  /** Lays an answer into the window. */
  accept(block: RowBlock): void {
    if (block.snapshotChanged && this.snapshot !== null && block.snapshot !== this.snapshot) {
      this.granules.clear();
      this.places.clear();
      this.tops = this.tops.filter((row) => row.isDraft);
    }
    this.snapshot = block.snapshot;
    const { ids, columns, revisions, offset } = block;
    this.dropTopsIn(ids);
    for (let start = 0; start < ids.length; start += GRANULE) {
      const g = (offset + start) / GRANULE;
      this.forget(g);
      const end = Math.min(start + GRANULE, ids.length);
      this.granules.set(g, {
        ids: ids.slice(start, end),
        revisions: revisions.slice(start, end),
        columns: columns.map((column) => column.slice(start, end)),
        isStale: false,
        usedAt: this.clock,
      });
      for (let i = start; i < end; i++) {
        const id = ids[i];
        if (id === undefined || id === null) continue;
        this.places.set(id, offset + i);
        const state = block.states.get(id);
        if (state) this.states.set(id, state);
        else this.states.delete(id);
      }
    }
    this.reach = Math.max(this.reach, offset + ids.length);
    const before = this.knownTotal;
    if (block.total !== null) this.knownTotal = block.total;
    this.evict();
    if (before !== this.knownTotal) this.emit('total');
    this.emit('block');
    this.pump();
  }

  /** A record added in this session may turn up in a new snapshot: it is then shown in its place there. */
  private dropTopsIn(ids: readonly (string | null)[]): void {
    if (this.tops.length === 0) return;
    const arrived = new Set(ids);
    this.tops = this.tops.filter((row) => row.isDraft || !arrived.has(row.id));
  }

  private forget(g: number): void {
    const old = this.granules.get(g);
    if (!old) return;
    for (const id of old.ids) if (id !== null) this.places.delete(id);
    this.granules.delete(g);
  }

  private evict(): void {
    const width = Math.max(1, this.fieldIndex.size);
    const room = Math.max(6, Math.floor(this.maxValues / (width * GRANULE)));
    if (this.granules.size <= room) return;
    const wanted = this.wanted ?? { from: 0, to: 0 };
    const distance = (g: number): number =>
      g < wanted.from ? wanted.from - g : g > wanted.to ? g - wanted.to : 0;
    const oldest = [...this.granules]
      .filter(([g]) => distance(g) > this.granulesPerRequest)
      .sort(([, a], [, b]) => compare(a.usedAt, b.usedAt));
    for (const [g, granule] of oldest.slice(0, this.granules.size - room)) {
      for (const id of granule.ids) {
        if (id !== null && !this.local.has(id)) this.states.delete(id);
      }
      this.forget(g);
    }
  }

  // ---- changes

  /** New rows at the top; `values` in field order. */
  addTop(rows: readonly TopRow[], at: 'start' | 'end' = 'end'): void {
    this.tops = at === 'start' ? [...rows, ...this.tops] : [...this.tops, ...rows];
    this.emit('total');
  }

  /** What a row is called now: drafts get another id when they become records. */
  currentId(rowId: string): string {
    return this.settledDrafts.get(rowId) ?? rowId;
  }

  /** A draft became a record of the server; what was changed in it since then stays to be seen. */
  settleDraft(draftId: string, patch: RowPatch): void {
    const before = this.tops.length;
    this.settledDrafts.set(draftId, patch.id);
    // The live message may have told of the record before the answer did.
    this.tops = this.tops.filter((row) => row.id !== patch.id || row.id === draftId);
    this.tops = this.tops.map((row) =>
      row.id === draftId
        ? { id: patch.id, revision: patch.revision, values: patch.values, isDraft: false }
        : row,
    );
    this.local.move(
      draftId,
      patch.id,
      (fieldId, value) => value === (patch.values[this.fieldIndex.get(fieldId) ?? -1] ?? null),
    );
    this.states.delete(draftId);
    if (patch.state) this.states.set(patch.id, patch.state);
    this.emit(before === this.tops.length ? 'rows' : 'total');
  }

  /** Rows as the server has them now; unknown ones are ignored unless `areNew`. */
  applyPatches(patches: readonly RowPatch[], areNew = false): void {
    for (const patch of patches) {
      const top = this.topRow(patch.id);
      const place = this.places.get(patch.id);
      if (patch.state) this.states.set(patch.id, patch.state);
      else this.states.delete(patch.id);
      if (top) {
        top.values = patch.values;
        top.revision = patch.revision;
      } else if (place !== undefined) {
        this.patchPlace(place, patch);
      } else if (areNew) {
        const { id, revision, values } = patch;
        this.tops = [...this.tops, { id, revision, values, isDraft: false }];
      }
    }
    this.emit(areNew ? 'total' : 'rows');
  }

  private patchPlace(place: number, patch: RowPatch): void {
    const granule = this.granules.get(Math.floor(place / GRANULE));
    if (!granule) return;
    const index = place % GRANULE;
    granule.revisions[index] = patch.revision;
    patch.values.forEach((value, field) => {
      const column = granule.columns[field];
      if (column) column[index] = value;
    });
  }

  /** Records that left the table; their places stay empty until the next snapshot. */
  removeRows(ids: readonly string[]): void {
    const gone = new Set(ids);
    const before = this.tops.length;
    this.tops = this.tops.filter((row) => !gone.has(row.id));
    for (const id of gone) {
      const place = this.places.get(id);
      if (place !== undefined) {
        const granule = this.granules.get(Math.floor(place / GRANULE));
        if (granule) granule.ids[place % GRANULE] = null;
        this.places.delete(id);
      }
      this.states.delete(id);
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
    const marked = new Map<string, Map<string, CellState>>();
    for (const { rowId, fieldId, value } of changes) {
      const revision = stored.get(rowId);
      if (revision === undefined) continue;
      const old = this.replaceValue(rowId, fieldId, value, revision);
      const before = this.states.get(rowId);
      if (old === undefined || before?.action === 'add') continue;
      let cells = marked.get(rowId);
      if (!cells) marked.set(rowId, (cells = new Map(before?.cells)));
      const oldValue = cells.get(fieldId)?.oldValue ?? old;
      if (oldValue === value) cells.delete(fieldId);
      else cells.set(fieldId, { mark: 'you', message: null, oldValue, at });
    }
    for (const [rowId, cells] of marked) {
      const isReceived = this.states.get(rowId)?.sign === 'received';
      const hasChange = [...cells.values()].some((cell) => cell.mark === 'you');
      if (hasChange)
        this.states.set(rowId, { action: 'update', bar: 'you', sign: isReceived ? 'received' : null, cells });
    }
    this.emit('rows');
  }

  /** Answers the value that was there; undefined when the row is not loaded. */
  private replaceValue(rowId: string, fieldId: string, value: Value, revision: number): Value | undefined {
    const field = this.fieldIndex.get(fieldId);
    if (field === undefined) return undefined;
    const place = this.places.get(rowId);
    if (place === undefined) {
      const top = this.topRow(rowId);
      if (!top) return undefined;
      const old = top.values[field] ?? null;
      top.values[field] = value;
      top.revision = revision;
      return old;
    }
    const granule = this.granules.get(Math.floor(place / GRANULE));
    const column = granule?.columns[field];
    if (!granule || !column) return undefined;
    const index = place % GRANULE;
    const old = column[index] ?? null;
    column[index] = value;
    granule.revisions[index] = revision;
    return old;
  }

  /** Drops a failed value: the server's shows again. */
  dropLocal(rowId: string, fieldId: string): void {
    this.local.delete(rowId, fieldId);
    this.emit('rows');
  }

  setStates(states: ReadonlyMap<string, RowState | null>): void {
    for (const [id, state] of states) {
      if (state) this.states.set(id, state);
      else this.states.delete(id);
    }
    this.emit('rows');
  }

  setRevisions(revisions: ReadonlyMap<string, number>): void {
    for (const [id, revision] of revisions) {
      const top = this.topRow(id);
      if (top) top.revision = revision;
      const place = this.places.get(id);
      const granule = place === undefined ? undefined : this.granules.get(Math.floor(place / GRANULE));
      if (granule && place !== undefined) granule.revisions[place % GRANULE] = revision;
    }
  }

  private emit(change: StoreChange): void {
    for (const listener of this.listeners) listener(change);
  }
}
