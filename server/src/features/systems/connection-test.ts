import { isDeepStrictEqual } from 'node:util';
import { type ConnectionConfig, ExternalSystemError, type TestResult } from '@sluice/adapter-kit';
import type { UserActor } from '../../platform/actor.ts';
import { findSystem } from './catalogue.ts';
import { configOf, secretSettingsOf } from './connections.ts';
import { applyDomainEvent } from './domain-events.ts';
import { isSameServer, settingsOf } from './domain-form.ts';
import { requireRight, type SystemServices } from './service.ts';
import * as store from './store.ts';

type TestReply = Omit<TestResult, 'suggestions'> & { suggestions: { field: string; value: string }[] };

/** How long a person waits for an external system to answer. */
export const testTimeoutMs = 30_000;

export async function testConnection(
  services: SystemServices,
  actor: UserActor,
  systemId: string,
  form: { [Key in keyof ConnectionConfig]?: ConnectionConfig[Key] | undefined } & {
    url: string;
    internalId?: string | undefined;
  },
): Promise<TestReply> {
  requireRight(actor, 'domains', 'read');
  const system = await findSystem(services.catalogue, systemId);
  const stored = form.internalId ? await store.findDomain(services.pool, form.internalId) : null;
  const kept = stored?.system_id === system.system_id ? configOf(stored, services.secretKey) : null;
  // A stored secret goes only to the addresses that it was stored for.
  const isKept =
    kept !== null &&
    isSameServer(kept.url, form.url) &&
    isSameServer(kept.tokenUrl, form.tokenUrl ?? kept.tokenUrl);
  const given = settingsOf(services, system.kind, form.settings ?? kept?.settings ?? {});
  const keptSecrets = stored && isKept ? secretSettingsOf(stored, services.secretKey) : {};
  const config: ConnectionConfig = {
    url: form.url.replace(/\/+$/, ''),
    database: form.database ?? kept?.database ?? '',
    authType: form.authType ?? kept?.authType ?? 'basic',
    username: form.username ?? kept?.username ?? '',
    password: form.password || (isKept ? kept.password : ''),
    clientId: form.clientId ?? kept?.clientId ?? '',
    clientSecret: form.clientSecret || (isKept ? kept.clientSecret : ''),
    tokenUrl: form.tokenUrl ?? kept?.tokenUrl ?? '',
    scope: form.scope ?? kept?.scope ?? '',
    settings: { ...given.open, ...keptSecrets, ...(form.settings ? given.secret : {}) },
  };
  const adapter = services.connections.adapters.get(system.kind);
  const [problem] = adapter?.checkConfig?.(config, actor.locale) ?? [];
  if (problem)
    return { status: 'ERROR_OTHER', message: problem.message, isProduction: null, suggestions: [] };
  const signal = AbortSignal.timeout(testTimeoutMs);
  try {
    const session = await services.connections.tryOut(system.kind, config, stored?.domain_id ?? null);
    try {
      const result = await session.test({ locale: actor.locale, signal });
      const isMended = result.status === 'OK' && stored?.status === 'INVALID_CREDENTIALS_OR_URL';
      // What was refused works again as it is stored: nothing has to be saved for it (decisions Q-ST-01).
      if (isMended && isDeepStrictEqual(config, kept))
        await applyDomainEvent(services, stored.domain_id, {
          type: 'connectionGood',
          hasCompanies: (await store.listCompanies(services.pool, stored.domain_id)).some(
            (company) => company.is_active,
          ),
        });
      return { ...result, suggestions: [...(result.suggestions ?? [])] };
    } finally {
      await session.close();
    }
  } catch (error) {
    const isAccess =
      error instanceof ExternalSystemError && ['AUTH', 'UNREACHABLE', 'NOT_FOUND'].includes(error.code);
    return {
      status: isAccess ? 'INVALID_CREDENTIALS_OR_URL' : 'ERROR_OTHER',
      message: error instanceof Error ? error.message : String(error),
      isProduction: null,
      suggestions: [],
    };
  }
}
