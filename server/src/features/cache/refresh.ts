import type { CallOptions, CollectionDescription, Session } from '@sluice/adapter-kit';
import type { Locale } from '@sluice/contract';
import { LineMemory } from '../../platform/copy.ts';
import { type Db, execute, type Pool, row, sql, sqlState } from '../../platform/db.ts';
import type { Log } from '../../platform/log.ts';
import { record } from '../../platform/mutate.ts';
import { uniqueSets } from '../pending/revalidate.ts';
import { copyEncoder } from './encode.ts';
import { linesOf, mergeClean } from './merge.ts';
import {
  type CollectionModel,
  type CollectionRow,
  findCollection,
  readModel,
  stagingTableOf,
  tableOf,
} from './model.ts';
import { type Batch, mostPages, savePages, withPage } from './pages.ts';
import { rebasePending, recheckPending, recheckUniques } from './rebase.ts';
import * as store from './store.ts';
import {
  applySchema,
  countStaged,
  createStaging,
  dropStaging,
  emptyTable,
  hasPrimaryKey,
  indexTable,
} from './table.ts';

/** A full sweep finds deletions; between sweeps a refresh asks only for what changed (decisions Q-DOM-03). */
const fullSweepMs = 20 * 60 * 60_000;
/** Clocks differ and transactions end later than they are stamped: ask for this much more. */
const overlapMs = 2 * 60_000;
/** An interrupted refresh is resumed only while what it has read is still fresh. */
const resumeWithinMs = 2 * 60 * 60_000;

export interface RefreshServices {
  pool: Pool;
  log: Log;
  now(): Date;
}

export interface RefreshResult {
  kind: 'first' | 'full' | 'incremental';
  read: number;
  poisoned: number;
}

/**
 * Reads a collection anew from its external system. Pages go to a staging table as they arrive (the very first load
 * straight into the table) together with the cursor, so that a crash loses what was not stored yet; one MERGE then brings
 * them in while readers go on. Answers null when another process is refreshing it.
 */
export async function refreshCollection(
  services: RefreshServices,
  session: Session,
  collectionId: number,
  signal: AbortSignal,
  options: { isFull?: boolean } = {},
): Promise<RefreshResult | null> {
  const lock = await services.pool.connect();
  try {
    const taken = await lock.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', [
      lockSpace,
      collectionId,
    ]);
    if (!taken.rows[0]?.taken) return null;
    return await refreshLocked(services, session, collectionId, signal, options.isFull ?? false);
  } finally {
    await lock.query('select pg_advisory_unlock_all()').catch(() => undefined);
    lock.release();
    // Its domain was removed meanwhile: what was made since goes as well.
    if (!(await findCollection(services.pool, collectionId)))
      await store.dropTables(services.pool, collectionId);
  }
}

const lockSpace = 716_253_002;

async function refreshLocked(
  services: RefreshServices,
  session: Session,
  collectionId: number,
  signal: AbortSignal,
  isFullWanted: boolean,
): Promise<RefreshResult> {
  const { pool } = services;
  const collection = await findCollection(pool, collectionId);
  if (!collection) throw new Error(`There is no collection ${collectionId}`);
  await store.markAttempt(pool, collectionId);
  await describe(services, session, collection, signal);
  const described = await findCollection(pool, collectionId);
  if (!described) throw new Error(`Collection ${collectionId} vanished`);
  const model = await readModel(pool, described);
  if (collection.schema_version > 0 && described.fingerprint !== collection.fingerprint)
    await recheckPending(services, model);

  const plan = await planRefresh(services, session, described, model, isFullWanted);
  const call = callOptions(described, 'EN', signal);
  let { loaded } = plan;
  let poisoned = 0;
  const encode = copyEncoder(model.columns);
  const memory = new LineMemory();
  const pages = session.read({
    ...call,
    collection: described.code,
    attributeId: described.attribute_id || undefined,
    fields: model.fields.EN,
    cursor: plan.cursor,
    pageSize: session.caps.maxPage,
    changedSince: plan.changedSince,
  });
  // Pages are stored while the next ones are read and written out: neither side waits for the other, and what arrives
  // while the database is busy goes to it at once afterwards.
  let saving: Promise<void> = Promise.resolve();
  let isSaving = false;
  let batch: Batch | null = null;
  const save = (ready: Batch): void => {
    batch = null;
    isSaving = true;
    saving = savePages(services.pool, model, targetOf(model, plan.kind), ready)
      .then(() => memory.giveBack(ready.lines))
      .finally(() => (isSaving = false));
    // Thrown when it is waited for.
    saving.catch(() => undefined);
  };
  try {
    for await (const page of pages) {
      signal.throwIfAborted();
      loaded += page.records.length;
      poisoned += page.poisoned.length;
      batch = withPage(batch, page, await linesOf(page.records, encode, memory), loaded);
      if (isSaving && batch.pages < mostPages) continue;
      await saving;
      save(batch);
    }
  } finally {
    // Also what came before the external system failed: the next attempt goes on behind it.
    await saving;
    if (batch) save(batch);
    await saving;
  }
  let isComplete = true;
  const lastRid = plan.kind === 'first' ? null : await lastRidOf(pool, model);
  if (plan.kind === 'first') await finishFirstLoad(services, model);
  else
    isComplete = await mergeStaged(services, model, {
      isFull: plan.kind === 'full',
      startedAt: plan.startedAt,
    });
  if (poisoned === 0 && plan.kind !== 'incremental')
    await store.clearPoisoned(pool, collectionId, plan.startedAt);
  // What was left to a push is asked for again: the next incremental read begins where this one did.
  const isReadAgain = !isComplete && tellsChanges(session, described);
  await finish(services, model, plan.kind, {
    changesSince: isReadAgain ? described.refreshed_at : null,
    lastRid,
  });
  return { kind: plan.kind, read: loaded, poisoned };
}

