import type { ConfigField, ConnectionConfig } from '@sluice/adapter-kit';
import type { Locale } from '@sluice/contract';
import { type Profile, profileSchema, readProfile } from './profile.ts';
import { fill, profileTexts } from './texts.ts';

const signIns = ['none', 'basic', 'bearer', 'headers', 'query', 'oauth2'] as const;
type SignIn = (typeof signIns)[number];

export interface RestSettings {
  /** With a slash at its end. */
  base: URL;
  signIn: SignIn;
  /** Headers that sign in, the secret filled in. */
  headers: Record<string, string>;
  /** Query parameter that carries the secret. */
  parameter: string;
  account: ConnectionConfig;
  profile: Profile;
}

export interface SettingsProblem {
  field: ConfigField['name'];
  message: string;
}

/** An address inside the service; null when it leads to another server. */
export function addressOf(base: URL, path: string): URL | null {
  // A path of the profile always goes on behind the base, also when it begins with a slash.
  const isWhole = /^[a-z][a-z\d+.-]*:|^\/\//i.test(path);
  const address = URL.canParse(isWhole ? path : path.replace(/^\//, ''), base.href)
    ? new URL(isWhole ? path : path.replace(/^\//, ''), base.href)
    : null;
  return address?.origin === base.origin ? address : null;
}

const empty = (): Profile =>
  profileSchema.parse({ collections: [{ code: 'none', path: 'none', keyFields: ['id'] }] });

/** Reads what the domain form holds; each problem at its field. */
export function readSettings(
  config: ConnectionConfig,
  locale: Locale,
): { settings: RestSettings; problems: SettingsProblem[] } {
  const problems: SettingsProblem[] = [];
  const say = (field: ConfigField['name'], message: string): unknown => problems.push({ field, message });
  const isAddress = URL.canParse(config.url) && /^https?:$/.test(new URL(config.url).protocol);
  if (!isAddress) say('url', profileTexts.address[locale]);
  const base = new URL(isAddress ? config.url : 'http://127.0.0.1:1/');
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const signIn = signIns.find((one) => one === config.settings['signIn']) ?? 'none';
  const needed: ConfigField['name'][] = {
    none: [],
    basic: ['username' as const],
    bearer: ['password' as const],
    headers: ['settings.headers' as const],
    query: ['settings.parameter' as const, 'password' as const],
    oauth2: ['tokenUrl' as const, 'clientId' as const, 'clientSecret' as const],
  }[signIn];
  const valueOf = (field: string): string =>
    field.startsWith('settings.')
      ? (config.settings[field.slice('settings.'.length)] ?? '')
      : String(config[field as 'url']);
  for (const field of needed) if (valueOf(field).trim() === '') say(field, profileTexts.needed[locale]);
  const headers: Record<string, string> = {};
  if (signIn === 'headers')
    for (const [index, line] of (config.settings['headers'] ?? '').split('\n').entries()) {
      if (line.trim() === '') continue;
      const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
      if (name === undefined || value === undefined)
        say('settings.headers', fill(profileTexts.header, locale, { line: index + 1 }));
      else headers[name.toLowerCase()] = value.replaceAll('{secret}', () => config.password);
    }
  const { profile, problem } = readProfile(config.settings['profile'] ?? '', locale);
  if (problem !== null) say('settings.profile', problem);
  for (const path of pathsOf(profile))
    if (addressOf(base, path) === null) say('settings.profile', fill(profileTexts.outside, locale, { path }));
  return {
    settings: {
      base,
      signIn,
      headers,
      parameter: config.settings['parameter'] ?? '',
      account: config,
      profile: profile ?? empty(),
    },
    problems,
  };
}

const pathsOf = (profile: Profile | null): string[] =>
  (profile?.collections ?? []).flatMap(({ path, one, create, update, delete: remove, batch }) =>
    [path, one?.path, create?.path, update?.path, remove?.path, batch?.path].filter(
      (each) => each !== undefined,
    ),
  );
