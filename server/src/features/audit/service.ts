import type { AuditArea, AuditEntry } from '@sluice/contract';
import { hasRight, type UserActor } from '../../platform/actor.ts';
import type { Pool } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { namesOf } from './names.ts';
import * as store from './store.ts';

export interface AuditServices {
  pool: Pool;
  timeZone: string;
}

const maxLimit = 1000;
const maxExported = 100_000;

const areaOf = (verb: string): AuditArea => {
  const [first = ''] = verb.split('.');
  const found = Object.entries(store.verbsOf).find(([, verbs]) => verbs.includes(first));
  return (found?.[0] as AuditArea | undefined) ?? 'other';
};

/** Of what is gone: the name that the entry itself has. */
const nameThen = ({ details, target }: store.AuditRow): string | null =>
  ['name', 'fullName', 'username'].map((key) => details[key]).find((name) => typeof name === 'string') ??
  /^user:(?![0-9a-f]{8}-)(.+)/.exec(target ?? '')?.[1] ??
  null;

const entryOf = (row: store.AuditRow, names: ReadonlyMap<string, string>): AuditEntry => ({
  seq: row.seq,
  at: row.at,
  actorName: row.actor_name,
  actorId: row.actor_id,
  area: areaOf(row.verb),
  verb: row.verb,
  target: row.target,
  targetName: names.get(row.target ?? '') ?? nameThen(row),
  details: row.details,
});

function requireRight(actor: UserActor): void {
  if (!hasRight(actor, { endpoint: 'audit', action: 'read' })) throw new AppError('FORBIDDEN');
}

export async function listAudit(
  { pool, timeZone }: AuditServices,
  actor: UserActor,
  query: store.AuditFilter & { limit?: number | undefined; offset?: number | undefined },
): Promise<{ resources: AuditEntry[]; offset: number; maxLimit: number; total: number }> {
  requireRight(actor);
  if (query.limit === -1)
    throw new AppError('MALFORMED', { text: { key: 'error.MALFORMED', params: { reason: 'limit' } } });
  const page = { limit: Math.min(query.limit ?? 100, maxLimit), offset: query.offset ?? 0 };
  const [found, total] = await Promise.all([
    store.listAudit(pool, query, timeZone, page),
    store.countAudit(pool, query, timeZone),
  ]);
  const targets = found.flatMap(({ target }) => target ?? []);
  const names = await namesOf(pool, targets, actor.locale);
  return { resources: found.map((row) => entryOf(row, names)), offset: page.offset, maxLimit, total };
}

/** A cell that a spreadsheet would take for a formula is quoted: what people typed must not run there. */
function cell(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export async function exportAudit(
  { pool, timeZone }: AuditServices,
  actor: UserActor,
  filter: store.AuditFilter,
): Promise<string> {
  requireRight(actor);
  const found = await store.listAudit(pool, filter, timeZone, { limit: maxExported, offset: 0 });
  const lines = found.map((row) =>
    [
      String(row.seq),
      row.at,
      row.actor_name,
      row.actor_id ?? '',
      areaOf(row.verb),
      row.verb,
      row.target ?? '',
      JSON.stringify(row.details),
    ]
      .map(cell)
      .join(','),
  );
  return `${['number,at,actor,actorId,area,verb,target,details', ...lines].join('\r\n')}\r\n`;
}
