import type { FieldDescriptor, PendingOperation, ReceivedError, Value } from '@sluice/contract';
import type { Author, CellMark, CellState, GridColumn, RowState } from '../../grid/types.ts';
import { initialsOf } from '../../ui/initials.ts';

export interface StateTexts {
  /** The error text of a conflict: what the external system holds now. */
  changedThere: string;
  gone: string;
  unknownOutcome: string;
  /** What a run of a connector is called. */
  byRun: (run: NonNullable<PendingOperation['origin']['run']>) => string;
}

const authorOf = (author: { fullName: string }): Author => ({
  name: author.fullName,
  initials: initialsOf(author.fullName),
});

const originOf = ({ origin }: PendingOperation, texts: StateTexts): { origin?: string } =>
  origin.run ? { origin: texts.byRun(origin.run) } : {};

const cellsOf = (operation: PendingOperation, me: string, texts: StateTexts): Map<string, CellState> => {
  const cells = new Map<string, CellState>();
  for (const change of operation.changes) {
    const isMine = change.authoredBy.internalId === me;
    const isConflict = change.theirs !== undefined;
    // The cells of a new record are all new: marking each would only be noise.
    if (operation.action === 'add' && isMine) continue;
    cells.set(change.fieldName, {
      mark: isConflict ? 'conflict' : isMine ? 'you' : 'others',
      message: isConflict ? texts.changedThere : null,
      at: change.authoredAt,
      ...(operation.action === 'add' ? {} : { oldValue: change.oldValue }),
      ...(isMine ? {} : { author: authorOf(change.authoredBy) }),
      // Whoever changed it after the run did it himself.
      ...(change.authoredBy.internalId === operation.authoredBy.internalId ? originOf(operation, texts) : {}),
      ...(change.theirs === undefined ? {} : { theirs: change.theirs }),
    });
  }
  const setError = (field: string, mark: CellMark, message: string): void => {
    const before = cells.get(field);
    cells.set(field, { ...before, mark, message });
  };
  for (const error of operation.validationErrors) {
    if (cells.get(error.field)?.mark !== 'conflict') setError(error.field, 'invalid', error.message);
  }
  for (const error of operation.pushErrors) {
    if (error.field !== null) setError(error.field, 'rejected', error.msg);
  }
  return cells;
};

const signOf = (operation: PendingOperation): RowState['sign'] => {
  switch (operation.state) {
    case 'beingPushed':
      return 'pushing';
    case 'rejected':
      return 'rejected';
    case 'conflict':
      return 'conflict';
    case 'invalid':
      return 'invalid';
    case 'pending':
      return operation.action === 'delete' ? 'deleted' : operation.action === 'add' ? 'new' : null;
  }
};

/** The marks of one record out of its pending operation and the errors in what was received. */
export const rowStateOf = (
  operation: PendingOperation | undefined,
  received: readonly ReceivedError[] | undefined,
  me: string,
  texts: StateTexts,
): RowState | null => {
  const cells = operation ? cellsOf(operation, me, texts) : new Map<string, CellState>();
  for (const error of received ?? []) {
    if (!cells.has(error.field)) cells.set(error.field, { mark: 'received', message: error.message });
  }
  if (!operation) {
    return cells.size === 0 ? null : { action: null, bar: null, sign: 'received', cells };
  }
  const isMine =
    operation.authoredBy.internalId === me ||
    operation.changes.some((change) => change.authoredBy.internalId === me);
  const isPushing = operation.state === 'beingPushed';
  const rowError = operation.pushErrors.find((error) => error.field === null);
  const message = operation.isGone
    ? texts.gone
    : operation.isOutcomeUnknown
      ? texts.unknownOutcome
      : rowError?.msg;
  const isPlainNew = operation.action === 'add' && isMine && operation.state === 'pending';
  return {
    action: operation.action,
    bar: isPushing ? 'pushing' : isPlainNew ? null : isMine ? 'you' : 'others',
    sign: signOf(operation) ?? (received?.length ? 'received' : null),
    cells,
    ...originOf(operation, texts),
    ...(isMine ? {} : { author: authorOf(operation.authoredBy) }),
    ...(message ? { message } : {}),
  };
};

const END_ALIGNED = new Set(['int', 'uint', 'float64']);

/** One column per leaf; nested elements carry the path of their parents as heading. */
export const columnsOf = (
  fields: readonly FieldDescriptor[],
  canUpdate: boolean,
  parents: readonly string[] = [],
): GridColumn[] => {
  const collect = (list: readonly FieldDescriptor[], path: readonly string[]): Omit<GridColumn, 'index'>[] =>
    list.flatMap((field) =>
      field.kind === 'nestedElements'
        ? collect(field.children ?? [], [...path, field.name])
        : {
            id: field.id,
            name: field.name,
            field,
            align: END_ALIGNED.has(field.dataType ?? '') && !field.options?.length ? 'end' : 'start',
            isReadOnly:
              field.isReadOnly || field.isReadOnlyOnUpdate || field.dataType === 'unknown' || !canUpdate,
            group: path.length > 0 ? path.join(' › ') : null,
          },
    );
  return collect(fields, parents).map((column, index) => ({ ...column, index }));
};

/** Value of a path (`address.city`) in a record as an object. */
export const valueAtPath = (resource: Record<string, unknown>, path: string): Value => {
  if (path in resource) return (resource[path] ?? null) as Value;
  let at: unknown = resource;
  for (const part of path.split('.')) {
    if (typeof at !== 'object' || at === null) return null;
    at = (at as Record<string, unknown>)[part];
  }
  return (at ?? null) as Value;
};

export const allOperations = (operations: {
  insert: readonly PendingOperation[];
  update: readonly PendingOperation[];
  delete: readonly PendingOperation[];
}): PendingOperation[] => [...operations.insert, ...operations.update, ...operations.delete];
