import type {
  CacheState,
  CollectionMessage,
  CollectionMetadata,
  CollectionOpenedMessage,
  ColumnsReply,
  PendingCounts,
  Value,
} from '@sluice/contract';
import { GridController } from '../../grid/controller.ts';
import type { FormatSettings } from '../../grid/format-value.ts';
import type { GridTranslate } from '../../grid/texts.ts';
import type { GridColumn, RowBlock, RowState } from '../../grid/types.ts';
import { fromJournal } from '../../grid/undo.ts';
import { waitForStore } from '../../grid/wait-for-store.ts';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { t } from '../../platform/i18n/i18n.ts';
import { newId } from '../../platform/ids.ts';
import { live } from '../../platform/live.ts';
import { type Store, createStore } from '../../platform/store.ts';
import { todayIso } from '../../platform/time.ts';
import { applyBatch } from './apply-batch.ts';
import { type Job, runBulk, tellChanged, trackLong } from './bulk-run.ts';
import { Finder } from './finder.ts';
import { lastViewOf, rememberView } from './last-views.ts';
import { type TableView, isNarrowed, readColumns, wholeTable } from './read-columns.ts';
import { TableRefresh } from './table-refresh.ts';
import { RowAnswers } from './row-answers.ts';
import { type StateTexts, allOperations, columnsOf, rowStateOf } from './row-state.ts';

const FIRST_BLOCK = 200;
/** More new records than this and the table is loaded anew instead of one by one. */
const MAX_REREAD = 200;

export interface TableState {
  view: TableView;
  counts: PendingCounts | null;
  cache: CacheState | null;
  cachedAt: string | null;
  isRefreshing: boolean;
  /** Records that refreshes have found since the table was read: they are not in it yet. */
  newRecords: number;
  /** What runs over many records just now. */
  job: Job | null;
  /** What was told last of changes in this table, by whomever. */
  heard: CollectionMessage['data'] | null;
}

export interface SessionOptions {
  collection: string;
  me: string;
  settings: FormatSettings;
  translate: GridTranslate;
  texts: StateTexts;
  rowHeight: number;
  /** Somebody asks for a view of his own: what was last narrowed and ordered here does not count. */
  isWhole: boolean;
}

/** One open table: its grid, what the server says about it, and all that may be done with it. */
export class TableSession {
  readonly collection: string;
  readonly metadata: CollectionMetadata;
  readonly grid: GridController;
  readonly state: Store<TableState>;
  readonly me: string;
  readonly finder: Finder;
  readonly answers: RowAnswers;
  private readonly texts: StateTexts;
  private readonly cleanups: (() => void)[] = [];
  readonly refresh = new TableRefresh(this);

  private constructor(
    options: SessionOptions,
    metadata: CollectionMetadata,
    first: ColumnsReply,
    view: TableView,
  ) {
    this.collection = options.collection;
    this.me = options.me;
    this.texts = options.texts;
    this.metadata = metadata;
    this.state = createStore<TableState>({
      view,
      counts: null,
      cache: null,
      cachedAt: metadata.cachedAt,
      isRefreshing: false,
      newRecords: 0,
      job: null,
      heard: null,
    });
    const isWritable = metadata.readOnlyReason === null;
    this.grid = new GridController({
      source: { loadBlock: (request) => this.loadBlock(request) },
      commands: {
        apply: (batch) => applyBatch(this, batch),
        remove: (editId, ids) => this.remove(editId, ids),
        bulk: async (rows, command, kind) => {
          const result = await runBulk(this, [{ rows, command }], kind, t('bulk.filling'));
          if (result) tellChanged(result);
        },
        undo: (editId) => this.step('undoEdit', editId),
        redo: (editId) => this.step('redoEdit', editId),
        loadRows: (offset, limit, snapshot) =>
          this.loadBlock({ offset, limit, snapshot, signal: new AbortController().signal }),
        track: (kind, total) => trackLong(this, kind, total),
        describeError: errorText,
        newId,
      },
      columns: columnsOf(
        metadata.fieldsMetadata,
        isWritable && (metadata.isUpdateAllowed || metadata.isInsertAllowed),
      ),
      settings: options.settings,
      translate: options.translate,
      canInsert: isWritable && metadata.isInsertAllowed,
      canUpdate: isWritable && metadata.isUpdateAllowed,
      canDelete: isWritable && metadata.isDeleteAllowed,
      rowHeight: options.rowHeight,
      today: todayIso,
    });
    this.markView();
    this.answers = new RowAnswers(this.grid, this.me, this.texts);
    this.grid.store.accept(this.toBlock(first));
    this.finder = new Finder(this);
  }

