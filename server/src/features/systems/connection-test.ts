import { type ConnectionConfig, ExternalSystemError, type TestResult } from '@sluice/adapter-kit';
import type { UserActor } from '../../platform/actor.ts';
import { findSystem } from './catalogue.ts';
import { configOf } from './connections.ts';
import { requireRight, type SystemServices } from './service.ts';
import * as store from './store.ts';

/** How long a person waits for an external system to answer. */
export const testTimeoutMs = 30_000;

export async function testConnection(
  services: SystemServices,
  actor: UserActor,
  systemId: string,
  form: Partial<ConnectionConfig> & { url: string; internalId?: string | undefined },
): Promise<TestResult> {
  requireRight(actor, 'domains', 'read');
  const system = await findSystem(services.catalogue, systemId);
  const stored = form.internalId ? await store.findDomain(services.pool, form.internalId) : null;
  const kept = stored?.system_id === system.system_id ? configOf(stored, services.secretKey) : null;
  const config: ConnectionConfig = {
    url: form.url.replace(/\/+$/, ''),
    database: form.database ?? kept?.database ?? '',
    authType: form.authType ?? kept?.authType ?? 'basic',
    username: form.username ?? kept?.username ?? '',
    // A stored secret goes only to the address that it was stored for.
    password: form.password || (kept && isSameServer(kept.url, form.url) ? kept.password : ''),
    clientId: form.clientId ?? kept?.clientId ?? '',
    clientSecret: form.clientSecret || (kept && isSameServer(kept.url, form.url) ? kept.clientSecret : ''),
    tokenUrl: form.tokenUrl ?? kept?.tokenUrl ?? '',
    scope: form.scope ?? kept?.scope ?? '',
  };
  const signal = AbortSignal.timeout(testTimeoutMs);
  try {
    const session = await services.connections.tryOut(system.kind, config, stored?.domain_id ?? null);
    try {
      return await session.test({ locale: actor.locale, signal });
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
    };
  }
}

function isSameServer(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
}
