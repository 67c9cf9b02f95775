import type { Value } from '@sluice/contract';
import { asFilled, evaluate, validateFields } from '@sluice/mapping';
import { type ColumnLayout, type ColumnSetting, isTooWide, layoutColumns } from './column-layout.ts';
import { isArrayField } from './edit-plan.ts';
import { type FormatSettings, cellText } from './format-value.ts';
import {
  type Extent,
  type Selection,
  clampCell,
  cutRanges,
  selectCell,
  startSelection,
} from './selection.ts';
import { Steps } from './steps.ts';
import { GridStore } from './store.ts';
import type { GridTextKey, GridTranslate } from './texts.ts';
import type {
  CellAt,
  CellMark,
  CellState,
  GridColumn,
  GridCommands,
  GridSource,
  RowState,
  RowView,
  StoreChange,
} from './types.ts';
import { type UndoStack, emptyUndoStack } from './undo.ts';

export type GridEvent = StoreChange | 'layout' | 'selection' | 'settings' | 'undo';

export interface GridOptions {
  source: GridSource;
  commands: GridCommands;
  columns: readonly GridColumn[];
  settings: FormatSettings;
  translate: GridTranslate;
  canInsert: boolean;
  canUpdate: boolean;
  canDelete: boolean;
  rowHeight: number;
  today: () => string;
}

const RULES = new Set([4001, 4002, 4003, 4101, 4102, 4105, 4200, 4201, 4300, 4301, 4400, 4401]);

/** What to tell about a cell, ready to be shown. */
export interface CellNote {
  mark: CellMark | 'failed' | 'plain';
  title: string;
  text: string;
  /** A conflict or a refused save: both values. */
  theirs?: string;
  mine?: string;
  isFailed: boolean;
  canResolve: boolean;
}

/** The state of one grid and what may be done with it. No DOM, no HTTP: the view draws it, the feature feeds it. */
export class GridController {
  readonly store: GridStore;
  readonly commands: GridCommands;
  readonly steps = new Steps();
  readonly columns: readonly GridColumn[];
  layout: ColumnLayout;
  selection: Selection = startSelection;
  settings: FormatSettings;
  translate: GridTranslate;
  rowHeight: number;
  undoStack: UndoStack = emptyUndoStack;
  canInsert: boolean;
  canUpdate: boolean;
  canDelete: boolean;
  /** Sign of order in the headers: field id -> direction. */
  sort: readonly { field: string; isDescending: boolean }[] = [];
  filtered: ReadonlySet<string> = new Set();
  /** Says something to people who cannot see the table, and to the frame. */
  announce: (text: string, kind?: 'info' | 'warning' | 'error') => void = () => undefined;
  readonly today: () => string;
  private columnSettings: Readonly<Record<string, ColumnSetting>> = {};
  private columnOrder: readonly number[] | null = null;
  private pinnedIds: readonly string[] | null = null;
  private readonly filled: ReturnType<typeof asFilled>;
  private readonly listeners = new Set<(event: GridEvent) => void>();

  constructor(options: GridOptions) {
    this.columns = options.columns;
    this.filled = asFilled(options.columns.map(({ field }) => field));
    this.commands = options.commands;
    this.settings = options.settings;
    this.translate = options.translate;
    this.rowHeight = options.rowHeight;
    this.canInsert = options.canInsert;
    this.canUpdate = options.canUpdate;
    this.canDelete = options.canDelete;
    this.today = options.today;
    this.layout = layoutColumns(this.columns, null, {});
    this.store = new GridStore(options.source, new Map(options.columns.map((c) => [c.id, c.index])));
    this.store.subscribe((change) => this.emit(change));
  }

