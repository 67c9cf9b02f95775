import type { PendingOperations, Value } from '@sluice/contract';
import { call } from '../../platform/call.ts';

export type Choice = 'keepMine' | 'takeTheirs' | 'insertAgain' | 'discard';

export interface Decision {
  id: string;
  field?: string;
  choice: Choice;
}

/** Most decisions of one call. */
const BATCH = 10_000;

export interface Decided {
  operations: PendingOperations;
  clearedIds: string[];
}

/** Decides conflicts, in as many calls as it takes. */
export const decide = async (collection: string, decisions: readonly Decision[]): Promise<Decided> => {
  const all: Decided = { operations: { insert: [], update: [], delete: [] }, clearedIds: [] };
  for (let at = 0; at < decisions.length; at += BATCH) {
    const reply = await call('resolveConflicts', {
      params: { collection },
      body: decisions.slice(at, at + BATCH),
    });
    for (const list of ['insert', 'update', 'delete'] as const)
      all.operations[list].push(...reply.pendingOperations[list]);
    all.clearedIds.push(...reply.clearedIds);
  }
  return all;
};

/** Another value for one field of a pending record; where it was in conflict, that decides it. */
export const changeValue = async (
  collection: string,
  operation: { id: string; revision: number },
  field: string,
  value: Value,
): Promise<Decided> => {
  const { pendingOperations } = await call('patchRecord', {
    params: { collection, id: operation.id },
    body: { revision: operation.revision, changes: { [field]: value } },
  });
  const isLeft = (['insert', 'update', 'delete'] as const).some((list) => pendingOperations[list].length > 0);
  return { operations: pendingOperations, clearedIds: isLeft ? [] : [operation.id] };
};
