import type { AuditArea } from '@sluice/contract';
import { type Db, row, rows, type Sql, sql } from '../../platform/db.ts';

/** First words of the verbs of an area; what is in none of them is `other`. */
export const verbsOf: Record<Exclude<AuditArea, 'other'>, readonly string[]> = {
  signIn: ['session'],
  people: ['user', 'role'],
  systems: ['system', 'domain', 'companies'],
  connectors: ['connector', 'action', 'run'],
  records: ['records', 'push', 'edit', 'bulk', 'view', 'documentation'],
};

export interface AuditFilter {
  dateFrom?: string | undefined;
  dateTo?: string | undefined;
  area?: AuditArea | undefined;
  search?: string | undefined;
}

export interface AuditRow {
  seq: number;
  at: string;
  actor_name: string;
  actor_id: string | null;
  verb: string;
  target: string | null;
  details: Record<string, unknown>;
}

function conditions(filter: AuditFilter, timeZone: string): Sql {
  const first = sql`split_part(a.verb, '.', 1)`;
  const like = `%${(filter.search ?? '').replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const known = Object.values(verbsOf).flat();
  const parts: Sql[] = [
    filter.dateFrom ? sql`a.at >= (${filter.dateFrom}::date)::timestamp at time zone ${timeZone}` : sql`true`,
    filter.dateTo ? sql`a.at < (${filter.dateTo}::date + 1)::timestamp at time zone ${timeZone}` : sql`true`,
    filter.area === undefined
      ? sql`true`
      : filter.area === 'other'
        ? sql`${first} <> all(${known}::text[])`
        : sql`${first} = any(${verbsOf[filter.area]}::text[])`,
    filter.search
      ? sql`(a.actor_name ilike ${like} or a.verb ilike ${like} or a.target ilike ${like} or a.details::text ilike ${like})`
      : sql`true`,
  ];
  return sql.join(parts, sql` and `);
}

export async function listAudit(
  db: Db,
  filter: AuditFilter,
  timeZone: string,
  page: { limit: number; offset: number },
): Promise<AuditRow[]> {
  return await rows(
    db,
    sql`select a.seq, a.at, a.actor_name, u.internal_id as actor_id, a.verb, a.target, a.details
        from audit a left join app_user u on u.user_id = a.actor_user_id
        where ${conditions(filter, timeZone)} order by a.seq desc limit ${page.limit} offset ${page.offset}`,
  );
}

export async function countAudit(db: Db, filter: AuditFilter, timeZone: string): Promise<number> {
  const counted = await row<{ n: number }>(
    db,
    sql`select count(*)::int as n from audit a where ${conditions(filter, timeZone)}`,
  );
  return counted?.n ?? 0;
}

/** A row as the chain reads it: all of it as text. */
export interface ChainRow {
  seq: number;
  at: string;
  micros: string;
  actor_user_id: string | null;
  actor_name: string;
  verb: string;
  target: string | null;
  details: string;
  hash: Buffer;
}

export async function readChain(db: Db, after: number, limit: number): Promise<ChainRow[]> {
  return await rows(
    db,
    sql`select seq, at, (extract(epoch from at) * 1000000)::bigint::text as micros, actor_user_id::text, actor_name, verb,
          target, details::text, hash
        from audit where seq > ${after} order by seq limit ${limit}`,
  );
}

export async function readHead(db: Db): Promise<{ seq: number; hash: Buffer } | null> {
  return await row(db, sql`select seq, hash from audit_head`);
}