  /** Reads the first rows together with the description of the fields. */
  static async open(options: SessionOptions, signal: AbortSignal): Promise<TableSession> {
    const read = async (wanted: TableView): Promise<ColumnsReply> =>
      await readColumns(options.collection, wanted, {
        snapshot: null,
        offset: 0,
        limit: FIRST_BLOCK,
        signal,
        withMetadata: true,
      });
    let view = (options.isWhole ? null : lastViewOf(options)) ?? wholeTable;
    const first = await read(view).catch(async (error: unknown) => {
      // A field that was filtered by may be gone since.
      if (view === wholeTable || !(error instanceof ApiError) || error.status >= 500) throw error;
      view = wholeTable;
      return await read(view);
    });
    const { metadata } = first;
    if (!metadata?.fieldsMetadata)
      throw new ApiError('API_ERR', 0, `${metadata ? 'fieldsMetadata' : 'metadata'} is missing`, null);
    return new TableSession(options, metadata, first, view);
  }

  /** Follows live changes until the answer is called. */
  connect(): () => void {
    this.cleanups.push(
      live.register('collection', (message) => this.receive(message)),
      live.follow(this.collection),
    );
    this.catchUp(false);
    call('getEdits', { params: { collection: this.collection }, isBackground: true })
      .then(({ resources }) => {
        this.grid.undoStack = fromJournal(resources);
        this.grid.emit('undo');
      })
      .catch((error: unknown) => console.error('edit journal was not read', error));
    return () => {
      this.refresh.dispose();
      for (const cleanup of this.cleanups.splice(0)) cleanup();
      this.grid.store.dispose();
    };
  }

  // ---- reading

  private async loadBlock(request: {
    snapshot: string | null;
    offset: number;
    limit: number;
    signal: AbortSignal;
  }): Promise<RowBlock> {
    return this.toBlock(await readColumns(this.collection, this.state.get().view, request));
  }

  private toBlock(reply: ColumnsReply): RowBlock {
    const operations = new Map(reply.operations.map((operation) => [operation.id, operation]));
    const states = new Map<string, RowState>();
    const ids = reply.ids;
    const revisions = ids.map((id) => (id === null ? 0 : (operations.get(id)?.revision ?? 0)));
    const touched = new Set([...operations.keys(), ...Object.keys(reply.receivedErrors)]);
    for (const id of touched) {
      const state = rowStateOf(operations.get(id), reply.receivedErrors[id], this.me, this.texts);
      if (state) states.set(id, state);
    }
    const empty: Value[] = ids.map(() => null);
    return {
      offset: reply.offset,
      ids,
      revisions,
      columns: this.columnList().map((column) => reply.columns[column.id] ?? empty),
      states,
      snapshot: reply.snapshot ?? '',
      snapshotChanged: reply.snapshotChanged,
      total: reply.total,
    };
  }

  private columnList(): readonly GridColumn[] {
    return this.grid?.columns ?? columnsOf(this.metadata.fieldsMetadata, true);
  }

  setView(change: Partial<TableView>): void {
    this.state.set((state) => ({ ...state, newRecords: 0, view: { ...state.view, ...change } }));
    const { view } = this.state.get();
    rememberView(this, view);
    this.markView();
    this.grid.store.reset();
    this.grid.selectAt({ row: 0, col: this.grid.selection.active.col });
  }

  private markView(): void {
    const { view } = this.state.get();
    this.grid.configure({
      sort: view.sort,
      filtered: new Set(view.filter.map((condition) => condition.field)),
    });
  }

  /** What may have been missed: counts, and rows that changed. */
  catchUp(isStale = true): void {
    if (isStale) {
      this.grid.store.markStale();
      this.grid.store.retry();
    }
    this.readCounts().catch((error: unknown) => console.error('pending counts were not read', error));
  }

  async readCounts(): Promise<void> {
    const { counts } = await call('getPending', {
      params: { collection: this.collection },
      query: { limit: 0 },
      isBackground: true,
    });
    this.state.set((state) => ({ ...state, counts }));
  }

  setJob(job: Job | null): void {
    this.state.set((state) => ({ ...state, job }));
  }

  /** After a command over many records: what is loaded is read anew, and so are new records by their ids. */
  async readAgain(newIds: readonly string[]): Promise<void> {
    const { store } = this.grid;
    store.markStale();
    this.readCounts().catch((error: unknown) => console.error('pending counts were not read', error));
    const shown = newIds.filter((id) => store.positionOf(id) !== null);
    if (shown.length > MAX_REREAD) {
      store.reset();
      return;
    }
    await Promise.all(shown.map((id) => this.readRecord(id)));
  }

