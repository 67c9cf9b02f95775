import type { getLinks as linksEndpoint, ReplyOf } from '@sluice/contract';
import type { UserActor } from '../../platform/actor.ts';
import { row, rows, sql } from '../../platform/db.ts';
import { tableOf } from '../cache/model.ts';
import { labelOf } from '../push/store.ts';
import { openTarget, requireSubject } from './runs/service.ts';
import { type ConnectorServices, requireConnectorRight } from './service.ts';

/** Which source record stands for which target record (decisions Q-CONN-01), by source key. */
export async function listLinkedRecords(
  services: ConnectorServices,
  actor: UserActor,
  connectorId: string,
  actionId: string,
  { limit, offset, search }: { limit: number; offset: number; search: string },
): Promise<ReplyOf<typeof linksEndpoint>> {
  requireConnectorRight(actor, 'read');
  const subject = await requireSubject(services, connectorId, actionId);
  const { model } = await openTarget(services, actor, subject);
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  const where = sql`l.action_id = ${actionId} and l.collection_id = ${model.collectionId}
    and (${search} = '' or l.source_key ilike ${pattern} or t.k ilike ${pattern})`;
  const found = await rows<{
    source: string;
    source_key: string;
    rid: number | null;
    k: string | null;
    label: string | null;
    at: string;
  }>(
    services.pool,
    sql`select l.source_option as source, l.source_key, t.rid, t.k, ${labelOf(model)} as label, l.at
        from link l left join ${tableOf(model.collectionId)} t on t.rid = l.rid
        where ${where} order by l.source_option, l.source_key limit ${limit} offset ${offset}`,
  );
  const counted = await row<{ n: number }>(
    services.pool,
    sql`select count(*)::int as n from link l left join ${tableOf(model.collectionId)} t on t.rid = l.rid where ${where}`,
  );
  return {
    resources: found.map((link) => ({
      source: link.source,
      sourceKey: link.source_key,
      targetId: link.rid === null ? null : String(link.rid),
      targetKey: link.k,
      targetLabel: link.label,
      lastRunAt: link.at,
    })),
    offset,
    maxLimit: 1000,
    total: counted?.n ?? 0,
  };
}
