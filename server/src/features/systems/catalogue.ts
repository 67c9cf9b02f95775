import type { ExternalSystem, Locale, SystemLevelOption } from '@sluice/contract';
import { type Actor, maySeeLevel } from '../../platform/actor.ts';
import type { Pool } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import type { Connections } from './connections.ts';
import { shownStatus } from './domain-state.ts';
import * as store from './store.ts';
import { uriAcronyms } from './uri-acronym.ts';

interface CatalogueCompany extends store.CompanyRow {
  uriAcronym: string;
}
export interface CatalogueDomain extends store.DomainRow {
  uriAcronym: string;
  companies: CatalogueCompany[];
  resourceTypes: store.ResourceTypeRow[];
}
export interface CatalogueSystem extends store.SystemRow {
  domains: CatalogueDomain[];
}

/** Where a data path leads. */
export interface CollectionAddress {
  system: CatalogueSystem;
  domain: CatalogueDomain;
  company: CatalogueCompany | null;
  resourceType: store.ResourceTypeRow;
  attributeId: string;
  /** How many segments of the path name the collection. */
  length: number;
}

/** Systems, domains, companies and their tables, kept in memory until somebody changes them. */
export interface Catalogue {
  systems(): Promise<readonly CatalogueSystem[]>;
  drop(): void;
}

export function createCatalogue(pool: Pool): Catalogue {
  let loaded: Promise<readonly CatalogueSystem[]> | null = null;
  return {
    systems: () => {
      if (!loaded) {
        const loading = load(pool);
        loaded = loading;
        loading.catch(() => {
          if (loaded === loading) loaded = null;
        });
      }
      return loaded;
    },
    drop: () => {
      loaded = null;
    },
  };
}

async function load(pool: Pool): Promise<readonly CatalogueSystem[]> {
  const [systems, domains, companies, types] = await Promise.all([
    store.listSystems(pool),
    store.listDomains(pool),
    store.listCompanies(pool),
    store.listResourceTypes(pool),
  ]);
  return systems.map((system) => {
    const own = domains.filter((domain) => domain.system_id === system.system_id);
    const names = uriAcronyms(own.map((domain) => ({ id: domain.domain_id, acronym: domain.acronym })));
    return {
      ...system,
      domains: own.map((domain) => {
        const ownCompanies = companies.filter((company) => company.domain_id === domain.domain_id);
        const companyNames = uriAcronyms(
          ownCompanies.map((company) => ({ id: company.company_id, acronym: company.acronym })),
        );
        return {
          ...domain,
          uriAcronym: names.get(domain.domain_id) ?? '',
          companies: ownCompanies.map((company) => ({
            ...company,
            uriAcronym: companyNames.get(company.company_id) ?? '',
          })),
          resourceTypes: types.filter((type) => type.domain_id === domain.domain_id),
        };
      }),
    };
  });
}

/** Id of a company's option in the tree of levels: the domain makes the external system's id unique. */
export const companyOptionId = (company: store.CompanyRow): string =>
  `${company.domain_id}.${company.company_id}`;

/** The systems as the selector needs them: only branches that reach full depth and that the actor may see (C-03). */
export function externalSystems(
  systems: readonly CatalogueSystem[],
  connections: Connections,
  actor: Actor,
): ExternalSystem[] {
  return systems
    .filter((system) => maySeeLevel(actor, system.system_id, null))
    .map((system) => ({
      id: system.system_id,
      name: system.name,
      acronym: system.acronym,
      url: system.url,
      systemLevels: (connections.adapters.get(system.kind)?.systemLevels ?? []).map((level) => ({
        uriId: level.uriId,
        nameSingular: level.nameSingular[actor.locale],
        namePlural: level.namePlural[actor.locale],
      })),
      systemLevelOptions: system.domains
        .filter((domain) => maySeeLevel(actor, system.system_id, domain.domain_id))
        .map((domain) => ({
          ...domain,
          companies: domain.companies.filter((company) =>
            maySeeLevel(actor, system.system_id, companyOptionId(company)),
          ),
        }))
        .filter((domain) => isFullDepth(connections, system, domain))
        .map((domain) => domainOption(domain)),
    }))
    .filter((system) => system.systemLevelOptions.length > 0);
}

/** A domain whose kind has companies needs one that is switched on; another one, that its tables are known. */
function isFullDepth(connections: Connections, system: CatalogueSystem, domain: CatalogueDomain): boolean {
  const levels = connections.adapters.get(system.kind)?.systemLevels ?? [];
  return levels.length > 1
    ? domain.companies.some((company) => company.is_active)
    : domain.resource_types_at !== null;
}

function domainOption(domain: CatalogueDomain): SystemLevelOption {
  const common = { isProduction: domain.is_production, status: shownStatus(domain) };
  return {
    ...common,
    internalId: domain.domain_id,
    name: domain.name,
    acronym: domain.acronym,
    uriAcronym: domain.uriAcronym,
    children: domain.companies
      .filter((company) => company.is_active)
      .map((company) => ({
        ...common,
        internalId: companyOptionId(company),
        name: company.name,
        acronym: company.acronym,
        uriAcronym: company.uriAcronym,
        children: [],
      })),
  };
}

const missing = (): never => {
  throw new AppError('NOT_FOUND');
};

