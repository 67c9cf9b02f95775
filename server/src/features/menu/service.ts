import type { Locale, MenuItem, MenuLeaf } from '@sluice/contract';
import { hasRight, maySeeLevel, type UserActor } from '../../platform/actor.ts';
import { text } from '../../platform/texts.ts';
import {
  type Catalogue,
  type CatalogueDomain,
  type CatalogueSystem,
  companyOptionId,
  dataEndpoint,
  titleOf,
} from '../systems/catalogue.ts';
import type { Connections } from '../systems/connections.ts';

const smallWords = new Set('a an the at with from by for in of on to up and as but or nor'.split(' '));

/** MENU-06: all words of an English title are capitalised but the small ones; first and last always. Acronyms stay. */
export function capitalise(title: string, locale: Locale): string {
  if (locale !== 'EN') return title.charAt(0).toUpperCase() + title.slice(1);
  const words = title.split(' ');
  return words
    .map((word, index) => {
      const isInner = index > 0 && index < words.length - 1;
      if (isInner && smallWords.has(word.toLowerCase())) return word.toLowerCase();
      return word.charAt(0).toUpperCase() + word.slice(1);
    })
    .join(' ');
}

/** The menu of the system and levels asked for: only what the user may read. */
export async function menuOf(
  services: { catalogue: Catalogue; connections: Connections },
  actor: UserActor,
  locale: Locale,
  query: { systemId?: string | undefined; systemLevelIds?: string | undefined },
): Promise<MenuItem[]> {
  const systems = await services.catalogue.systems();
  const system = systems.find(
    (candidate) => candidate.system_id === query.systemId || candidate.url === query.systemId,
  );
  const title = (key: string, params = {}): string => capitalise(text(locale, key, params), locale);
  const items: MenuItem[] = [
    { id: 'dashboard', title: title('menu.dashboard'), uri: '/dashboard', children: [] },
  ];
  if (system) {
    const leaves = dataLeaves(
      services.connections,
      system,
      actor,
      locale,
      query.systemLevelIds?.split('*') ?? [],
    );
    if (leaves.length > 0) items.push({ id: 'data', title: title('menu.data'), uri: null, children: leaves });
  }
  if (hasRight(actor, { endpoint: 'connectors', action: 'read' }))
    items.push({ id: 'connectors', title: title('menu.connectors'), uri: '/connectors', children: [] });
  const manage = manageLeaves(systems, actor, title);
  if (manage.length > 0) {
    items.push({
      id: 'manage',
      title: title('menu.manage'),
      uri: null,
      children: sorted(manage, locale),
    });
  }
  return items;
}

function manageLeaves(
  systems: readonly CatalogueSystem[],
  actor: UserActor,
  title: (key: string, params?: object) => string,
): MenuLeaf[] {
  const leaf = (id: string, uri: string, shown: string): MenuLeaf => ({
    id,
    title: shown,
    uri,
    baseUri: '',
    resourceTypeUriId: id,
    numberOfSystemLevels: 0,
  });
  const mayRead = (endpoint: string): boolean => hasRight(actor, { endpoint, action: 'read' });
  return [
    ...(mayRead('domains') ? [leaf('systems', '/manage/systems', title('menu.systems'))] : []),
    ...(mayRead('domains') ? systems : []).map((system) =>
      leaf(
        `domains-${system.url}`,
        `/manage/systems/${system.url}/domains`,
        title('menu.domains', { system: system.name }),
      ),
    ),
    ...(['users', 'roles', 'audit'] as const)
      .filter(mayRead)
      .map((name) => leaf(name, `/manage/${name}`, title(`menu.${name}`))),
  ];
}

function dataLeaves(
  connections: Connections,
  system: CatalogueSystem,
  actor: UserActor,
  locale: Locale,
  levelIds: readonly string[],
): MenuLeaf[] {
  const domain = system.domains.find((candidate) => candidate.domain_id === levelIds[0]);
  if (!domain || !maySeeLevel(actor, system.system_id, domain.domain_id)) return [];
  const bases = levelBases(connections, system, domain, levelIds);
  const leaves = domain.resourceTypes
    .filter((type) => bases[type.number_of_levels] !== undefined)
    .filter((type) =>
      hasRight(actor, { endpoint: dataEndpoint(system.system_id, type.uri_id), action: 'read' }),
    )
    .map((type) => ({
      id: type.uri_id,
      title: capitalise(titleOf(type, locale), locale),
      uri: type.has_attribute ? `${type.uri_id}/:attributeId` : type.uri_id,
      baseUri: bases[type.number_of_levels] ?? '',
      resourceTypeUriId: type.uri_id,
      numberOfSystemLevels: type.number_of_levels,
    }));
  return sorted(leaves, locale);
}

/** Base path per number of levels: `/data/{system}/domains/{domain}/companies/{company}`. */
function levelBases(
  connections: Connections,
  system: CatalogueSystem,
  domain: CatalogueDomain,
  levelIds: readonly string[],
): (string | undefined)[] {
  const levels = connections.adapters.get(system.kind)?.systemLevels ?? [];
  const company = domain.companies.find(
    (candidate) => companyOptionId(candidate) === levelIds[1] && candidate.is_active,
  );
  const withDomain = `/data/${system.url}/${levels[0]?.uriId}/${domain.uriAcronym}`;
  return [
    undefined,
    withDomain,
    company ? `${withDomain}/${levels[1]?.uriId}/${company.uriAcronym}` : undefined,
  ];
}

function sorted(leaves: MenuLeaf[], locale: Locale): MenuLeaf[] {
  const collator = new Intl.Collator(locale === 'NL' ? 'nl' : 'en', { numeric: true });
  return leaves.sort((a, b) => collator.compare(a.title, b.title));
}
