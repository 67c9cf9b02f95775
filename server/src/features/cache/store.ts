import type { CompanyContent } from '@sluice/contract';
import { type Db, execute, row, rows, sql } from '../../platform/db.ts';
import type { TableReading } from '../systems/table-reading.ts';
import { type CollectionHead, type CollectionRow, tableOf, pendingTableOf, stagingTableOf } from './model.ts';

export interface CollectionIdentity {
  domainId: string;
  companyId: string;
  uriId: string;
  attributeId: string;
  code: string;
}

export async function findCollectionBy(db: Db, identity: CollectionIdentity): Promise<CollectionHead | null> {
  return await row(
    db,
    sql`select collection_id, state, description, schema_version, row_count, loaded, expected, refreshed_at, message, generation, search_fnos
        from collection where domain_id = ${identity.domainId} and company_id = ${identity.companyId}
          and resource_type_uri_id = ${identity.uriId} and attribute_id = ${identity.attributeId}`,
  );
}

export async function ensureCollection(db: Db, identity: CollectionIdentity): Promise<CollectionHead> {
  await execute(
    db,
    sql`insert into collection (domain_id, company_id, resource_type_uri_id, attribute_id, code)
        values (${identity.domainId}, ${identity.companyId}, ${identity.uriId}, ${identity.attributeId}, ${identity.code})
        on conflict do nothing`,
  );
  const found = await findCollectionBy(db, identity);
  if (!found) throw new Error('The collection was not created');
  return found;
}

async function listCollections(db: Db, domainId: string): Promise<CollectionRow[]> {
  return await rows(db, sql`select * from collection where domain_id = ${domainId}`);
}

export interface DueCollection {
  collection_id: number;
  domain_id: string;
  /** By a person, a run or the end of a push. */
  is_wanted: boolean;
}

/**
 * Collections that are due, the most wanted first: never loaded, asked for by a person, interrupted, or older than
 * the domain's interval. One that failed is tried again after 30 seconds; where the credentials or the address were
 * refused the domain rests for five minutes, unless somebody asks: some systems lock who knocks too often. Of each domain at most `perDomain` that were
 * asked for and as many others, so that one domain with many does not hide the next.
 */
export async function listDue(db: Db, limit: number, perDomain: number): Promise<DueCollection[]> {
  return await rows(
    db,
    sql`select collection_id, domain_id, is_wanted from (
        select c.collection_id, c.domain_id, c.wanted_at is not null as is_wanted, c.refreshed_at, c.wanted_at,
          row_number() over (partition by c.domain_id, c.wanted_at is not null
            order by c.refreshed_at is not null, c.wanted_at desc, c.collection_id) as place
        from collection c
        join domain d using (domain_id)
        left join domain_company dc on dc.domain_id = c.domain_id and dc.company_id = c.company_id
        where d.is_active and not d.is_paused and (c.company_id = '' or dc.is_active)
          and (c.attempted_at is null or c.attempted_at < now() - interval '30 seconds'
               or c.wanted_at > c.attempted_at)
          and (d.status <> 'INVALID_CREDENTIALS_OR_URL' or c.wanted_at > coalesce(c.attempted_at, '-infinity')
               or not exists (select from collection tried where tried.domain_id = d.domain_id
                                and tried.attempted_at > now() - interval '5 minutes'))
          and (c.wanted_at is not null or c.refreshed_at is null or c.refresh_id is not null
               or c.refreshed_at < now() - make_interval(mins => d.cache_refresh_minutes))) due
        where place <= ${perDomain}
        order by not is_wanted, refreshed_at is not null, wanted_at desc, place, collection_id
        limit ${limit}`,
  );
}

/** Answers when it was asked for, for `readingSince`. */
export async function wantCollection(db: Db, collectionId: number): Promise<string> {
  const wanted = await row<{ at: string }>(
    db,
    sql`update collection set wanted_at = clock_timestamp() where collection_id = ${collectionId}
        returning wanted_at::text as at`,
  );
  return wanted?.at ?? '-infinity';
}

/** What has become of a wish: whether its reading is over, well or not, and whether the collection is read at all. */
export async function readingSince(
  db: Db,
  collectionId: number,
  since: string,
): Promise<{ isServed: boolean; isOver: boolean; refreshedAt: string | null; message: string | null }> {
  const found = await row<Awaited<ReturnType<typeof readingSince>>>(
    db,
    sql`select d.is_active and not d.is_paused and (c.company_id = '' or coalesce(dc.is_active, false)) as "isServed",
          c.attempted_at > ${since}::timestamptz and (c.wanted_at is null or c.wanted_at > c.attempted_at) as "isOver",
          c.refreshed_at as "refreshedAt", c.message
        from collection c join domain d using (domain_id)
        left join domain_company dc on dc.domain_id = c.domain_id and dc.company_id = c.company_id
        where c.collection_id = ${collectionId}`,
  );
  return found ?? { isServed: false, isOver: true, refreshedAt: null, message: null };
}

/** A refresh begins; wishes that come after this moment are for the next one. */
export async function markAttempt(db: Db, collectionId: number): Promise<void> {
  await execute(
    db,
    sql`update collection set attempted_at = clock_timestamp() where collection_id = ${collectionId}`,
  );
}