  private async readRecord(id: string): Promise<void> {
    try {
      const { resource, pendingOperations } = await call('getRecord', {
        params: { collection: this.collection, id },
        isBackground: true,
      });
      this.grid.store.applyPatches(this.answers.patches([resource], pendingOperations));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) this.grid.store.removeRows([id]);
      else console.error('a record was not read again', error);
    }
  }

  // ---- answers and messages

  private receive(message: CollectionMessage | CollectionOpenedMessage): void {
    if (message.data.tableId !== this.metadata.tableId) return;
    // All changes are told from now on; some may have come between the first reading and this.
    if (message.type === 'opened') this.catchUp();
    else this.take(message.data);
  }

  private take(data: CollectionMessage['data']): void {
    const { store } = this.grid;
    this.state.set((state) => ({ ...state, counts: data.counts, heard: data }));
    const patches = this.answers.patches(data.resources, data.pendingOperations);
    const known = patches.filter((patch) => store.positionOf(patch.id) !== null);
    const added = patches.filter(
      (patch) => patch.state?.action === 'add' && store.positionOf(patch.id) === null,
    );
    store.applyPatches(known);
    if (added.length > 0 && this.isUnfiltered) store.applyPatches(added, true);
    const listed = new Set(patches.map((patch) => patch.id));
    this.answers.applyOperations(
      allOperations(data.pendingOperations).filter((operation) => !listed.has(operation.id)),
      data.clearedIds.filter((id) => !listed.has(id)),
    );
    if (data.removedIds.length > 0) store.removeRows(data.removedIds);
    if (data.isReloadNeeded) store.markStale();
    const { cacheRefreshedAt, newRecords } = data;
    if (cacheRefreshedAt) this.refresh.heard(cacheRefreshedAt, newRecords);
  }

  private get isUnfiltered(): boolean {
    return !isNarrowed(this.state.get().view);
  }

  // ---- commands

  private async remove(editId: string, ids: readonly string[]) {
    const reply = await call('deleteRecords', {
      params: { collection: this.collection },
      query: { editId, kind: 'delete' },
      body: { ids: [...ids] },
    });
    const operations = allOperations(reply.pendingOperations);
    void this.readCounts();
    return {
      states: new Map(
        operations.map((operation) => [operation.id, this.answers.stateFor(operation.id, operation)]),
      ),
      revisions: new Map(operations.map((operation) => [operation.id, operation.revision])),
      removedIds: reply.removedIds,
      refused: reply.refused.length,
    };
  }

  private async step(name: 'undoEdit' | 'redoEdit', editId: string) {
    const reply = await call(name, { params: { collection: this.collection, editId } });
    const { store } = this.grid;
    const patches = this.answers.patches(reply.resources, reply.pendingOperations);
    store.applyPatches(patches);
    // A step over many records is not told record by record.
    const isNewConcerned = reply.returnedIds.length > 0 || store.topRows.some(({ isDraft }) => !isDraft);
    if (reply.isReloadNeeded && isNewConcerned) store.renew();
    else store.markStale();
    void this.readCounts();
    // It is done when it can be seen; the table itself says what could not be read.
    if (reply.isReloadNeeded) await waitForStore(store, ({ isFresh }) => isFresh).catch(() => undefined);
    return {
      // New records that come back by the step.
      rows: patches.filter(
        (patch) => patch.state?.action === 'add' && this.grid.store.positionOf(patch.id) === null,
      ),
      removedIds: reply.removedIds,
      kept: reply.kept.length,
    };
  }

  async resolve(
    id: string,
    field: string | undefined,
    choice: 'keepMine' | 'takeTheirs' | 'insertAgain' | 'discard',
  ) {
    const reply = await call('resolveConflicts', {
      params: { collection: this.collection },
      body: [{ id, choice, ...(field ? { field } : {}) }],
    });
    this.grid.store.applyPatches(this.answers.patches(reply.resources, reply.pendingOperations));
    await this.readCounts();
  }

  /** Takes the delete of one record back. */
  async undoDelete(id: string): Promise<void> {
    await this.discard({ insert: [], update: [], delete: [id] });
  }

  async discard(lists: { insert: string[]; update: string[]; delete: string[] }) {
    const reply = await call('discard', { params: { collection: this.collection }, body: lists });
    const refused = new Set(reply.refused.map(({ id }) => id));
    const gone = [...lists.update, ...lists.delete].filter((id) => !refused.has(id));
    this.answers.applyOperations([], gone);
    if (reply.removedIds.length > 0) this.grid.store.removeRows(reply.removedIds);
    this.grid.store.markStale();
    await this.readCounts();
    return reply;
  }
}
