import type { ExternalSystem, MenuLeaf, SystemLevelOption } from '@sluice/contract';

/** A system with one option chosen per level. */
export interface SystemChoice {
  system: ExternalSystem;
  levels: readonly SystemLevelOption[];
}

const shortestDepth = (options: readonly SystemLevelOption[]): number =>
  options.length === 0 ? 0 : Math.min(...options.map((option) => 1 + shortestDepth(option.children)));

/** A system shows only when its number of levels is the shortest depth of its tree. */
export const usableSystems = (systems: readonly ExternalSystem[]): ExternalSystem[] =>
  systems.filter((system) => system.systemLevels.length === shortestDepth(system.systemLevelOptions));

/** Follows ids (or uri acronyms) down the tree; where one is missing or gone the first option is taken. */
export const chooseLevels = (
  system: ExternalSystem,
  wanted: readonly (string | undefined)[],
): SystemLevelOption[] => {
  const chosen: SystemLevelOption[] = [];
  let options: readonly SystemLevelOption[] = system.systemLevelOptions;
  for (let level = 0; level < system.systemLevels.length; level++) {
    const key = wanted[level];
    const found = options.find((option) => option.internalId === key) ?? options[0];
    if (!found) break;
    chosen.push(found);
    options = found.children;
  }
  return chosen;
};

/** What a person chose, down to the last level; the text's key where a level has nothing to choose (SYS-13). */
export const changeLevels = (
  system: ExternalSystem,
  wanted: readonly string[],
): { levels: SystemLevelOption[] } | { problem: 'nav.noOptions' } => {
  const levels = chooseLevels(system, wanted);
  return levels.length < system.systemLevels.length ? { problem: 'nav.noOptions' } : { levels };
};

/** `/{system url}/{level}/{acronym}/…` with as many pairs as the leaf needs, then the leaf's own uri. */
export const leafPath = (
  choice: SystemChoice,
  leaf: Pick<MenuLeaf, 'uri' | 'numberOfSystemLevels'>,
): string => {
  const pairs = choice.system.systemLevels
    .slice(0, leaf.numberOfSystemLevels)
    .flatMap((level, i) => [level.uriId, choice.levels[i]?.uriAcronym ?? '']);
  const uri = leaf.uri.replace(/^\/+/, '');
  // A leaf may bring its whole route; then there is nothing to put together.
  if (uri.startsWith('data/')) return `/${uri}`;
  return `/data/${[choice.system.url, ...pairs, uri].join('/')}`;
};

export interface DataAddress {
  system: ExternalSystem;
  levels: SystemLevelOption[];
  levelCount: number;
  /** `{system url}/{level pairs}/{resource}[/{attributeId}]`, encoded: what server paths are made of. */
  collection: string;
  resource: string;
  /** What follows the resource. */
  rest: string[];
}

/** Reads the part of a route behind `/data/`; null when the system or a level is unknown. */
export const readAddress = (
  systems: readonly ExternalSystem[],
  path: string,
  savedLevels: (systemId: string) => readonly string[],
): DataAddress | null => {
  const segments = path.split('/').filter(Boolean).map(decodeURIComponent);
  const system = systems.find((one) => one.url === segments[0]);
  if (!system || segments.length < 2) return null;
  const levels: SystemLevelOption[] = [];
  let options: readonly SystemLevelOption[] = system.systemLevelOptions;
  let at = 1;
  for (const level of system.systemLevels) {
    if (segments[at] !== level.uriId) break;
    const acronym = segments[at + 1]?.toLowerCase();
    const found = options.find((option) => {
      const own = option.uriAcronym.toLowerCase();
      return own === acronym || decodeURIComponent(own) === acronym;
    });
    if (!found) return null;
    levels.push(found);
    options = found.children;
    at += 2;
  }
  const resource = segments[at];
  if (!resource) return null;
  const levelCount = levels.length;
  // The url holds only as many pairs as the table needs; the deeper choice stays as context.
  const saved = savedLevels(system.id);
  const wanted = system.systemLevels.map((_, i) => levels[i]?.internalId ?? saved[i]);
  return {
    system,
    levels: chooseLevels(system, wanted),
    levelCount,
    collection: segments
      .slice(0, at + 1)
      .map(encodeURIComponent)
      .join('/'),
    resource,
    rest: segments.slice(at + 1),
  };
};