/** The refresh that began at the last attempt is over, well or not: only later wishes are still open. */
export async function endAttempt(db: Db, collectionId: number, message: string | null): Promise<void> {
  await execute(
    db,
    sql`update collection set message = ${message}, wanted_at = case when wanted_at > attempted_at then wanted_at end
        where collection_id = ${collectionId}`,
  );
}

/** A refresh under way keeps its time of beginning: when it fails, this later wish is still open. */
export async function wantDomain(db: Db, domainId: string): Promise<void> {
  await execute(
    db,
    sql`update collection set wanted_at = case when refreshed_at is null then wanted_at else clock_timestamp() end,
          attempted_at = case when refreshed_at is null then null else attempted_at end
        where domain_id = ${domainId}`,
  );
}

export async function updateCollection(
  db: Db,
  collectionId: number,
  change: Partial<CollectionRow>,
): Promise<void> {
  const assignments = Object.entries(change).map(([name, value]) =>
    name.startsWith('fields_') || name === 'description'
      ? sql`${sql.id(name)} = ${JSON.stringify(value)}`
      : sql`${sql.id(name)} = ${value}`,
  );
  await execute(
    db,
    sql`update collection set ${sql.join(assignments)} where collection_id = ${collectionId}`,
  );
}

export async function dropTables(db: Db, collectionId: number): Promise<void> {
  const tables = [tableOf, pendingTableOf, stagingTableOf].map((nameOf) => nameOf(collectionId));
  await execute(db, sql`drop table if exists ${sql.join(tables)}`);
}

const keptAfterDisabling = 7;

/**
 * What was read of companies that were switched off a week ago goes (decisions Q-DOM-05). Pending changes stay, with the
 * records that they are of; whoever switches the company on again gets all of it read anew.
 */
export async function dropDisabled(db: Db): Promise<void> {
  const disabled = await rows<{ collection_id: number }>(
    db,
    sql`select c.collection_id from collection c join domain_company dc using (domain_id, company_id)
        where not dc.is_active and dc.disabled_at < now() - make_interval(days => ${keptAfterDisabling})
          and c.schema_version > 0`,
  );
  for (const { collection_id: id } of disabled) {
    await execute(db, sql`drop table if exists ${stagingTableOf(id)}`);
    const gone = await execute(db, sql`delete from ${tableOf(id)} where not p`);
    if (gone === 0) continue;
    await execute(
      db,
      sql`update collection set row_count = (select count(*) from ${tableOf(id)}), full_at = null, refresh_id = null,
            refresh_cursor = null, loaded = 0
          where collection_id = ${id}`,
    );
  }
}

export async function dropCollections(db: Db, domainId: string): Promise<void> {
  for (const { collection_id: id } of await listCollections(db, domainId)) {
    await dropTables(db, id);
    await execute(db, sql`delete from push where collection_id = ${id}`);
  }
  await execute(db, sql`delete from collection where domain_id = ${domainId}`);
}

export async function countPendingOfDomain(db: Db, domainId: string): Promise<number> {
  let total = 0;
  for (const { collection_id: id, schema_version: version } of await listCollections(db, domainId)) {
    // Never described: it has no tables yet.
    if (version === 0) continue;
    total += await countPending(db, id);
  }
  return total;
}

/** Every table of a domain that is in use, and how far its reading is. */
export async function readingOfDomain(db: Db, domainId: string): Promise<TableReading[]> {
  return await rows(
    db,
    sql`select c.company_id, c.resource_type_uri_id as uri_id, c.attribute_id, c.loaded, c.expected, c.message,
          c.refresh_id is not null as is_reading,
          c.refresh_id is null and c.message is null
            and (c.wanted_at is not null or c.refreshed_at is null) as is_waiting
        from collection c
        left join domain_company dc on dc.domain_id = c.domain_id and dc.company_id = c.company_id
        where c.domain_id = ${domainId} and (c.company_id = '' or dc.is_active)
        order by c.collection_id`,
  );
}

/** Tables, records and records with pending changes of each company of a domain. */
export async function contentsOfCompanies(db: Db, domainId: string): Promise<CompanyContent[]> {
  const contents = new Map<string, CompanyContent>();
  for (const collection of await listCollections(db, domainId)) {
    const { company_id: internalId, collection_id: id } = collection;
    if (internalId === '') continue;
    const content = contents.get(internalId) ?? { internalId, tables: 0, records: 0, pending: 0 };
    contents.set(internalId, content);
    content.tables += 1;
    content.records += collection.row_count;
    if (collection.schema_version > 0) content.pending += await countPending(db, id);
  }
  return [...contents.values()];
}

async function countPending(db: Db, collectionId: number): Promise<number> {
  const counted = await row<{ n: number }>(
    db,
    sql`select count(*)::int as n from ${pendingTableOf(collectionId)}`,
  );
  return counted?.n ?? 0;
}

export async function savePoisoned(
  db: Db,
  collectionId: number,
  poisoned: readonly { key: string; message: string }[],
): Promise<void> {
  if (poisoned.length === 0) return;
  await execute(
    db,
    sql`insert into poisoned_record (collection_id, key, message)
        select ${collectionId}, * from unnest(${poisoned.map((p) => p.key)}::text[], ${poisoned.map((p) => p.message)}::text[])
        on conflict (collection_id, key) do update set message = excluded.message, at = now()`,
  );
}

export async function clearPoisoned(db: Db, collectionId: number, before: string): Promise<void> {
  await execute(
    db,
    sql`delete from poisoned_record where collection_id = ${collectionId} and at < ${before}`,
  );
}
