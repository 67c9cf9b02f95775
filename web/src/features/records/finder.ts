import type { Hit, ReplyOf } from '@sluice/contract';
import type * as Contract from '@sluice/contract';
import { chosenRows } from '../../grid/chosen-rows.ts';
import type { CellAt } from '../../grid/types.ts';
import { ApiError, call, errorText, isAbort } from '../../platform/call.ts';
import { t } from '../../platform/i18n/i18n.ts';
import { type Store, createStore } from '../../platform/store.ts';
import { toast } from '../../ui/toasts.tsx';
import { type BulkResult, runBulk, tellBulk } from './bulk-run.ts';
import type { SearchSpec } from './read-columns.ts';
import type { TableSession } from './table-session.ts';

type FindReply = ReplyOf<(typeof Contract)['find']>;
type Direction = 'next' | 'previous';

export interface FindState {
  spec: SearchSpec;
  hit: Hit | null;
  cells: number | null;
  status: 'idle' | 'searching' | 'found' | 'none';
}

const TYPING_MS = 250;
/** More than this in the address of a request, and some servers on the way refuse it. */
const MOST_FIELD_LETTERS = 6000;
const emptySearch: SearchSpec = {
  text: '',
  dataType: 'any',
  matchCase: false,
  matchWholeWord: false,
  fields: null,
};

/** Find and replace over all rows of a table. The server searches; here is where one stands and what comes next. */
export class Finder {
  readonly state: Store<FindState>;
  private show: (at: CellAt) => void = () => undefined;
  private readonly table: TableSession;
  private start: { position: number; field: string } | null = null;
  private timer = 0;
  private turn = 0;

  constructor(table: TableSession) {
    this.table = table;
    this.state = createStore<FindState>({ spec: emptySearch, hit: null, cells: null, status: 'idle' });
  }

  /** Who brings the cell of a hit into sight. */
  showHitsBy(show: (at: CellAt) => void): void {
    this.show = show;
  }

  /**
   * The bar opened: what is typed from now on is searched from the active cell on, that cell included. Who has chosen
   * whole columns means those.
   */
  begin(): void {
    const { grid } = this.table;
    this.start = this.placeBefore(grid.selection.active);
    const chosen = this.wholeColumns();
    if (chosen.length > 0 || this.state.get().spec.fields !== null)
      this.change({ fields: chosen.length > 0 ? chosen : null });
  }

  private wholeColumns(): string[] {
    const { selection, layout } = this.table.grid;
    const ranges = selection.ranges.filter(({ kind }) => kind === 'cols');
    return layout.columns
      .filter((_, col) => ranges.some(({ left, right }) => col >= left && col <= right))
      .map(({ id }) => id);
  }

  /** Columns that are searched, in the order that they are shown in. */
  private get searched(): string[] {
    const shown = this.table.grid.layout.columns.map(({ id }) => id);
    const { fields } = this.state.get().spec;
    const named = shown.filter((id) => fields?.includes(id));
    return named.length > 0 ? named : shown;
  }

  /** What "only rows with hits" asks of the whole table: the same columns, where their names fit into an address. */
  get forRows(): SearchSpec {
    const { searched } = this;
    const isAll = searched.length === this.table.grid.columns.length;
    const isTooLong = searched.join(',').length > MOST_FIELD_LETTERS;
    return { ...this.state.get().spec, fields: isAll || isTooLong ? null : searched };
  }

  private place({ row, col }: CellAt): { position: number; field: string } | null {
    const { grid } = this.table;
    const position = row - grid.store.topRows.length;
    const column = grid.columnAt(col);
    return position < 0 || !column ? null : { position, field: column.id };
  }

  /** `from` of a search leaves its own cell out, so it has to be the one before. */
  private placeBefore(at: CellAt): { position: number; field: string } | null {
    const last = this.table.grid.extent.cols - 1;
    if (at.col > 0) return this.place({ row: at.row, col: at.col - 1 });
    return this.place({ row: at.row - 1, col: last });
  }

  change(change: Partial<SearchSpec>): void {
    const spec = { ...this.state.get().spec, ...change };
    const isEmpty = spec.text.trim() === '';
    this.state.set({ spec, hit: null, cells: null, status: isEmpty ? 'idle' : 'searching' });
    clearTimeout(this.timer);
    this.turn++;
    if (isEmpty) return;
    this.timer = window.setTimeout(() => void this.search('next', this.start), TYPING_MS);
  }

