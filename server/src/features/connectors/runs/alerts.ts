import { randomUUID } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { Alerts, Formats, Locale } from '@sluice/contract';
import { formatFullDate, fromUtc } from '@sluice/mapping';
import { type Db, execute, rows, type Sql, sql } from '../../../platform/db.ts';
import { type Loop, startLoop } from '../../../platform/loop.ts';
import type { Mailer } from '../../../platform/mail.ts';
import { record } from '../../../platform/mutate.ts';
import { inWords, sendNotification, type StoredText } from '../../notifications/service.ts';
import { readPreferences } from '../../preferences/service.ts';
import { usersWithRight } from '../../sessions/rights.ts';
import { guardedLookup } from '../../systems/connections.ts';
import { reasonOf } from './finish.ts';
import { connectorEndpoint, type ConnectorServices } from '../service.ts';

export interface AlertServices extends ConnectorServices {
  mailer: Mailer | null;
  publicUrl: string | null;
  allowPrivateAddresses: boolean;
}

/** A run that has not stored anything for so long is stuck; a time that passed so long ago was missed. */
const stuckMs = 15 * 60_000;
const missedMs = 10 * 60_000;
/** Failed source updates are told when no more of them are under way, but no later than this. */
const gatheringMs = 5 * 60_000;
/** What fails again as it did when it was told, and no more of it, is told anew only after so long. */
const reminderMs = 24 * 60 * 60_000;
const deliveryMs = 20_000;

interface Alert {
  kind: 'failed' | 'stuck' | 'missed' | 'writeBack';
  action_id: string;
  action_name: string;
  connector_id: string;
  connector_name: string;
  alerts: Alerts;
  run_id: string | null;
  message: StoredText | null;
  failed: number;
  since: string;
  /** Of source updates: what is wrong with all of them. */
  sort: string | null;
  /** When the same was told of an earlier run, with none in between that went well: it is no news yet. */
  told_at: string | null;
}

/**
 * Tells people when something needs one: a run that ended badly, that stands still, that did not happen, or whose outcomes
 * could not be written back to the source.
 */
export function startAlerts(services: AlertServices): Loop {
  return startLoop({
    name: 'Alerts',
    everyMs: 10_000,
    concurrency: 1,
    log: services.log,
    find: async () => ((await listAlerts(services.pool, services.now())).length > 0 ? ['alerts'] : []),
    keyOf: (task) => task,
    run: async () => {
      for (const alert of await listAlerts(services.pool, services.now())) await tell(services, alert);
    },
  });
}

const about = sql`a.action_id, a.name as action_name, c.connector_id, c.name as connector_name, c.alerts`;

async function listAlerts(db: Db, now: Date): Promise<Alert[]> {
  const stuckBefore = new Date(now.getTime() - stuckMs);
  const missedBefore = new Date(now.getTime() - missedMs);
  const gatheredBefore = new Date(now.getTime() - gatheringMs);
  const toldAfter = new Date(now.getTime() - reminderMs);
  return await rows(
    db,
    sql`select 'failed' as kind, ${about}, r.run_id, r.message, r.failed, r.finished_at as since, null as sort,
          (select max(t.alerted_at) from run t
            where t.action_id = r.action_id and t.number < r.number and t.kind = 'scheduled'
              and t.alerted_at > ${toldAfter} and t.alerted_at >= t.finished_at
              and t.status = r.status and t.message is not distinct from r.message and t.failed >= r.failed
              and not exists (select 1 from run w where w.action_id = r.action_id and w.number between t.number and r.number
                and w.kind = 'scheduled' and w.status = 'DONE')) as told_at
        from run r join action a using (action_id) join connector c using (connector_id)
        where r.alerted_at is null and r.status in ('FAILED', 'PARTIALLY_FAILED') and (r.failed > 0 or r.message is not null)
          and r.kind = 'scheduled' and r.finished_at is not null
        union all
        select 'stuck', ${about}, r.run_id, null, 0, coalesce(r.beat_at, r.created_at), null, null
        from run r join action a using (action_id) join connector c using (connector_id)
        where r.alerted_at is null and r.finished_at is null and coalesce(r.beat_at, r.created_at) < ${stuckBefore}
        union all
        select 'missed', ${about}, null, null, 0, a.next_run_at, null, null
        from action a join connector c using (connector_id)
        where a.is_active and a.next_run_at < ${missedBefore} and a.missed_at is distinct from a.next_run_at
          and jsonb_array_length(a.triggers) > 0
        union all
        select 'writeBack', ${about}, u.run_id, u.message, u.failed, u.since, u.sort, null
        from (select action_id, sort, (array_agg(run_id order by source_update_id desc))[1] as run_id, count(*)::int as failed,
                (array_agg(message order by source_update_id desc))[1] as message, min(next_at) as since
              from source_update where state = 'failed' and alerted_at is null group by action_id, sort) u
          join action a using (action_id) join connector c using (connector_id)
        where (u.since < ${gatheredBefore} or not exists (select 1 from source_update w
              where w.action_id = u.action_id and w.state = 'waiting' and w.next_at <= ${now}))
          and not exists (select 1 from source_update t where t.action_id = u.action_id and t.sort = u.sort
              and t.state <> 'done' and t.alerted_at > ${toldAfter})
        limit 100`,
  );
}

