import type { FieldDescriptor, Locale } from '@sluice/contract';
import { leafFields } from '@sluice/mapping';
import { checkMappings, compileTrigger, type MappingProblem, problemText } from '@sluice/mapping/engine';
import { describeWired, type End, type Wired, wiredOf } from '../ends.ts';
import type { ConnectorServices } from '../service.ts';
import type { Running } from './page.ts';
import { RunStopped } from './stopped.ts';

type Fitting = Omit<Running, 'context'>;

const locales = ['EN', 'NL'] as const satisfies readonly Locale[];

/** As many problems are told at once; the rest shows when these are mended. */
const mostTold = 5;

/**
 * Stops a run before anything is read where its mappings or conditions name what the systems do not have any more, or
 * have in another type: read without it, every record would look changed, and its field would be emptied.
 */
export async function requireFit(services: ConnectorServices, running: Fitting, end: End): Promise<void> {
  const { actor, content, target, connector, triggers } = running;
  const sources: { optionId: string; name: string; fields: FieldDescriptor[] }[] = [];
  for (const { optionId } of content.wiring.sources) {
    const wired = wiredOf(services, actor, end, optionId);
    const { fields } = await describeWired(services, wired, actor.locale, 'now');
    sources.push({ optionId, name: wired.option.name, fields });
  }
  const targetFields = await liveFields(services, running);
  const zone = services.timeZone;
  const problems = checkMappings({ mappings: content.mappings, sources, targetFields, zone });
  for (const [index, trigger] of triggers.entries()) {
    const found = sources.map(({ fields }) => compileTrigger(trigger, fields, zone, `triggers[${index}]`));
    // Several sources may have different fields: a trigger must fit one of them.
    if (found.every((own) => own.problems.length > 0)) problems.push(...(found[0]?.problems ?? []));
  }
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const names = Object.fromEntries(
    locales.map((locale) => [
      locale,
      new Map(leafFields(target.model.fields[locale]).map(({ id, name }) => [id, name])),
    ]),
  ) as Record<Locale, Map<string, string>>;
  const inWords = (locale: Locale): string =>
    errors
      .slice(0, mostTold)
      .map((problem) => `${placeOf(problem, running, names[locale])}: ${problemText(problem, locale)}.`)
      .join(' ');
  services.log.warn('The mappings of an action do not fit any more', {
    connectorId: connector.connector_id,
    problems: errors.map(({ path, code }) => `${path} ${code}`),
  });
  throw new RunStopped('drift', errors.length, {
    key: 'run.message.drift',
    params: { problems: { EN: inWords('EN'), NL: inWords('NL') } },
  });
}

/** The target's fields as its system describes them now; where it cannot be asked, as they were read last. */
async function liveFields(
  services: ConnectorServices,
  { actor, content, target, targetEnd }: Fitting,
): Promise<readonly FieldDescriptor[]> {
  const wired: Wired = wiredOf(services, actor, targetEnd, content.wiring.targets[0]?.optionId ?? '');
  try {
    return (await describeWired(services, wired, actor.locale, 'now')).fields;
  } catch {
    return target.model.fields[actor.locale];
  }
}

/** The mapping or the trigger that a problem is of, by the name that the editor shows. */
function placeOf(
  { path }: MappingProblem,
  { content, triggers }: Fitting,
  names: ReadonlyMap<string, string>,
): string {
  const [, kind, index] = /^(mappings|triggers)\[(\d+)\]/.exec(path) ?? [];
  if (kind === 'triggers') return triggers[Number(index)]?.name ?? path;
  const field = content.mappings[Number(index)]?.targetField ?? path;
  return names.get(field) ?? field;
}
