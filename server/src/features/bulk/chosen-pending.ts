import type { BodyOf, getChosenPending as getChosenPendingEndpoint, ReplyOf } from '@sluice/contract';
import type { UserActor } from '../../platform/actor.ts';
import { rows, sql } from '../../platform/db.ts';
import { pendingTableOf } from '../cache/model.ts';
import { openCached } from '../records/context.ts';
import { chooseRows } from './chosen.ts';
import type { BulkServices } from './service.ts';

const ROWS_AT_A_TIME = 50_000;

/** Those of the chosen records that have a pending operation, in the order in which they were chosen. */
export async function getChosenPending(
  services: BulkServices,
  actor: UserActor,
  path: string,
  body: BodyOf<typeof getChosenPendingEndpoint>,
): Promise<ReplyOf<typeof getChosenPendingEndpoint>> {
  const { model } = await openCached(services, actor, path);
  const chosen = chooseRows(services.snapshots, model, body.rows);
  const found = await rows<{ rid: number }>(
    services.pool,
    sql`select rid from ${pendingTableOf(model.collectionId)}`,
  );
  const pending = new Set(found.map(({ rid }) => rid));
  const ids: string[] = [];
  for (let from = 0; from < chosen.total; from += ROWS_AT_A_TIME)
    for (const rid of chosen.part(from, ROWS_AT_A_TIME)) if (pending.has(rid)) ids.push(String(rid));
  return { ids };
}
