import type { Value } from '@sluice/contract';
import type { CellState, RowState } from './types.ts';

/** A cell that the server has stored as the user changed it; `old`: what the row held before. */
interface StoredCell {
  rowId: string;
  fieldId: string;
  old: Value;
  value: Value;
}

/** What is pending on the rows, as the server last said or as follows from what it has stored. */
export class RowStates {
  private readonly byId = new Map<string, RowState>();

  get(id: string): RowState | null {
    return this.byId.get(id) ?? null;
  }

  /** Null: nothing is pending on the row any more. */
  put(id: string, state: RowState | null): void {
    if (state) this.byId.set(id, state);
    else this.byId.delete(id);
  }

  /** Marks cells as the user's change; one that is back at the value of the external system is none. */
  markOwn(stored: readonly StoredCell[], at: string): void {
    const marked = new Map<string, Map<string, CellState>>();
    for (const { rowId, fieldId, old, value } of stored) {
      const before = this.byId.get(rowId);
      // A new record is pending as a whole.
      if (before?.action === 'add') continue;
      let cells = marked.get(rowId);
      if (!cells) marked.set(rowId, (cells = new Map(before?.cells)));
      const oldValue = cells.get(fieldId)?.oldValue ?? old;
      if (oldValue === value) cells.delete(fieldId);
      else cells.set(fieldId, { mark: 'you', message: null, oldValue, at });
    }
    for (const [rowId, cells] of marked) {
      const sign = this.byId.get(rowId)?.sign === 'received' ? 'received' : null;
      if ([...cells.values()].some((cell) => cell.mark === 'you'))
        this.byId.set(rowId, { action: 'update', bar: 'you', sign, cells });
    }
  }
}