  go(direction: Direction): void {
    const { spec, hit } = this.state.get();
    if (spec.text.trim() === '') return;
    clearTimeout(this.timer);
    // Enter right after typing brings the first hit, not the second.
    const from = hit === null ? this.start : this.place(this.table.grid.selection.active);
    void this.search(direction, hit === null && direction === 'previous' ? null : from);
  }

  private body(direction: Direction, from: { position: number; field: string } | null) {
    const { grid } = this.table;
    return {
      snapshot: grid.store.currentSnapshot ?? '',
      find: { ...this.state.get().spec, fields: this.searched },
      from,
      direction,
      order: grid.layout.columns.map(({ id }) => id),
    };
  }

  private async search(
    direction: Direction,
    from: { position: number; field: string } | null,
  ): Promise<void> {
    if (this.table.grid.store.currentSnapshot === null) return;
    const turn = ++this.turn;
    const params = { collection: this.table.collection };
    const body = this.body(direction, from);
    this.state.set((state) => ({ ...state, status: 'searching' }));
    try {
      const first = await call('find', { params, body: { ...body, isCountWanted: false }, kind: 'find' });
      if (turn !== this.turn) return;
      this.accept(first);
      if (first.cells !== null || first.hit === null) return;
      const counted = await call('find', { params, body, kind: 'find' });
      if (turn === this.turn)
        this.state.set((state) => ({ ...state, hit: counted.hit, cells: counted.cells }));
    } catch (error) {
      if (isAbort(error) || turn !== this.turn) return;
      this.state.set((state) => ({ ...state, status: 'idle' }));
      if (error instanceof ApiError && error.code === 'SNAPSHOT_GONE') {
        this.table.grid.store.reset();
        toast('warning', t('bulk.snapshotGone'));
      } else toast('error', errorText(error));
    }
  }

  private accept({ hit, cells }: FindReply): void {
    this.state.set((state) => ({ ...state, hit, cells, status: hit ? 'found' : 'none' }));
    if (!hit) return;
    const { grid } = this.table;
    const col = grid.layout.columns.findIndex((column) => column.id === hit.field);
    if (col < 0) return;
    const at = { row: hit.position + grid.store.topRows.length, col };
    grid.selectAt(at);
    this.show(at);
  }

  /** Replaces in the cell of the present hit and goes on to the next one. */
  async replaceOne(replacement: string): Promise<void> {
    const { hit, spec } = this.state.get();
    const { grid } = this.table;
    const here = this.place(grid.selection.active);
    if (!hit || here?.position !== hit.position || here.field !== hit.field) {
      this.go('next');
      return;
    }
    const rows = {
      ids: [],
      snapshot: grid.store.currentSnapshot,
      ranges: [[hit.position, hit.position] as [number, number]],
    };
    const find = { ...spec, fields: [hit.field] };
    const result = await runBulk(
      this.table,
      [{ rows, command: { kind: 'replace', find, replacement } }],
      'replace',
      t('find.replacing'),
    );
    if (!result) return;
    if (result.changedCells === 0) this.tell(result);
    else this.go('next');
  }

  /** Replaces in all rows that the table shows, loaded or not, as one step. */
  async replaceAll(replacement: string): Promise<void> {
    const { grid } = this.table;
    const { spec } = this.state.get();
    if (grid.store.total === null) {
      toast('info', t('bulk.stillCounting'));
      return;
    }
    const { rows, count } = chosenRows(grid, [{ top: 0, bottom: grid.store.rowCount - 1 }]);
    if (count === 0) return;
    const find = { ...spec, fields: this.searched };
    const result = await runBulk(
      this.table,
      [{ rows, command: { kind: 'replace', find, replacement } }],
      'replace',
      t('find.replacing'),
    );
    if (!result) return;
    this.tell(result);
    this.change({});
  }

  private tell(result: BulkResult): void {
    // Most cells hold no hit: only what kept a hit from being replaced is of interest.
    delete result.skipped.unchanged;
    const { incompatible = 0 } = result.skipped;
    if (incompatible > 0) toast('error', t('find.incompatible'));
    if (incompatible > 0 && result.changedCells === 0) return;
    tellBulk(
      result,
      result.changedCells === 0 ? t('find.noHits') : t('find.replaced', { count: result.changedCells }),
    );
  }
}
