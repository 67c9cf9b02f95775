import {
  editInfoSchema,
  type getHistory as getHistoryEndpoint,
  type HistoryEntry,
  type listPushes as listPushesEndpoint,
  type Author,
  type Locale,
  type ReplyOf,
} from '@sluice/contract';
import type { Actor } from '../../platform/actor.ts';
import { AppError } from '../../platform/errors.ts';
import { type CollectionModel, valueOfText } from '../cache/model.ts';
import { wordsOf } from '../pending/words.ts';
import type { PushItem } from '../push/store.ts';
import { type ContextServices, openCollection } from '../records/context.ts';
import { readRows, ridOf } from '../records/service.ts';
import { authorsOf } from '../sessions/authors.ts';
import * as store from './store.ts';

const nobody: Author = { internalId: '', fullName: 'former user' };
const maxEntries = 1000;

type Change = Extract<HistoryEntry, { kind: 'edit' }>['changes'][number];

/** What happened to a record, the newest first; also of one that is gone by now. */
export async function readHistory(
  { pool, ...services }: ContextServices,
  actor: Actor,
  path: string,
  id: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<ReplyOf<typeof getHistoryEndpoint>> {
  const { model } = await openCollection({ pool, ...services }, actor, path);
  const rid = ridOf(id);
  const record = { collectionId: model.collectionId, rid };
  const total = await store.countEvents(pool, model.collectionId, rid);
  if (total === 0) {
    const [found] = model.refreshedAt === null ? [] : await readRows(pool, model, [rid]);
    if (!found) throw new AppError('NOT_FOUND', { text: { key: 'record.notFound', params: { id } } });
  }
  const events = await store.listEvents(pool, { ...record, limit, offset });
  const idsOf = (kind: store.EventRow['kind']) =>
    events.filter((one) => one.kind === kind).map((one) => one.id);
  const editIds = idsOf('edit');
  const steps = new Map((await store.listSteps(pool, editIds)).map((step) => [step.edit_id, step]));
  const cells = Map.groupBy(await store.listCells(pool, rid, editIds), (cell) => cell.edit_id);
  const rows = new Map((await store.listRowSteps(pool, rid, editIds)).map((step) => [step.edit_id, step]));
  const items = new Map(
    (await store.listItemsOfRecord(pool, record, idsOf('push'))).map((item) => [item.push_id, item]),
  );
  const authors = await authorsOf(
    pool,
    [...steps.values(), ...items.values()].map((one) => one.user_id),
  );
  const resources = events.flatMap(({ kind, id: eventId, at }): HistoryEntry[] => {
    const step = steps.get(eventId);
    if (kind === 'edit' && step) {
      const row = rows.get(eventId);
      return [
        {
          kind,
          at,
          author: authors.get(step.user_id) ?? nobody,
          editKind: editInfoSchema.shape.kind.catch('edit').parse(step.kind),
          isUndone: step.is_undone,
          changes: changesOf(model, cells.get(eventId) ?? [], row),
          row: row?.kind ?? null,
        },
      ];
    }
    const item = items.get(eventId);
    return item
      ? [
          {
            kind: 'push',
            at,
            author: authors.get(item.user_id) ?? nobody,
            ...pushOf(item, model, actor.locale),
          },
        ]
      : [];
  });
  return { resources, offset, maxLimit: maxEntries, total };
}

/** A cell that one step changed twice went straight to its last value. */
function changesOf(
  model: CollectionModel,
  cells: readonly store.CellRow[],
  row: store.RowStepRow | undefined,
): Change[] {
  const net = new Map<number, { old: string | null; new: string | null }>();
  for (const { fno, old, new: next } of [...cellsOfRow(row), ...cells])
    net.set(fno, { old: net.has(fno) ? (net.get(fno)?.old ?? null) : old, new: next });
  return [...net].flatMap(([fno, { old, new: next }]) => {
    const column = model.byFno.get(fno);
    if (!column || old === next) return [];
    return [
      {
        field: column.path,
        old: valueOfText(column.pgType, old),
        new: valueOfText(column.pgType, next),
      },
    ];
  });
}

/** What came or went with a whole record. */
function cellsOfRow(row: store.RowStepRow | undefined): Omit<store.CellRow, 'edit_id'>[] {
  if (row?.kind === 'add')
    return Object.entries(row.after?.values ?? {}).map(([fno, value]) => ({
      fno: Number(fno),
      old: null,
      new: value,
    }));
  const dropped = row?.kind === 'discard' && row.before?.action === 'u' ? row.before : null;
  return Object.entries(dropped?.cells ?? {}).map(([fno, cell]) => ({
    fno: Number(fno),
    old: dropped?.values[fno] ?? null,
    new: cell.c === undefined ? cell.o : cell.c,
  }));
}

const actions = { i: 'add', u: 'update', d: 'delete' } as const;
const outcomes = {
  planned: 'waiting',
  sent: 'waiting',
  succeeded: 'succeeded',
  rejected: 'rejected',
  conflict: 'rejected',
  unknown: 'unknown',
  cancelled: 'cancelled',
} as const satisfies Record<PushItem['state'], string>;

function pushOf(item: PushItem, model: CollectionModel, locale: Locale) {
  return {
    pushId: item.push_id,
    action: actions[item.action],
    outcome: outcomes[item.state],
    // A delete changes nothing by itself: its payload is what the record held.
    changes: Object.entries((item.action === 'd' ? null : item.payload) ?? {}).map(([field, value]) => ({
      field,
      old: item.before?.[field] ?? null,
      new: value,
    })),
    errors: (item.errors ?? []).map((error) => ({
      field: error.field,
      errCode: error.errCode,
      msg: wordsOf(error, model, locale),
    })),
  };
}

export async function listTablePushes(
  services: ContextServices,
  actor: Actor,
  path: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<ReplyOf<typeof listPushesEndpoint>> {
  const { model } = await openCollection(services, actor, path);
  const found = await store.listPushesOf(services.pool, model.collectionId, { limit, offset });
  const authors = await authorsOf(
    services.pool,
    found.map((push) => push.user_id),
  );
  return {
    resources: found.map(
      ({ push_id, user_id, status, created_at, insert, update, delete: removed, ...ends }) => ({
        pushId: push_id,
        at: created_at,
        author: authors.get(user_id) ?? nobody,
        status,
        counts: { insert, update, delete: removed },
        succeeded: ends.succeeded,
        failed: ends.failed,
      }),
    ),
    offset,
    maxLimit: 200,
    total: await store.countPushesOf(services.pool, model.collectionId),
  };
}
