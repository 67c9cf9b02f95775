import { type CollectionDescription, ExternalSystemError, type Session } from '@sluice/adapter-kit';
import type {
  EndMetadata,
  FieldDescriptor,
  FieldPath,
  Locale,
  SystemEnd,
  WiringOption,
} from '@sluice/contract';
import { leafFields } from '@sluice/mapping';
import { type Actor, hasRight, maySeeLevel } from '../../platform/actor.ts';
import { AppError } from '../../platform/errors.ts';
import { text } from '../../platform/texts.ts';
import { capitalise } from '../menu/service.ts';
import type { ContextServices } from '../records/context.ts';
import {
  type CatalogueDomain,
  type CatalogueSystem,
  companyOptionId,
  dataEndpoint,
  dataPathOf,
  titleOf,
} from '../systems/catalogue.ts';
import type { CompanyRow, ResourceTypeRow } from '../systems/store.ts';

const describeMs = 30_000;

/** One end of a connector as it is now. */
export interface End {
  system: CatalogueSystem;
  domain: CatalogueDomain;
  company: (CompanyRow & { uriAcronym: string }) | null;
}

/** The end, or in words what of it is missing (CONN-15: the text names the id). */
export async function resolveEnd(
  { catalogue }: ContextServices,
  actor: Actor,
  end: SystemEnd,
): Promise<End | { problem: string }> {
  const missing = (key: string, id: string, system = ''): { problem: string } => ({
    problem: text(actor.locale, key, { id, system }),
  });
  const system = (await catalogue.systems()).find(
    ({ system_id, url }) => system_id === end.id || url === end.id,
  );
  if (!system || !maySeeLevel(actor, system.system_id, null))
    return missing('connector.missingSystem', end.id);
  const [domainId = '', companyId] = end.levelIds;
  const domain = system.domains.find(({ domain_id }) => domain_id === domainId);
  if (!domain || !maySeeLevel(actor, system.system_id, domainId))
    return missing('connector.missingLevel', domainId, system.name);
  if (companyId === undefined) return { system, domain, company: null };
  const company = domain.companies.find((own) => own.is_active && companyOptionId(own) === companyId);
  if (!company || !maySeeLevel(actor, system.system_id, companyId))
    return missing('connector.missingLevel', companyId, system.name);
  return { system, domain, company };
}

export async function requireEnd(services: ContextServices, actor: Actor, end: SystemEnd): Promise<End> {
  const found = await resolveEnd(services, actor, end);
  if ('problem' in found)
    throw new AppError('NOT_FOUND', {
      text: { key: 'connector.missing', params: { problem: found.problem } },
    });
  return found;
}

export const nameOfEnd = ({ system, domain, company }: End): string =>
  [system.name, domain.name, ...(company ? [company.name] : [])].join(' / ');

/** Collections at the end's levels that the actor may read; those of attributes are read per attribute and not offered. */
export function optionsOf(services: ContextServices, actor: Actor, end: End): WiringOption[] {
  const levels = end.company ? 2 : 1;
  return end.domain.resourceTypes
    .filter(
      (type) =>
        !type.has_attribute &&
        type.number_of_levels <= levels &&
        hasRight(actor, { endpoint: dataEndpoint(end.system.system_id, type.uri_id), action: 'read' }),
    )
    .map((type) => optionOf(services, end, type, actor.locale))
    .sort((a, b) => a.name.localeCompare(b.name, actor.locale.toLowerCase()));
}

export const nameOfType = (type: ResourceTypeRow, locale: Locale): string =>
  capitalise(titleOf(type, locale), locale);

function optionOf(services: ContextServices, end: End, type: ResourceTypeRow, locale: Locale): WiringOption {
  return {
    id: type.uri_id,
    name: nameOfType(type, locale),
    path: dataPathOf(services.connections, { ...end, type }),
    resourceTypeUriId: type.uri_id,
  };
}

/** The collection that an option means, as it is now. */
export interface Wired {
  end: End;
  type: ResourceTypeRow;
  option: WiringOption;
}

export function wiredOf(services: ContextServices, actor: Actor, end: End, optionId: string): Wired {
  const type = end.domain.resourceTypes.find(({ uri_id }) => uri_id === optionId);
  if (!type || (type.number_of_levels > 1 && !end.company))
    throw new AppError('NOT_FOUND', {
      text: { key: 'connector.missingOption', params: { id: optionId, system: end.system.name } },
    });
  return { end, type, option: optionOf(services, end, type, actor.locale) };
}

/** What every call about a collection says. */
export function callOf(
  { end, type }: Wired,
  locale: Locale,
  callClass: 'interactive' | 'cache' = 'interactive',
) {
  return {
    levels: type.number_of_levels > 1 && end.company ? [end.company.company_id] : [],
    locale,
    callClass,
    signal: AbortSignal.timeout(describeMs),
  };
}

const described = new WeakMap<
  Session,
  Map<string, { at: number; description: Promise<CollectionDescription> }>
>();
const describedForMs = 60_000;

/** The collection's fields as its system describes them; asked for once a minute, or `now`. */
export async function describeWired(
  { connections }: ContextServices,
  wired: Wired,
  locale: Locale,
  when: 'now' | 'lately' = 'lately',
): Promise<CollectionDescription> {
  const session = await connections.of(wired.end.domain.domain_id);
  const known =
    described.get(session) ?? new Map<string, { at: number; description: Promise<CollectionDescription> }>();
  described.set(session, known);
  const call = callOf(wired, locale);
  const id = JSON.stringify([wired.type.code, call.levels, locale]);
  const last = known.get(id);
  if (when === 'lately' && last && performance.now() - last.at < describedForMs)
    return await last.description;
  const description = session.describe(wired.type.code, call);
  known.set(id, { at: performance.now(), description });
  description.catch(() => known.delete(id));
  return await description;
}

/** Fields that can be mapped: leaves and arrays, with the group of decisions Q-MAP-08. */
export function fieldPathsOf(fields: readonly FieldDescriptor[]): FieldPath[] {
  return leafFields(fields).map((field) => ({ ...field, path: field.id, group: groupOf(field) }));
}

function groupOf(field: FieldDescriptor): FieldPath['group'] {
  if (field.isHidden || field.isReadOnly) return 'hidden';
  return field.isMandatory && !field.hasServerDefault ? 'mandatory' : 'optional';
}

/** What the editor needs of one wired collection; an end that cannot be asked says why instead of failing the screen. */
export async function metadataOfEnd(
  services: ContextServices,
  actor: Actor,
  end: SystemEnd,
  optionId: string,
): Promise<EndMetadata> {
  const failed = (problem: string): EndMetadata => ({
    option: { id: optionId, name: optionId, path: '', resourceTypeUriId: optionId },
    fields: [],
    keyFields: [],
    labelField: null,
    problem,
    isWritable: false,
  });
  const found = await resolveEnd(services, actor, end);
  if ('problem' in found) return failed(found.problem);
  try {
    const wired = wiredOf(services, actor, found, optionId);
    const description = await describeWired(services, wired, actor.locale);
    return {
      option: wired.option,
      fields: fieldPathsOf(description.fields),
      keyFields: description.keyFields,
      labelField: description.labelField,
      problem: null,
      isWritable: description.rights.update,
    };
  } catch (error) {
    if (error instanceof AppError && error.text)
      return failed(text(actor.locale, error.text.key, error.text.params));
    if (error instanceof ExternalSystemError) return failed(error.message);
    throw error;
  }
}