/** `{system url}/{level uriId}/{uriAcronym}/…`, decoded segments (decisions Q-SYS-01); `length` says how many they are. */
export async function resolveLevels(
  catalogue: Catalogue,
  connections: Connections,
  segments: readonly string[],
  actor: Actor,
): Promise<Omit<CollectionAddress, 'resourceType' | 'attributeId'>> {
  const [systemPart = ''] = segments;
  const system =
    (await catalogue.systems()).find(
      (candidate) => candidate.url === systemPart || candidate.system_id === systemPart,
    ) ?? missing();
  const levels = connections.adapters.get(system.kind)?.systemLevels ?? [];
  let domain: CatalogueDomain | null = null;
  let company: CatalogueCompany | null = null;
  let length = 1;
  for (const [index, level] of levels.entries()) {
    if (segments[length] !== level.uriId) break;
    const wanted = segments[length + 1] ?? '';
    const isWanted = (option: { uriAcronym: string }): boolean =>
      decodeURIComponent(option.uriAcronym).toLowerCase() === wanted.toLowerCase();
    if (index === 0) domain = system.domains.find(isWanted) ?? missing();
    else
      company =
        domain?.companies.find((candidate) => candidate.is_active && isWanted(candidate)) ?? missing();
    length += 2;
  }
  if (!domain) return missing();
  const levelId = company ? companyOptionId(company) : domain.domain_id;
  if (
    !maySeeLevel(actor, system.system_id, domain.domain_id) ||
    !maySeeLevel(actor, system.system_id, levelId)
  )
    missing();
  return { system, domain, company, length };
}

/** The levels, then `/{resource}[/{attributeId}]`. */
export async function resolveAddress(
  catalogue: Catalogue,
  connections: Connections,
  segments: readonly string[],
  actor: Actor,
): Promise<CollectionAddress> {
  const levels = await resolveLevels(catalogue, connections, segments, actor);
  const types = levels.domain.resourceTypes;
  const resourceType = types.find((type) => type.uri_id === segments[levels.length]) ?? missing();
  if (resourceType.number_of_levels !== (levels.length - 1) / 2) missing();
  const next = segments[levels.length + 1];
  if (!resourceType.has_attribute || next === undefined)
    return { ...levels, resourceType, attributeId: '', length: levels.length + 1 };
  const attributeId = next.startsWith('~') ? next.slice(1) : next;
  return { ...levels, resourceType, attributeId, length: levels.length + 2 };
}

/**
 * How many segments name what a call below `/data` is about: a collection, or for `…/attributes` the levels alone. A
 * system may have a collection of that name too; then the fields that are asked for tell (API-21).
 */
export async function addressLength(
  catalogue: Catalogue,
  connections: Connections,
  segments: readonly string[],
  actor: Actor,
  fields: string | null,
): Promise<number> {
  if (segments.at(-1) === 'attributes') {
    const { domain, length } = await resolveLevels(catalogue, connections, segments, actor);
    const isCollection = domain.resourceTypes.some(({ uri_id }) => uri_id === 'attributes');
    if (length === segments.length - 1 && (!isCollection || fields?.split(',').includes('attributeId')))
      return length;
  }
  return (await resolveAddress(catalogue, connections, segments, actor)).length;
}

/** A collection by what it belongs to. */
export interface CollectionPlace {
  system: CatalogueSystem;
  domain: CatalogueDomain;
  company: CatalogueCompany | null;
  type: store.ResourceTypeRow;
}

/** The other way round: the data path of a collection, decoded segments joined by slashes. */
export function dataPathOf(
  connections: Connections,
  { system, domain, company, type }: CollectionPlace,
): string {
  const levels = connections.adapters.get(system.kind)?.systemLevels ?? [];
  const chosen = [domain.uriAcronym, ...(company ? [company.uriAcronym] : [])];
  const pairs = levels
    .slice(0, type.number_of_levels)
    .flatMap((level, index) => [level.uriId, chosen[index] ?? '']);
  return [system.url, ...pairs, type.uri_id].join('/');
}

/** `{systemUriId}` and the like take the url or the id (C-19). */
export async function findSystem(catalogue: Catalogue, systemId: string): Promise<CatalogueSystem> {
  const system = (await catalogue.systems()).find(
    (candidate) => candidate.url === systemId || candidate.system_id === systemId,
  );
  if (!system) throw new AppError('NOT_FOUND');
  return system;
}

/** Id of the right on a table (decisions Q-ROLE-03). */
export const dataEndpoint = (systemId: string, uriId: string): string => `data:${systemId}:${uriId}`;

/** Table id of the preferences: system id, level ids and resource type (plus attribute), joined with dots (PREF-08). */
export function tableIdOf(address: CollectionAddress): string {
  const levels = [address.domain.domain_id, ...(address.company ? [companyOptionId(address.company)] : [])];
  const table = address.attributeId
    ? `${address.resourceType.uri_id}:${address.attributeId}`
    : address.resourceType.uri_id;
  return [address.system.system_id, ...levels, table].join('.');
}

/** In both languages, for texts that are put into words later. */
export const titlesOf = (type: store.ResourceTypeRow): Record<Locale, string> => ({
  EN: type.title_en,
  NL: type.title_nl,
});

export const titleOf = (type: store.ResourceTypeRow, locale: Locale): string =>
  locale === 'NL' ? type.title_nl : type.title_en;
