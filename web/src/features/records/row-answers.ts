import type { PendingOperation, PendingOperations, Value } from '@sluice/contract';
import type { GridController } from '../../grid/controller.ts';
import type { RowPatch, RowState } from '../../grid/types.ts';
import { type StateTexts, allOperations, rowStateOf, valueAtPath } from './row-state.ts';

/** What writes and live messages tell of records, as the table shows it. */
export class RowAnswers {
  private readonly grid: GridController;
  private readonly me: string;
  private readonly texts: StateTexts;

  constructor(grid: GridController, me: string, texts: StateTexts) {
    this.grid = grid;
    this.me = me;
    this.texts = texts;
  }

  /** Rows and states out of what a write or a live message tells. */
  patches(
    resources: readonly ({ internalId: string } & Record<string, unknown>)[],
    operations: PendingOperations,
  ): RowPatch[] {
    const byId = new Map(allOperations(operations).map((operation) => [operation.id, operation]));
    return resources.map((resource) => {
      const operation = byId.get(resource.internalId);
      return {
        id: resource.internalId,
        revision: operation?.revision ?? 0,
        values: this.grid.columns.map((column) => valueAtPath(resource, column.id)),
        state: this.stateFor(resource.internalId, operation),
      };
    });
  }

  /** Errors in received data stay marked whatever happens to the pending operation. */
  stateFor(id: string, operation: PendingOperation | undefined): RowState | null {
    const state = rowStateOf(operation, undefined, this.me, this.texts);
    const before = this.grid.store.stateOf(id);
    const received = [...(before?.cells ?? [])].filter(([, cell]) => cell.mark === 'received');
    if (received.length === 0) return state;
    const cells = new Map([...received, ...(state?.cells ?? [])]);
    return state ? { ...state, cells } : { action: null, bar: null, sign: 'received', cells };
  }

  /** States and values of rows whose operations are told without the rows themselves. */
  applyOperations(operations: readonly PendingOperation[], clearedIds: readonly string[]): void {
    const { store, columns } = this.grid;
    const patches: RowPatch[] = [];
    const patch = (
      id: string,
      change: (fieldId: string) => Value | undefined,
      operation?: PendingOperation,
    ): void => {
      const position = store.positionOf(id);
      if (position === null) return;
      patches.push({
        id,
        revision: operation?.revision ?? 0,
        values: columns.map((column) => change(column.id) ?? store.valueOf(id, column.id, position) ?? null),
        state: this.stateFor(id, operation),
      });
    };
    for (const operation of operations) {
      const values = new Map(operation.changes.map((change) => [change.fieldName, change.newValue]));
      const before = store.stateOf(operation.id);
      // A cell that is not among the changes any more shows the external system's value again.
      patch(operation.id, (field) => values.get(field) ?? before?.cells.get(field)?.oldValue, operation);
    }
    for (const id of clearedIds) {
      const before = store.stateOf(id);
      patch(id, (field) => before?.cells.get(field)?.oldValue);
    }
    store.applyPatches(patches);
  }
}