async function tell(services: AlertServices, alert: Alert): Promise<void> {
  const path = `/connectors/${alert.connector_id}/actions${alert.run_id === null ? '' : `?run=${alert.run_id}`}`;
  const isNews = await record(services.pool, async (tx) => {
    // Of several workers one tells.
    const marked = await execute(tx, markOf(alert, services.now()));
    if (marked === 0 || alert.told_at !== null) return false;
    for (const userId of await usersWithRight(tx, connectorEndpoint, 'update')) {
      const { options } = await readPreferences(tx, userId);
      await sendNotification(tx, userId, {
        id: randomUUID(),
        kind: 'runFailed',
        class: alert.kind === 'failed' || alert.kind === 'writeBack' ? 'error' : 'warning',
        title: { key: 'run.message.plain', params: { reason: alert.connector_name } },
        message: textOf(alert, services.timeZone, options.formats.fullDate),
        url: path,
      });
    }
    return true;
  });
  if (!isNews) return;
  const text = textOf(alert, services.timeZone, 'medium');
  const words = inWords('EN', text) ?? '';
  const url = (services.publicUrl ?? '') + path;
  const { emails, webhookUrl } = alert.alerts;
  await attempt(services, 'mail', async () => {
    if (emails.length > 0 && services.mailer)
      await services.mailer.send({
        to: emails,
        subject: `${alert.connector_name}: ${alert.action_name}`,
        text: `${words}\n\n${inWords('NL', text) ?? ''}\n\n${url}\n`,
      });
  });
  await attempt(services, 'webhook', async () => {
    if (webhookUrl !== null)
      await post(services, webhookUrl, {
        kind: alert.kind,
        connector: { id: alert.connector_id, name: alert.connector_name },
        action: { id: alert.action_id, name: alert.action_name },
        runId: alert.run_id,
        message: words,
        at: alert.since,
        url,
      });
  });
}

/**
 * What was told is marked, so that it is told once. A repetition gets the time of what it repeats: before its own end,
 * as a run that was told of as stuck has, so that neither counts as told of its failure.
 */
function markOf({ kind, action_id: actionId, run_id: runId, sort, told_at: toldAt }: Alert, now: Date): Sql {
  switch (kind) {
    case 'missed':
      return sql`update action set missed_at = next_run_at where action_id = ${actionId} and missed_at is distinct from next_run_at`;
    case 'writeBack':
      return sql`update source_update set alerted_at = ${now} where action_id = ${actionId} and sort = ${sort} and state = 'failed' and alerted_at is null`;
    default:
      return sql`update run set alerted_at = ${toldAt ?? now} where run_id = ${runId} and alerted_at is null`;
  }
}

/** Times are said as the reader writes dates, in the organisation's zone. */
function textOf(alert: Alert, zone: string, format: Formats['fullDate']): StoredText {
  const { kind, action_name: action, message, failed: count } = alert;
  const noReason = { key: 'run.message.noReason' };
  if (kind === 'failed')
    return { key: 'alert.failed', params: { action, reason: reasonOf(message, count) ?? noReason } };
  if (kind === 'writeBack')
    return { key: 'alert.writeBack', params: { action, count, reason: message ?? noReason } };
  const local = fromUtc(alert.since, zone);
  const inLanguage = (locale: Locale): string =>
    local ? `${formatFullDate(local.date, format, locale)} ${local.time.slice(0, 5)}` : alert.since;
  const since = { EN: inLanguage('EN'), NL: inLanguage('NL') };
  return { key: kind === 'stuck' ? 'alert.stuck' : 'alert.missed', params: { action, since } };
}

/** Three times, a little later each time: an alert that nobody gets is worse than a late one. */
async function attempt(services: AlertServices, way: string, deliver: () => Promise<void>): Promise<void> {
  for (let turn = 1; ; turn += 1) {
    try {
      await deliver();
      return;
    } catch (error) {
      services.log.warn(`An alert could not be sent by ${way}`, { turn, error });
      if (turn === 3) return;
      await new Promise((resolve) => setTimeout(resolve, turn * 2000));
    }
  }
}

/** Posts JSON; addresses are guarded as those of external systems are. */
async function post(services: AlertServices, address: string, body: object): Promise<void> {
  const { request } = address.startsWith('https:') ? https : http;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const call = request(
    address,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      lookup: guardedLookup(services.allowPrivateAddresses),
      signal: AbortSignal.timeout(deliveryMs),
    },
    (answer) => {
      answer.resume();
      if ((answer.statusCode ?? 500) < 300) resolve();
      else reject(new Error(`the webhook answered ${answer.statusCode ?? 0}`));
    },
  );
  call.on('error', reject);
  call.end(JSON.stringify(body));
  await promise;
}
