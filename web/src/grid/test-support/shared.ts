import type { Value } from '@sluice/contract';
import { fieldOf } from '@sluice/contract/test-support';
import type {
  CellFailure,
  CellState,
  EditBatch,
  EditOutcome,
  GridColumn,
  RowBlock,
  RowPatch,
  RowState,
} from '../types.ts';

export const ROWS = 12;
export const COLUMNS = 3;

export interface Cell {
  value: Value;
  author: 'erp' | 'me' | 'ben';
  revision: number;
  old: Value;
}
interface Written {
  row: number;
  col: number;
  before: Cell;
  after: Cell;
}

export const columns: GridColumn[] = Array.from({ length: COLUMNS }, (_, index) => {
  const field = fieldOf(`f${index}`, { name: `Field ${index}` });
  return { id: field.id, name: field.name, field, index, align: 'start', isReadOnly: false, group: null };
});

/** The rules of shared editing and of the journal as the server keeps them, in memory; it answers when it is told to. */
export class Shared {
  readonly cells: Cell[][] = Array.from({ length: ROWS }, (_, row) =>
    columns.map(({ id }) => {
      const value = `${id} of ${row}`;
      return { value, author: 'erp', revision: 0, old: value };
    }),
  );
  /** What stood there when ben's changes alone are counted. */
  readonly withoutMe: Value[][] = this.cells.map((row) => row.map(({ value }) => value));
  private readonly journal = new Map<string, Written[]>();
  private readonly waiting: (() => void)[] = [];
  private revision = 0;
  /** Told before something of ben's is overwritten. */
  onOverwrite: (row: number, col: number, cell: Cell, value: Value) => void = () => undefined;

  /** The request arrives, and is answered, when `answer` picks it. */
  private ask<T>(work: () => T): Promise<T> {
    return new Promise((resolve) => this.waiting.push(() => resolve(work())));
  }
  answer(at: number): void {
    const [work] = this.waiting.splice(at % Math.max(1, this.waiting.length), 1);
    work?.();
  }
  get isAsked(): boolean {
    return this.waiting.length > 0;
  }

  patch(row: number): RowPatch {
    const cells = this.cells[row] ?? [];
    const states = new Map<string, CellState>();
    cells.forEach(({ author, old, value }, col) => {
      if (author !== 'erp' && value !== old)
        states.set(`f${col}`, { mark: author === 'me' ? 'you' : 'others', message: null, oldValue: old });
    });
    const isMine = cells.some(({ author }) => author === 'me');
    const state: RowState | null =
      states.size === 0
        ? null
        : { action: 'update', bar: isMine ? 'you' : 'others', sign: null, cells: states };
    const revision = Math.max(...cells.map((cell) => cell.revision));
    return { id: `r${row}`, revision, values: cells.map(({ value }) => value), state };
  }

  load(offset: number, limit: number): Promise<RowBlock> {
    return this.ask(() => {
      const count = Math.max(0, Math.min(limit, ROWS - offset));
      const patches = Array.from({ length: count }, (_, i) => this.patch(offset + i));
      return {
        offset,
        ids: patches.map(({ id }) => id),
        revisions: patches.map(({ revision }) => revision),
        columns: columns.map((_, col) => patches.map(({ values }) => values[col] ?? null)),
        states: new Map(patches.flatMap(({ id, state }) => (state ? [[id, state] as const] : []))),
        snapshot: 's1',
        snapshotChanged: false,
        total: ROWS,
      };
    });
  }

  apply(batch: EditBatch): Promise<EditOutcome> {
    return this.ask(() => {
      const revision = ++this.revision;
      const failures: CellFailure[] = [];
      const written: Written[] = [];
      for (const { rowId, revision: seen, changes } of batch.edits) {
        const row = Number(rowId.slice(1));
        for (const [fieldId, value] of Object.entries(changes)) {
          const col = Number(fieldId.slice(1));
          const before = this.at(row, col);
          if (before.author === 'ben' && before.revision > seen) {
            failures.push({ rowId, fieldId, message: 'changed meanwhile', theirs: before.value });
            continue;
          }
          if (before.author === 'ben') this.onOverwrite(row, col, before, value);
          written.push(this.write(row, col, { value, author: 'me', revision, old: before.old }));
        }
      }
      if (written.length > 0) this.journal.set(batch.editId, written);
      const rows = [...new Set(batch.edits.map(({ rowId }) => Number(rowId.slice(1))))];
      return {
        rows: rows.map((row) => this.patch(row)),
        settled: new Map(),
        failures,
        isStored: written.length > 0,
      };
    });
  }

  /** Only what is still as the step left it is taken back (or done again). */
  step(editId: string, direction: 'undo' | 'redo') {
    return this.ask(() => {
      const written = this.journal.get(editId) ?? [];
      let kept = 0;
      for (const one of direction === 'undo' ? written.toReversed() : written) {
        const [from, to] = direction === 'undo' ? [one.after, one.before] : [one.before, one.after];
        if (this.at(one.row, one.col) === from) this.write(one.row, one.col, to);
        else kept++;
      }
      const rows = [...new Set(written.map(({ row }) => row))];
      return { rows: rows.map((row) => this.patch(row)), removedIds: [], kept };
    });
  }

  ben(row: number, col: number, value: Value): void {
    const { old } = this.at(row, col);
    this.write(row, col, { value, author: 'ben', revision: ++this.revision, old });
    const line = this.withoutMe[row];
    if (line) line[col] = value;
  }

  at(row: number, col: number): Cell {
    const cell = this.cells[row]?.[col];
    if (!cell) throw new Error(`no cell ${row}, ${col}`);
    return cell;
  }

  private write(row: number, col: number, after: Cell): Written {
    const before = this.at(row, col);
    const line = this.cells[row];
    if (line) line[col] = after;
    return { row, col, before, after };
  }
}