  subscribe(listener: (event: GridEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  emit(event: GridEvent): void {
    for (const listener of this.listeners) listener(event);
  }

  get extent(): Extent {
    return { rows: this.store.rowCount, cols: this.layout.columns.length };
  }

  arrange(
    order: readonly number[] | null,
    settings: Readonly<Record<string, ColumnSetting>>,
    pinned: readonly string[] | null = this.pinnedIds,
  ): void {
    this.columnOrder = order;
    this.columnSettings = settings;
    this.pinnedIds = pinned;
    this.layout = layoutColumns(this.columns, order, settings, pinned);
    this.emit('layout');
  }

  /** Width while dragging; the frame saves it when the drag ends. */
  resizeColumn(id: string, width: number): void {
    this.arrange(this.columnOrder, {
      ...this.columnSettings,
      [id]: { ...this.columnSettings[id], width },
    });
  }

  get columnState(): {
    order: readonly number[] | null;
    settings: Readonly<Record<string, ColumnSetting>>;
    pinned: readonly string[] | null;
  } {
    return { order: this.columnOrder, settings: this.columnSettings, pinned: this.pinnedIds };
  }

  configure(
    changes: Partial<
      Pick<
        GridController,
        | 'settings'
        | 'translate'
        | 'rowHeight'
        | 'canInsert'
        | 'canUpdate'
        | 'canDelete'
        | 'sort'
        | 'filtered'
        | 'announce'
      >
    >,
  ): void {
    Object.assign(this, changes);
    this.emit('settings');
  }

  select(selection: Selection): void {
    const { rows, cols } = this.extent;
    const active = rows > 0 && cols > 0 ? clampCell(selection.active, this.extent) : selection.active;
    this.selection = { ...selection, active };
    this.emit('selection');
  }

  selectAt(at: CellAt): void {
    this.select(selectCell(clampCell(at, this.extent)));
  }

  columnAt(col: number): GridColumn | null {
    return this.layout.columns[col] ?? null;
  }

  // ---- what a cell is

  text(position: number, column: GridColumn): { main: string; extra: string } {
    return cellText(this.store.valueAt(position, column.id), column.field, this.settings);
  }

  isNewRow(row: RowView): boolean {
    return row.isDraft || row.state?.action === 'add';
  }

  isLocked(state: RowState | null): boolean {
    return state?.action === 'delete' || state?.bar === 'pushing';
  }

  /** Null when the cell may be written, else why not. */
  whyReadOnly(row: RowView | null, column: GridColumn): GridTextKey | null {
    if (!row) return 'loadingRow';
    const isNew = this.isNewRow(row);
    if (isNew ? !this.canInsert && !this.canUpdate : !this.canUpdate) return 'readOnlyRow';
    if (this.isLocked(row.state)) return 'readOnlyRow';
    if (column.isReadOnly && !(isNew && column.field.isReadOnlyOnUpdate)) return 'readOnlyColumn';
    if (column.field.isReadOnlyOnUpdate && !isNew) return 'readOnlyColumn';
    const { readOnlyIf } = column.field;
    if (
      readOnlyIf !== undefined &&
      evaluate(readOnlyIf, (id) => this.store.valueOf(row.id, id, row.position)) === true
    )
      return 'readOnlyCell';
    return null;
  }

  canWriteCell(at: CellAt): boolean {
    const column = this.columnAt(at.col);
    return column !== null && this.whyReadOnly(this.store.rowAt(at.row), column) === null;
  }

  isArray(column: GridColumn): boolean {
    return isArrayField(column.field);
  }

  /** Text of the first rule that a value breaks; the server has the last word. */
  checkText(value: Value, column: GridColumn, row: RowView): string | null {
    const valueOf = (id: string): Value | undefined =>
      id === column.id ? value : this.store.valueOf(row.id, id, row.position);
    const isNew = this.isNewRow(row);
    const [broken] = validateFields([column.field], isNew ? this.filled(valueOf) : valueOf, { isNew });
    if (!broken) return null;
    const params: Record<string, string> = {};
    for (const [name, param] of Object.entries(broken.params)) params[name] = this.paramText(name, param);
    return this.translate(
      RULES.has(broken.code) ? (`rule${broken.code}` as GridTextKey) : 'ruleOther',
      params,
    );
  }

  /** Messages name fields as people see them. */
  private paramText(name: string, param: Value): string {
    if (name === 'field') return this.columns.find((column) => column.id === param)?.name ?? String(param);
    return Array.isArray(param) ? param.map(String).join(', ') : String(param);
  }

  /** What there is to tell about a cell; null for most. */
  noteAt(at: CellAt): CellNote | null {
    const column = this.columnAt(at.col);
    const row = this.store.rowAt(at.row);
    if (!column || !row) return null;
    const show = (value: Value | undefined): string => {
      const { main, extra } = cellText(value, column.field, this.settings);
      return main === '' ? this.translate('emptyValue') : extra ? `${main} ${extra}` : main;
    };
    const local = this.store.localCell(row.id, column.id);
    if (local?.state === 'failed') {
      return {
        mark: 'failed',
        title: this.translate('notSaved'),
        text: local.message ?? '',
        isFailed: true,
        canResolve: local.theirs !== undefined,
        ...(local.theirs === undefined ? {} : { theirs: show(local.theirs), mine: show(local.value) }),
      };
    }
    const state = this.store.cellState(row.id, column.id);
    if (!state) return this.rowNote(row, at) ?? this.hiddenNumber(column, at);
    return this.stateNote(state, show, this.store.valueOf(row.id, column.id, at.row));
  }

  private stateNote(
    state: CellState,
    show: (value: Value | undefined) => string,
    value: Value | undefined,
  ): CellNote | null {
    if (state.message === null && state.mark === 'you' && !state.origin) return null;
    const titles: Record<CellMark, GridTextKey> = {
      you: 'changedByYou',
      others: 'changedByOthers',
      invalid: 'invalid',
      rejected: 'rejected',
      received: 'received',
      conflict: 'conflict',
    };
    const who = state.origin ?? (state.author ? this.translate('by', { name: state.author.name }) : '');
    const was =
      state.oldValue === undefined ? '' : this.translate('wasValue', { value: show(state.oldValue) });
    const text = state.message ?? [who, was].filter(Boolean).join('. ');
    return {
      mark: state.mark,
      title: this.translate(titles[state.mark]),
      text,
      isFailed: false,
      canResolve: state.mark === 'conflict',
      ...(state.mark === 'conflict' ? { theirs: show(state.theirs), mine: show(value) } : {}),
    };
  }

  /** A number too wide for its column shows as signs; here it stands in full. */
  private hiddenNumber(column: GridColumn, at: CellAt): CellNote | null {
    const { main } = this.text(at.row, column);
    if (!isTooWide(column, main, this.layout.widths[at.col] ?? 0)) return null;
    return { mark: 'plain', title: main, text: '', isFailed: false, canResolve: false };
  }

  /** A message that belongs to the whole record shows at its first column; so does what made it, at any. */
  private rowNote(row: RowView, at: CellAt): CellNote | null {
    if (at.col !== 0 || !row.state?.message) {
      if (!row.state?.origin || row.state.action === 'update') return null;
      return { mark: 'plain', title: row.state.origin, text: '', isFailed: false, canResolve: false };
    }
    return {
      mark: 'rejected',
      title: this.translate('rejected'),
      text: row.state.message,
      isFailed: false,
      canResolve: false,
    };
  }

  /** Sum and average of the numbers among the selected cells that are loaded. */
  summary(maxCells = 50_000): { cells: number; sum: number; count: number; isPartial: boolean } | null {
    let cells = 0;
    let sum = 0;
    let count = 0;
    let isPartial = false;
    for (const range of cutRanges(this.selection, this.extent)) {
      for (let row = range.top; row <= range.bottom; row++) {
        if (cells > maxCells) return { cells, sum, count, isPartial: true };
        for (let col = range.left; col <= range.right; col++) {
          cells++;
          const column = this.layout.columns[col];
          const type = column?.field.dataType;
          if (!column || (type !== 'int' && type !== 'uint' && type !== 'float64')) continue;
          const value = this.store.valueAt(row, column.id);
          if (value === undefined) isPartial = true;
          const number = typeof value === 'string' ? Number(value) : value;
          if (typeof number === 'number' && Number.isFinite(number)) {
            sum += number;
            count++;
          }
        }
      }
    }
    return { cells, sum, count, isPartial };
  }
}
