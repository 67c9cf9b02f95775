import type { BulkCommand, ChosenRows, FieldDescriptor, Value } from '@sluice/contract';

/** One column as the grid needs it. `field` keeps everything the external system said about it. */
export interface GridColumn {
  id: string;
  name: string;
  field: FieldDescriptor;
  /** Index into a block's `columns`. */
  index: number;
  align: 'start' | 'end';
  /** No user may write it, whatever the row. */
  isReadOnly: boolean;
  /** Heading above the name for nested elements (`Address`). */
  group: string | null;
}

/** Whose change it is: the bar at the left of a row. */
type RowBar = 'you' | 'others' | 'pushing';
/** What is new or wrong: the sign beside the bar. */
type RowSign = 'new' | 'invalid' | 'rejected' | 'received' | 'conflict' | 'deleted' | 'pushing';

export interface Author {
  name: string;
  initials: string;
}

export type CellMark = 'you' | 'others' | 'invalid' | 'rejected' | 'received' | 'conflict';

export interface CellState {
  mark: CellMark;
  /** What to tell at the cell; null for a plain change. */
  message: string | null;
  /** The external system's value before the change. */
  oldValue?: Value;
  /** A conflict: the value the other side has now. */
  theirs?: Value;
  author?: Author;
  at?: string;
  /** What made the change, in words, where it was no person. */
  origin?: string;
}

export interface RowState {
  /** What the pending operation does; null when there is only an error in received data. */
  action: 'add' | 'update' | 'delete' | null;
  bar: RowBar | null;
  sign: RowSign | null;
  author?: Author;
  /** What made the change, in words, where it was no person. */
  origin?: string;
  /** Message about the whole record (rejected without a field). */
  message?: string;
  cells: ReadonlyMap<string, CellState>;
}

/** Rows of one answer, an array per field: half the time to make and to parse of an object per row. */
export interface RowBlock {
  offset: number;
  /** Null where a record of the snapshot has been removed since. */
  ids: (string | null)[];
  revisions: number[];
  /** `columns[fieldIndex][row]`. */
  columns: Value[][];
  /** Only of rows that have one. */
  states: Map<string, RowState>;
  /** Names the ordered set of rows that offsets count in. */
  snapshot: string;
  /** The server had to build another one: all other blocks are of an order that is gone. */
  snapshotChanged: boolean;
  /** Null when it is not known yet. */
  total: number | null;
}

export interface RowPatch {
  id: string;
  revision: number;
  values: Value[];
  state: RowState | null;
}

/** Where rows come from. The grid knows nothing else of the world. */
export interface GridSource {
  loadBlock(request: {
    snapshot: string | null;
    offset: number;
    limit: number;
    signal: AbortSignal;
  }): Promise<RowBlock>;
}

/** What became of one cell that did not get saved. */
export interface CellFailure {
  rowId: string;
  fieldId: string;
  message: string;
  /** 409: the value that is there now. */
  theirs?: Value;
}

export interface EditOutcome {
  /** Rows as the server has them now. */
  rows: RowPatch[];
  /** Drafts that became records, by the id of the draft. */
  settled: Map<string, RowPatch>;
  failures: CellFailure[];
  /** Rows that are stored just as they were sent, and the revision that they have now; they are not among `rows`. */
  stored?: ReadonlyMap<string, number>;
  /** Rows that were not sent any more since the user stopped it. */
  unsent?: ReadonlySet<string>;
  /** False when nothing was stored: there is no step to undo. */
  isStored: boolean;
  /** The step to undo, where it is another than was sent: an earlier try of it had been stored. */
  editId?: string;
}

export type EditKind = 'edit' | 'paste' | 'fill' | 'add' | 'delete' | 'replace' | 'batchEdit' | 'revert';

/** One step of the user, as it is sent: changes of records, and records that come into being by it. */
export interface EditBatch {
  /** Names the step in the server's edit journal. */
  editId: string;
  kind: EditKind;
  edits: { rowId: string; revision: number; changes: Record<string, Value> }[];
  inserts: { draftId: string; values: Record<string, Value> }[];
}

interface RemoveOutcome {
  states: Map<string, RowState | null>;
  revisions: Map<string, number>;
  removedIds: string[];
  refused: number;
}

interface UndoOutcome {
  /** Rows as they are now. */
  rows: RowPatch[];
  removedIds: string[];
  /** Cells that somebody else changed since: left as they are. */
  kept: number;
}

/** Something that takes long: shown to the user, who may stop it. */
export interface Tracker {
  readonly isStopped: boolean;
  update(done: number): void;
  end(): void;
}

export type LongCommand = 'prepare' | 'paste' | 'copy' | 'fill' | 'undo' | 'redo';

/** What the feature does for the grid; every promise rejects only when the call as a whole failed. */
export interface GridCommands {
  apply(batch: EditBatch): Promise<EditOutcome>;
  remove(editId: string, ids: readonly string[]): Promise<RemoveOutcome>;
  /** A command over rows that need not be loaded; tells by itself how it went. */
  bulk(rows: ChosenRows, command: BulkCommand, kind: EditKind): Promise<void>;
  undo(editId: string): Promise<UndoOutcome>;
  redo(editId: string): Promise<UndoOutcome>;
  /** Ids of the rows of the snapshot from `offset` on, with their values, for what is not loaded. */
  loadRows(offset: number, limit: number, snapshot: string | null): Promise<RowBlock>;
  /** Shows how far a long command is; `total` in cells, 0 where it cannot be told (nor stopped). */
  track(kind: LongCommand, total: number): Tracker;
  describeError(error: unknown): string;
  newId(): string;
}

export interface CellAt {
  row: number;
  col: number;
}

/** A row as the store shows it. */
export interface RowView {
  id: string;
  position: number;
  revision: number;
  state: RowState | null;
  isDraft: boolean;
}

/** `block`: cells that were waited for are there now, to be drawn without delay. */
export type StoreChange = 'rows' | 'total' | 'error' | 'block';
