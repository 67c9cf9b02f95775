import { type Db, execute, rows, sql } from '../../../platform/db.ts';
import { type Loop, startLoop } from '../../../platform/loop.ts';
import { messageOf } from './finish.ts';
import { requireAction } from '../actions.ts';
import { nextRunOf } from '../schedule.ts';
import { type ConnectorServices, requireConnector } from '../service.ts';
import { startScheduledRun } from './service.ts';
import { technicalActor } from './subject.ts';

interface Due {
  action_id: string;
  connector_id: string;
}

/** A run that was missed while nothing ran is due still, once (decisions Q-CONN-03). */
async function listDue(db: Db, now: Date, limit: number): Promise<Due[]> {
  return await rows(
    db,
    sql`select action_id, connector_id from action a
        where is_active and next_run_at <= ${now} and jsonb_array_length(triggers) > 0
          and not exists (select 1 from run r where r.action_id = a.action_id and r.finished_at is null)
        order by next_run_at limit ${limit}`,
  );
}

/** Begins what the schedules want. An action without a trigger never runs by itself (decisions Q-TRIG-01). */
export function startScheduler(services: ConnectorServices): Loop {
  return startLoop({
    name: 'Schedule',
    everyMs: 5000,
    concurrency: 2,
    log: services.log,
    find: async (limit) => await listDue(services.pool, services.now(), limit),
    keyOf: ({ action_id }) => action_id,
    run: async (due) => await begin(services, due),
  });
}

async function begin(services: ConnectorServices, { connector_id, action_id }: Due): Promise<void> {
  const { pool } = services;
  const connector = await requireConnector(pool, connector_id);
  const action = await requireAction(pool, connector_id, action_id);
  const actor = await technicalActor(pool, connector);
  // Before it begins: a run that halts leaves none.
  const next = await nextRunOf(services, pool, { action, connector });
  await execute(pool, sql`update action set next_run_at = ${next} where action_id = ${action_id}`);
  try {
    await startScheduledRun(services, actor, { connector, action });
  } catch (error) {
    // A target that is not loaded yet, an end that is gone: said on the action, tried again at its next time.
    await execute(
      pool,
      sql`update action set problem = 'ERROR_OTHER', problem_message = ${JSON.stringify(messageOf(error))},
            last_run_at = now() where action_id = ${action_id}`,
    );
    services.log.warn('A scheduled run could not begin', { actionId: action_id, error });
  }
  await services.wakeWorkers();
}
