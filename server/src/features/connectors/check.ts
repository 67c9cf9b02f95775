import type { FieldError, Mapping, Trigger, Wiring } from '@sluice/contract';
import { checkMappings, compileTrigger, problemText } from '@sluice/mapping/engine';
import type { UserActor } from '../../platform/actor.ts';
import { AppError } from '../../platform/errors.ts';
import { metadataOfEnd } from './ends.ts';
import type { ConnectorServices } from './service.ts';
import type { ConnectorRow } from './store.ts';

/**
 * Refuses mappings and triggers that cannot work, each fault at its path (decisions Q-API-31). An end that cannot be
 * asked now is not looked at: what is wrong there fails each record at its place.
 */
export async function checkContent(
  services: ConnectorServices,
  actor: UserActor,
  connector: ConnectorRow,
  {
    wiring,
    mappings,
    triggers,
  }: { wiring: Wiring; mappings: readonly Mapping[]; triggers: readonly Trigger[] },
): Promise<void> {
  const [wired] = wiring.targets;
  if (!wired) return;
  const target = await metadataOfEnd(services, actor, connector.target_system, wired.optionId);
  const sources = await Promise.all(
    wiring.sources.map(
      async ({ optionId }) => await metadataOfEnd(services, actor, connector.source_system, optionId),
    ),
  );
  if (target.problem !== null || sources.some(({ problem }) => problem !== null)) return;
  const problems = [
    ...checkMappings({
      mappings,
      sources: sources.map(({ option, fields }) => ({ optionId: option.id, name: option.name, fields })),
      targetFields: target.fields,
      zone: services.timeZone,
    }),
    // Several sources may have different fields: a trigger must fit one of them.
    ...triggers.flatMap((trigger, index) => {
      const found = sources.map(
        ({ fields }) => compileTrigger(trigger, fields, services.timeZone, `triggers[${index}]`).problems,
      );
      return found.some((own) => own.length === 0) ? [] : (found[0] ?? []);
    }),
  ];
  const faults = problems
    .filter(({ severity }) => severity === 'error')
    .map((problem): Omit<FieldError, 'message'> => ({
      field: problem.path,
      code: null,
      params: { ...problem.params, reason: problemText(problem, actor.locale) },
    }));
  if (faults.length > 0) throw new AppError('VALIDATION', { fields: faults.slice(0, 100) });
}
