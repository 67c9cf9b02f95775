import type { PendingOperation } from '@sluice/contract';
import type { ChosenRecords } from '../../grid/chosen-rows.ts';

export interface PendingRecord {
  operation: PendingOperation;
  key: string | null;
  label: string | null;
}

export type Scope = 'mine' | 'all' | 'selection';

/** What a dialog shows first. */
export const firstScope = ({ ids, isMeant }: ChosenRecords): Scope =>
  isMeant && ids !== null ? 'selection' : 'mine';

/** Why a record cannot go along; null when it can. */
export type Held = 'invalid' | 'conflict' | 'pushing' | 'gone' | null;

export const heldBy = ({ operation }: PendingRecord): Held => {
  if (operation.isGone) return 'gone';
  // Also where a push was what found it: the record is refused and waits for a decision.
  if (operation.changes.some(({ theirs }) => theirs !== undefined) && operation.state !== 'beingPushed')
    return 'conflict';
  switch (operation.state) {
    case 'invalid':
      return 'invalid';
    case 'conflict':
      return 'conflict';
    case 'beingPushed':
      return 'pushing';
    default:
      return null;
  }
};

export const isMine = (operation: PendingOperation, me: string): boolean =>
  operation.authoredBy.internalId === me ||
  operation.changes.some((change) => change.authoredBy.internalId === me);

export const inScope = (
  records: readonly PendingRecord[],
  scope: Scope,
  me: string,
  selection: ReadonlySet<string>,
): PendingRecord[] =>
  records.filter(({ operation }) =>
    scope === 'mine' ? isMine(operation, me) : scope === 'selection' ? selection.has(operation.id) : true,
  );

/** Rejected records and those with unknown outcome go only when somebody ticks them. */
export const isTickedAtFirst = (record: PendingRecord): boolean =>
  heldBy(record) === null && record.operation.state !== 'rejected' && !record.operation.isOutcomeUnknown;

export interface PushLists {
  insert: string[];
  update: string[];
  delete: string[];
}

const LIST = { add: 'insert', update: 'update', delete: 'delete' } as const;

export const listsOf = (records: readonly PendingRecord[]): PushLists => {
  const lists: PushLists = { insert: [], update: [], delete: [] };
  for (const { operation } of records) lists[LIST[operation.action]].push(operation.id);
  return lists;
};

/** Names of the other authors among the records. */
export const otherAuthors = (records: readonly PendingRecord[], me: string): string[] => [
  ...new Set(
    records
      .flatMap(({ operation }) => [
        operation.authoredBy,
        ...operation.changes.map((change) => change.authoredBy),
      ])
      .filter((author) => author.internalId !== me)
      .map((author) => author.fullName),
  ),
];
