import type { Value } from '@sluice/contract';
import type { CellFailure } from './types.ts';

/** A cell the user changed and the server has not confirmed, or has refused. */
export interface LocalCell {
  value: Value;
  state: 'saving' | 'failed';
  message: string | null;
  theirs?: Value;
  /** Which call set it: later ones count higher. */
  order: number;
  /** Revision of the row when the user last saw what lies under it: what came since then he has not seen. */
  seen: number;
}

export interface CellValue {
  rowId: string;
  fieldId: string;
  value: Value;
}

/** What the user changed, laid over what the server said until it answers. */
export class LocalCells {
  private readonly rows = new Map<string, Map<string, LocalCell>>();
  private order = 0;
  private readonly revisionOf: (rowId: string) => number;

  constructor(revisionOf: (rowId: string) => number) {
    this.revisionOf = revisionOf;
  }

  /** To leave alone what is changed from now on: an argument of `set`. */
  get now(): number {
    return this.order;
  }

  /** Values that the server has not taken: they stand nowhere but here. */
  get failed(): number {
    let count = 0;
    for (const cells of this.rows.values()) {
      for (const { state } of cells.values()) if (state === 'failed') count += 1;
    }
    return count;
  }

  /** All of them. */
  list(): CellValue[] {
    return [...this.rows].flatMap(([rowId, cells]) =>
      [...cells].map(([fieldId, { value }]) => ({ rowId, fieldId, value })),
    );
  }

  get(rowId: string, fieldId: string): LocalCell | undefined {
    return this.rows.get(rowId)?.get(fieldId);
  }

  has(rowId: string): boolean {
    return this.rows.has(rowId);
  }

  deleteRow(rowId: string): void {
    this.rows.delete(rowId);
  }

  /** Cells that were changed after `since` stay as they are. Answers how to take it back. */
  set(edits: readonly CellValue[], since = Number.POSITIVE_INFINITY): () => void {
    const order = ++this.order;
    const replaced: { rowId: string; fieldId: string; cell: LocalCell | undefined }[] = [];
    for (const { rowId, fieldId, value } of edits) {
      let cells = this.rows.get(rowId);
      if (!cells) this.rows.set(rowId, (cells = new Map()));
      const cell = cells.get(fieldId);
      if (cell && cell.order > since) continue;
      const seen = cell?.seen ?? this.revisionOf(rowId);
      cells.set(fieldId, { value, state: 'saving', message: null, order, seen });
      replaced.push({ rowId, fieldId, cell });
    }
    return () => {
      for (const { rowId, fieldId, cell } of replaced) {
        const cells = this.rows.get(rowId);
        if (cells?.get(fieldId)?.order !== order) continue;
        if (cell) cells.set(fieldId, cell);
        else this.delete(rowId, fieldId);
      }
    };
  }

  delete(rowId: string, fieldId: string): void {
    const cells = this.rows.get(rowId);
    cells?.delete(fieldId);
    if (cells?.size === 0) this.rows.delete(rowId);
  }

  /** A draft became a record: what was changed in it since it was sent stays to be seen there. */
  move(draftId: string, rowId: string, isSent: (fieldId: string, value: Value) => boolean): void {
    const cells = this.rows.get(draftId);
    if (!cells) return;
    this.rows.delete(draftId);
    for (const [fieldId, { value }] of cells) if (isSent(fieldId, value)) cells.delete(fieldId);
    if (cells.size > 0) this.rows.set(rowId, cells);
  }

  /** The server has spoken about these cells: those without a failure show its value from now on. */
  settle(
    cells: readonly { rowId: string; fieldId: string; value?: Value | undefined }[],
    failures: ReadonlyMap<string, CellFailure>,
  ): void {
    for (const { rowId, fieldId, value } of cells) {
      const own = this.rows.get(rowId);
      const cell = own?.get(fieldId);
      // A later edit of the same cell is still under way: its own answer will settle it.
      if (!own || !cell || (value !== undefined && cell.value !== value)) continue;
      const failure = failures.size === 0 ? undefined : failures.get(cellKey({ rowId, fieldId }));
      if (failure) {
        own.set(fieldId, {
          ...cell,
          state: 'failed',
          message: failure.message,
          seen: this.revisionOf(rowId),
          ...(failure.theirs === undefined ? {} : { theirs: failure.theirs }),
        });
      } else this.delete(rowId, fieldId);
    }
  }
}

const cellKey = ({ rowId, fieldId }: { rowId: string; fieldId: string }): string => `${rowId}\n${fieldId}`;

export const failuresByCell = (failures: readonly CellFailure[]): ReadonlyMap<string, CellFailure> =>
  new Map(failures.map((failure) => [cellKey(failure), failure]));
