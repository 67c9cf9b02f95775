import type { RunFacts } from '@sluice/contract';
import type { UserActor } from '../../../platform/actor.ts';
import { type Db, row, sql } from '../../../platform/db.ts';
import { type End, nameOfEnd, nameOfType, resolveEnd, type Wired } from '../ends.ts';
import type { ConnectorServices } from '../service.ts';
import type { ActionRow, ConnectorRow } from '../store.ts';
import type { RunRow } from './run-store.ts';

/** The run that the facts are of; one that never is has no id. */
type FactsRun = Pick<RunRow, 'number' | 'user_id' | 'started_at' | 'created_at'> & {
  run_id: string | null;
  kind: NonNullable<RunFacts['runKind']>;
};

/** Whoever starts or tries a run: its values are the same. */
const language = 'EN';

const levelsOf = ({ domain, company }: End): NonNullable<RunFacts['targetLevels']> =>
  [domain, ...(company ? [company] : [])].map(({ name, acronym }) => ({ name, acronym }));

/**
 * What the macros say: for runs, test runs, dry counts, previews and source updates alike. Null: the run is not known
 * any more.
 */
export async function factsOf(
  services: ConnectorServices,
  actor: UserActor,
  { connector, action }: { connector: ConnectorRow; action: ActionRow },
  run: FactsRun | null,
  source: Pick<Wired, 'end' | 'type'>,
): Promise<RunFacts> {
  // Outcomes are written back also where the target is not there any more.
  const target = await resolveEnd(services, actor, connector.target_system);
  return {
    now: (run ? new Date(run.started_at ?? run.created_at) : services.now()).toISOString(),
    zone: services.timeZone,
    language,
    ...(run ? await factsOfRun(services.pool, run) : {}),
    connectorId: connector.connector_id,
    connectorName: connector.name,
    actionId: action.action_id,
    actionName: action.name,
    ...(action.last_good_run_at === null
      ? {}
      : { previousRunAt: new Date(action.last_good_run_at).toISOString() }),
    sourceSystem: nameOfEnd(source.end),
    sourceSystemAcronym: source.end.system.acronym,
    sourceCollection: nameOfType(source.type, language),
    sourceLevels: levelsOf(source.end),
    ...('problem' in target ? {} : factsOfTarget(target, action)),
  };
}

async function factsOfRun(db: Db, run: FactsRun): Promise<Partial<RunFacts>> {
  const starter =
    run.user_id === null
      ? null
      : await row<{ full_name: string; email: string | null }>(
          db,
          sql`select full_name, email from app_user where user_id = ${run.user_id} and not is_deleted`,
        );
  return {
    ...(run.run_id === null ? {} : { runId: run.run_id }),
    runNumber: run.number,
    runKind: run.kind,
    runStartedAt: new Date(run.started_at ?? run.created_at).toISOString(),
    ...(starter ? { startedBy: starter.full_name } : {}),
    ...(starter?.email ? { startedByEmail: starter.email } : {}),
  };
}

function factsOfTarget(target: End, { wiring }: ActionRow): Partial<RunFacts> {
  const type = target.domain.resourceTypes.find(({ uri_id }) => uri_id === wiring.targets[0]?.optionId);
  return {
    targetSystem: nameOfEnd(target),
    ...(type ? { targetCollection: nameOfType(type, language) } : {}),
    targetLevels: levelsOf(target),
    environment: target.domain.is_production ? 'production' : 'test',
  };
}

/** A run that never is, of whoever tries it. */
export function testRunOf(action: ActionRow, actor: UserActor, now: Date): FactsRun {
  const at = now.toISOString();
  return {
    run_id: null,
    number: action.run_count + 1,
    kind: 'test',
    user_id: actor.userId,
    started_at: at,
    created_at: at,
  };
}
