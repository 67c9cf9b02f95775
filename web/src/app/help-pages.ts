const PAGES: readonly (readonly [RegExp, string])[] = [
  [/^\/data\/.*\/duplicates$/, 'duplicates'],
  [/^\/data\/.*\/(new|[^/]+\/edit)$/, 'record'],
  [/^\/data\//, 'table'],
  [/^\/settings/, 'settings'],
  [/^\/connectors\/.*\/mappings-triggers$/, 'mappings-and-triggers'],
  [/^\/connectors\/.*\/actions/, 'actions'],
  [/^\/connectors/, 'connectors'],
  [/^\/manage\/users/, 'users'],
  [/^\/manage\/roles/, 'roles'],
  [/^\/manage\/systems\/.*\/companies$/, 'companies'],
  [/^\/manage\/systems\/./, 'domains'],
  [/^\/manage\/systems/, 'systems'],
];

/** The help page of a screen: its key stands behind the address of the help pages. */
export const helpPageOf = (pathname: string): string =>
  PAGES.find(([pattern]) => pattern.test(pathname))?.[1] ?? 'dashboard';
