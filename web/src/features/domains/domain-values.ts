import type { AdapterKind, Domain, DomainForm as DomainValues } from '@sluice/contract';

/** The form's own values: numbers are texts while they are typed. */
export interface Typed {
  name: string;
  acronym: string;
  authType: DomainValues['authType'];
  isProduction: boolean;
  isActive: boolean;
  cacheRefreshMinutes: string;
  maxApiCalls: string;
  config: Record<string, string>;
}

export const SETTING = 'settings.';

/** What an input of the connection begins with; secrets are never shown again. */
const storedText = (domain: Domain | null, name: string): string =>
  name.startsWith(SETTING)
    ? (domain?.settings[name.slice(SETTING.length)] ?? '')
    : String(domain?.[name as 'url'] ?? '');

export const startOf = (domain: Domain | null, kind: AdapterKind): Typed => ({
  name: domain?.name ?? '',
  acronym: domain?.acronym ?? '',
  authType: domain?.authType ?? kind.authTypes[0] ?? 'basic',
  isProduction: domain?.isProduction ?? true,
  isActive: domain?.isActive ?? true,
  cacheRefreshMinutes: String(domain?.cacheRefreshMinutes ?? 60),
  maxApiCalls: domain?.maxApiCalls ? String(domain.maxApiCalls) : '',
  config: Object.fromEntries(
    kind.configFields.map(({ name, type, defaultValue }) => [
      name,
      type === 'secret' ? '' : domain ? storedText(domain, name) || defaultValue : defaultValue,
    ]),
  ),
});

/** What may be kept in this browser: passwords and other secrets are typed anew. */
export const withoutSecrets = (typed: Typed, kind: AdapterKind): Typed => {
  const secrets = new Set(kind.configFields.filter(({ type }) => type === 'secret').map(({ name }) => name));
  const config = Object.entries(typed.config).map(([name, value]) => [name, secrets.has(name) ? '' : value]);
  return { ...typed, config: Object.fromEntries(config) as Typed['config'] };
};

export const isCount = (text: string): boolean => /^[1-9]\d*$/.test(text.trim());

export const configBody = (typed: Typed) => ({
  url: typed.config['url']?.trim() ?? '',
  database: typed.config['database']?.trim() ?? '',
  authType: typed.authType,
  username: typed.config['username'] ?? '',
  clientId: typed.config['clientId'] ?? '',
  tokenUrl: typed.config['tokenUrl'] ?? '',
  scope: typed.config['scope'] ?? '',
  settings: Object.fromEntries(
    Object.entries(typed.config).flatMap(([name, value]) =>
      name.startsWith(SETTING) ? [[name.slice(SETTING.length), value]] : [],
    ),
  ),
  ...(typed.config['password'] ? { password: typed.config['password'] } : {}),
  ...(typed.config['clientSecret'] ? { clientSecret: typed.config['clientSecret'] } : {}),
});