function callOptions(collection: CollectionRow, locale: Locale, signal: AbortSignal): CallOptions {
  return {
    levels: collection.company_id === '' ? [] : [collection.company_id],
    locale,
    callClass: 'cache',
    signal,
  };
}

/** Asks for the description in both languages and brings the tables to it. */
async function describe(
  services: RefreshServices,
  session: Session,
  collection: CollectionRow,
  signal: AbortSignal,
): Promise<void> {
  const ask = async (locale: Locale): Promise<CollectionDescription> =>
    await session.describe(collection.code, callOptions(collection, locale, signal));
  const english = await ask('EN');
  // The fingerprint covers what the code depends on; labels of the other language are asked for with it.
  if (english.fingerprint === collection.fingerprint && collection.schema_version > 0) return;
  const dutch = await ask('NL');
  const { keyFields, labelField, naturalKeys, rights, changes } = english;
  await applySchema(services.pool, collection.collection_id, english.fields, async (db, isChanged) => {
    await store.updateCollection(db, collection.collection_id, {
      fields_en: english.fields,
      fields_nl: dutch.fields,
      description: { keyFields, labelField, naturalKeys, rights, ...(changes ? { changes } : {}) },
      fingerprint: english.fingerprint,
      // A new column is empty until every record has been read again.
      ...(isChanged ? { full_at: null } : {}),
    });
  });
}

/** A collection may know better than the system as a whole: a table without a column of times. */
function tellsChanges(session: Session, collection: CollectionRow): boolean {
  const { changes } = collection.description;
  return changes === undefined ? session.caps.changes.incremental : changes !== 'none';
}

interface Plan {
  kind: 'first' | 'full' | 'incremental';
  cursor: string | null;
  loaded: number;
  startedAt: string;
  changedSince: Date | null;
}

async function planRefresh(
  services: RefreshServices,
  session: Session,
  collection: CollectionRow,
  model: CollectionModel,
  isFullWanted: boolean,
): Promise<Plan> {
  const { pool, now } = services;
  const id = collection.collection_id;
  const isFirst = collection.refreshed_at === null;
  const isIncremental =
    !isFirst &&
    !isFullWanted &&
    tellsChanges(session, collection) &&
    collection.full_at !== null &&
    now().getTime() - Date.parse(collection.full_at) < fullSweepMs;
  const kind = isFirst ? 'first' : isIncremental ? 'incremental' : 'full';
  const since =
    isIncremental && collection.refreshed_at
      ? new Date(Date.parse(collection.refreshed_at) - overlapMs)
      : null;

  const startedAt = collection.refresh_started_at;
  const isResumable =
    collection.refresh_id !== null &&
    collection.refresh_kind === kind &&
    collection.refresh_cursor !== null &&
    startedAt !== null &&
    now().getTime() - Date.parse(startedAt) < resumeWithinMs;
  if (isResumable) {
    const kept = kind === 'first' ? collection.loaded : await countStaged(pool, id);
    if (kept === collection.loaded) {
      return {
        kind,
        cursor: collection.refresh_cursor,
        loaded: collection.loaded,
        startedAt,
        changedSince: since,
      };
    }
  }
  if (kind === 'first') {
    if (await hasPrimaryKey(pool, id)) throw new Error(`Collection ${id} has been loaded before`);
    await emptyTable(pool, id);
  } else await createStaging(pool, id, model.columns);
  const started = now().toISOString();
  await store.updateCollection(pool, id, {
    ...(isFirst ? { state: 'loading' as const } : {}),
    refresh_id: crypto.randomUUID(),
    refresh_kind: kind,
    refresh_cursor: null,
    refresh_started_at: started,
    loaded: 0,
    expected: null,
    message: null,
  });
  return { kind, cursor: null, loaded: 0, startedAt: started, changedSince: since };
}

