import type { AdapterKind, DomainForm, Locale } from '@sluice/contract';
import { AppError } from '../../platform/errors.ts';
import { seal } from '../../platform/secrets.ts';
import { configOf, secretContext, secretSettingsOf } from './connections.ts';
import type { SystemServices } from './service.ts';
import type * as store from './store.ts';

const secretNames = new Set(['password', 'clientSecret']);

export function adapterKinds(services: SystemServices, locale: Locale): AdapterKind[] {
  return [...services.connections.adapters.values()].map((adapter) => ({
    kind: adapter.kind,
    title: adapter.title[locale],
    authTypes: [...adapter.authTypes],
    hasCompanies: adapter.systemLevels.length > 1,
    takesFiles: adapter.takesFiles ?? false,
    draft: adapter.draft
      ? {
          field: adapter.draft.field,
          label: adapter.draft.label[locale],
          hint: adapter.draft.hint[locale],
        }
      : null,
    configFields: adapter.configFields.map((field) => ({
      name: field.name,
      type: field.type ?? (secretNames.has(field.name) ? 'secret' : 'text'),
      label: field.label[locale],
      hint: field.hint?.[locale] ?? null,
      isMandatory: field.isMandatory,
      options: (field.options ?? []).map(({ value, label }) => ({ value, label: label[locale] })),
      defaultValue: field.defaultValue ?? '',
      showIf: field.showIf ?? null,
      isWide: field.isWide ?? false,
    })),
  }));
}

export type DomainChange = { [Key in keyof DomainForm]?: DomainForm[Key] | undefined };

/** The form's values as columns; secret settings are not among them. */
export function domainColumns(
  services: Pick<SystemServices, 'connections'>,
  kind: string,
  form: DomainChange,
): Partial<store.DomainValues> {
  const columns: Partial<store.DomainValues> = {
    ...(form.name !== undefined && { name: form.name }),
    ...(form.acronym !== undefined && { acronym: form.acronym }),
    ...(form.url !== undefined && { url: form.url.replace(/\/+$/, '') }),
    ...(form.database !== undefined && { database: form.database }),
    ...(form.authType !== undefined && { auth_type: form.authType }),
    ...(form.username !== undefined && { username: form.username }),
    ...(form.clientId !== undefined && { client_id: form.clientId }),
    ...(form.tokenUrl !== undefined && { token_url: form.tokenUrl }),
    ...(form.scope !== undefined && { scope: form.scope }),
    ...(form.settings !== undefined && { settings: settingsOf(services, kind, form.settings).open }),
    ...(form.isProduction !== undefined && { is_production: form.isProduction }),
    ...(form.cacheRefreshMinutes !== undefined && { cache_refresh_minutes: form.cacheRefreshMinutes }),
    ...(form.maxApiCalls !== undefined && { max_api_calls: form.maxApiCalls }),
    ...(form.isActive !== undefined && { is_active: form.isActive }),
    ...(form.isPaused !== undefined && { is_paused: form.isPaused }),
  };
  if (columns.url !== undefined && hasAddress(services, kind) && !URL.canParse(columns.url)) {
    throw new AppError('VALIDATION', { fields: [{ field: 'url', code: 4105, params: {} }] });
  }
  return columns;
}

/** Whether a secret that was stored for one address may be sent to the other. */
export function isSameServer(a: string, b: string): boolean {
  if (!URL.canParse(a) || !URL.canParse(b)) return a === b;
  const [one, other] = [new URL(a), new URL(b)];
  return one.protocol === other.protocol && one.host === other.host;
}

/** Stored secrets stay with the addresses that they were given for: for another one they have to be given again. */
export function requireSecrets(
  services: Pick<SystemServices, 'secretKey'>,
  domain: store.DomainRow,
  form: DomainChange,
): void {
  const isMoved =
    !isSameServer(domain.url, form.url ?? domain.url) ||
    !isSameServer(domain.token_url, form.tokenUrl ?? domain.token_url);
  if (!isMoved) return;
  const stored = secretSettingsOf(domain, services.secretKey);
  const lacking = [
    ...(domain.sealed_password && !form.password ? ['password'] : []),
    ...(domain.sealed_client_secret && !form.clientSecret ? ['clientSecret'] : []),
    ...Object.keys(stored)
      .filter((name) => !form.settings?.[name])
      .map((name) => `settings.${name}`),
  ];
  if (lacking.length > 0)
    throw new AppError('VALIDATION', { fields: lacking.map((field) => ({ field, code: 4001, params: {} })) });
}

/** Blank secrets keep the stored ones. */
export function sealedSecrets(
  services: SystemServices,
  kind: string,
  domain: store.DomainRow,
  form: DomainChange,
): Partial<store.DomainRow> {
  const id = domain.domain_id;
  const sealed = (name: string, text: string): Buffer =>
    seal(services.secretKey, secretContext(id, name), text);
  const given = settingsOf(services, kind, form.settings ?? {}).secret;
  const kept = secretSettingsOf(domain, services.secretKey);
  return {
    ...(form.password && { sealed_password: sealed('password', form.password) }),
    ...(form.clientSecret && { sealed_client_secret: sealed('clientSecret', form.clientSecret) }),
    ...(Object.keys(given).length > 0 && {
      sealed_settings: sealed('settings', JSON.stringify({ ...kept, ...given })),
    }),
  };
}

/** Settings that the kind knows, those that may be shown apart from the secrets; blank ones are left out. */
export function settingsOf(
  services: Pick<SystemServices, 'connections'>,
  kind: string,
  settings: Readonly<Record<string, string>>,
): Record<'open' | 'secret', Record<string, string>> {
  const known = { open: {} as Record<string, string>, secret: {} as Record<string, string> };
  for (const field of services.connections.adapters.get(kind)?.configFields ?? []) {
    if (!field.name.startsWith(prefix)) continue;
    const name = field.name.slice(prefix.length);
    const value = settings[name] ?? '';
    if (value !== '') known[field.type === 'secret' ? 'secret' : 'open'][name] = value;
  }
  return known;
}

const prefix = 'settings.';

const hasAddress = (services: Pick<SystemServices, 'connections'>, kind: string): boolean =>
  services.connections.adapters.get(kind)?.configFields.some((field) => field.name === 'url') ?? true;

/** Refuses values that the kind itself calls wrong, each at its field. */
export function checkDomain(
  services: SystemServices,
  kind: string,
  domain: store.DomainRow,
  locale: Locale,
): void {
  const config = configOf(domain, services.secretKey);
  const problems = services.connections.adapters.get(kind)?.checkConfig?.(config, locale) ?? [];
  if (problems.length === 0) return;
  throw new AppError('VALIDATION', {
    fields: problems.map(({ field, message }) => ({ field, code: null, params: { reason: message } })),
  });
}
