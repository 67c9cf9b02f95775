import type {
  Author,
  Locale,
  PendingOperation,
  PendingOperations,
  ReceivedError,
  Value,
} from '@sluice/contract';
import type { Violation } from '@sluice/mapping';
import { type Db, type Sql, sql } from '../../platform/db.ts';
import { fieldText } from '../../platform/http.ts';
import { type CollectionModel, pendingTableOf, valueOfText } from '../cache/model.ts';
import type { BadValue } from '../cache/encode.ts';
import type { Cells } from '../cache/rebase.ts';
import { authorsOf } from '../sessions/authors.ts';
import { wordsOf } from './words.ts';

/** One pending row as it is selected by `pendingColumns`. */
export interface PendingRow {
  rid: number;
  action: 'u' | 'i' | 'd';
  cells: Cells;
  revision: number;
  author: number;
  created_at: string;
  updated_at: string;
  origin: PendingOperation['origin'] | null;
  invalid: Violation[] | null;
  errors: PendingOperation['pushErrors'] | null;
  has_conflict: boolean;
  is_gone: boolean;
  is_unknown: boolean;
  push_id: string | null;
}

/**
 * The pending row of the record `t` as one value, in the order that `pendingRowOf` reads; null where there is none. Most
 * rows of a page have none: one empty column costs a tenth of fourteen, and only those that have one are looked up (a
 * join would look up each).
 */
export const pendingColumn = ({ collectionId }: CollectionModel): Sql => sql`case when t.p then (
  select json_build_array(p.rid, p.action::text, p.cells, p.revision, p.author, p.created_at, p.updated_at, p.origin,
    p.invalid, p.errors, p.has_conflict, p.is_gone, p.is_unknown, p.push_id)
  from ${pendingTableOf(collectionId)} p where p.rid = t.rid) end`;

type PendingCells = [
  rid: number,
  action: PendingRow['action'],
  cells: Cells,
  revision: number,
  author: number,
  createdAt: string,
  updatedAt: string,
  origin: PendingRow['origin'],
  invalid: PendingRow['invalid'],
  errors: PendingRow['errors'],
  hasConflict: boolean,
  isGone: boolean,
  isUnknown: boolean,
  pushId: string | null,
];

export function pendingRowOf(cell: unknown): PendingRow | null {
  if (cell === null) return null;
  const parts = cell as PendingCells;
  const [rid, action, cells, revision, author, createdAt, updatedAt, origin, invalid, errors, ...rest] =
    parts;
  const [has_conflict, is_gone, is_unknown, push_id] = rest;
  return {
    rid,
    action,
    cells,
    revision,
    author,
    created_at: utc(createdAt),
    updated_at: utc(updatedAt),
    origin,
    invalid,
    errors,
    has_conflict,
    is_gone,
    is_unknown,
    push_id,
  };
}

/** The session's zone is UTC: only the way it is written differs. */
const utc = (time: string): string => time.replace(/\+00:00$/, 'Z');

const actionNames = { u: 'update', i: 'add', d: 'delete' } as const;

function stateOf(
  row: Pick<PendingRow, 'push_id' | 'errors' | 'is_unknown' | 'has_conflict' | 'is_gone' | 'invalid'>,
): PendingOperation['state'] {
  if (row.push_id) return 'beingPushed';
  if (row.errors || row.is_unknown) return 'rejected';
  if (row.has_conflict || row.is_gone) return 'conflict';
  return row.invalid ? 'invalid' : 'pending';
}

/** Everything that is needed to show pending rows: authors and the language. */
export interface WireContext {
  model: CollectionModel;
  locale: Locale;
  authors: ReadonlyMap<number, Author>;
}

export async function wireContext(
  db: Db,
  model: CollectionModel,
  locale: Locale,
  pending: Iterable<PendingRow>,
): Promise<WireContext> {
  const ids = new Set<number>();
  for (const { author, cells } of pending) {
    ids.add(author);
    for (const cell of Object.values(cells)) ids.add(cell.a);
  }
  return { model, locale, authors: await authorsOf(db, ids) };
}

const nobody: Author = { internalId: '', fullName: 'former user' };

/** `valueOf` answers the record's present value of a column, pending changes applied. */
export function operationOf(
  { model, locale, authors }: WireContext,
  row: PendingRow,
  valueOf: (fno: number) => Value,
): PendingOperation {
  const id = String(row.rid);
  const action = actionNames[row.action];
  const changes = Object.entries(row.cells).flatMap(([key, cell]) => {
    const column = model.byFno.get(Number(key));
    if (!column) return [];
    return [
      {
        action: row.action === 'd' ? ('update' as const) : action,
        id,
        fieldName: column.path,
        oldValue: valueOfText(column.pgType, cell.o),
        newValue: valueOf(column.fno),
        authoredBy: authors.get(cell.a) ?? nobody,
        authoredAt: new Date(cell.t).toISOString(),
        ...(cell.c === undefined ? {} : { theirs: valueOfText(column.pgType, cell.c) }),
      },
    ];
  });
  return {
    id,
    action,
    revision: row.revision,
    state: stateOf(row),
    authoredBy: authors.get(row.author) ?? nobody,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    origin: row.origin ?? { type: 'user', actionId: null, runId: null },
    changes,
    validationErrors: (row.invalid ?? []).map(({ field, code, params }) => ({
      field,
      code,
      params,
      message: violationText(locale, code, params, model),
    })),
    pushErrors: (row.errors ?? []).map((error) => ({ ...error, msg: wordsOf(error, model, locale) })),
    isGone: row.is_gone,
    isOutcomeUnknown: row.is_unknown,
    pushId: row.push_id,
  };
}

/** Rules that name another field say its name, not its id. */
function violationText(
  locale: Locale,
  code: number,
  params: Record<string, Value>,
  model: CollectionModel,
): string {
  const field =
    typeof params.field === 'string'
      ? (model.byPath.get(params.field)?.field.name ?? params.field)
      : undefined;
  return fieldText(locale, code, field === undefined ? params : { ...params, field });
}

export function receivedErrorsOf(
  { model, locale }: WireContext,
  bad: Record<string, BadValue> | null,
  valueOf: (fno: number) => Value,
): ReceivedError[] {
  return Object.entries(bad ?? {}).flatMap(([key, { r, c, p }]) => {
    const column = model.byFno.get(Number(key));
    if (!column) return [];
    const raw = r ?? valueOf(column.fno);
    return [
      {
        field: column.path,
        code: c ?? null,
        raw,
        message: fieldText(locale, c ?? null, {
          ...p,
          x: typeof raw === 'string' ? raw : JSON.stringify(raw),
        }),
      },
    ];
  });
}

export function groupOperations(operations: readonly PendingOperation[]): PendingOperations {
  return {
    insert: operations.filter(({ action }) => action === 'add'),
    update: operations.filter(({ action }) => action === 'update'),
    delete: operations.filter(({ action }) => action === 'delete'),
  };
}