/** The very first load goes straight into the table. */
const targetOf = ({ collectionId }: CollectionModel, kind: Plan['kind']) =>
  kind === 'first' ? tableOf(collectionId) : stagingTableOf(collectionId);

async function finishFirstLoad(services: RefreshServices, model: CollectionModel): Promise<void> {
  if (await hasPrimaryKey(services.pool, model.collectionId)) return;
  const uniques = uniqueSets(model).map((paths) =>
    paths.flatMap((path) => model.byPath.get(path)?.fno ?? []),
  );
  await indexTable(services.pool, model.collectionId, uniques);
}

/**
 * Brings the staged records into the table: clean rows by one MERGE, rows with pending changes by their own rules. Answers
 * whether all of them came in: those of a running push, or of one that ended meanwhile, are left alone.
 */
async function mergeStaged(
  services: RefreshServices,
  model: CollectionModel,
  refresh: { isFull: boolean; startedAt: string },
): Promise<boolean> {
  const staging = stagingTableOf(model.collectionId);
  let isComplete = true;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await record(services.pool, async (tx) => {
        await tx.client.query('set local synchronous_commit = off');
        const left = await mergeClean(tx.client, model, { source: staging, ...refresh });
        if (left > 0) isComplete = false;
      });
      break;
    } catch (error) {
      const state = sqlState(error);
      // 21000: a record came twice; the later one counts. 23505: a push settled a new key meanwhile.
      if ((state !== '21000' && state !== '23505') || attempt === 3) throw error;
      await execute(
        services.pool,
        sql`delete from ${staging} a using ${staging} b where a.k = b.k and a.ctid < b.ctid`,
      );
    }
  }
  if ((await rebasePending(services, model, refresh)) > 0) isComplete = false;
  await recheckUniques(services, model);
  await dropStaging(services.pool, model.collectionId);
  return isComplete;
}

/** Rows behind it came by the refresh that begins. */
async function lastRidOf(db: Db, model: CollectionModel): Promise<number> {
  const last = await row<{ rid: number | null }>(
    db,
    sql`select max(rid) as rid from ${tableOf(model.collectionId)}`,
  );
  return last?.rid ?? 0;
}

async function finish(
  services: RefreshServices,
  model: CollectionModel,
  kind: Plan['kind'],
  { changesSince, lastRid }: { changesSince: string | null; lastRid: number | null },
): Promise<void> {
  await record(services.pool, async (tx) => {
    const startedAt =
      (await findCollection(tx, model.collectionId))?.refresh_started_at ?? services.now().toISOString();
    const counted = await row<{ n: number; added: number }>(
      tx,
      sql`select count(*)::int as n, (count(*) filter (where rid > ${lastRid}::int4 and k is not null))::int as added
          from ${tableOf(model.collectionId)}`,
    );
    await store.updateCollection(tx, model.collectionId, {
      state: 'ready',
      row_count: counted?.n ?? 0,
      refresh_id: null,
      refresh_cursor: null,
      refresh_kind: null,
      // The next incremental read must begin where this one began, not where it ended.
      refreshed_at: changesSince ?? startedAt,
      ...(kind === 'incremental' ? {} : { full_at: startedAt }),
      generation: ((await findCollection(tx, model.collectionId))?.generation ?? 0) + 1,
    });
    await store.endAttempt(tx, model.collectionId, null);
    tx.publish({
      topic: 'collection',
      collectionId: model.collectionId,
      rids: [],
      removed: [],
      isReloadNeeded: true,
      refreshedAt: startedAt,
      newRecords: counted?.added ?? 0,
    });
  });
}
