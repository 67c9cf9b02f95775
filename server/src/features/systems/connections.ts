import dns from 'node:dns';
import net, { type LookupFunction } from 'node:net';
import {
  type AdapterDefinition,
  type ConnectionConfig,
  ExternalSystemError,
  type Session,
} from '@sluice/adapter-kit';
import { z } from 'zod';
import type { Pool } from '../../platform/db.ts';
import { unseal } from '../../platform/secrets.ts';
import { callBudget, freeBudget } from './call-budget.ts';
import { withSlots } from './call-slots.ts';
import * as store from './store.ts';

/** One HTTP request to an external system may take this long. */
const requestTimeoutMs = 120_000;
export interface Connections {
  adapters: ReadonlyMap<string, AdapterDefinition>;
  /** The shared session of a domain as it is stored. */
  of(domainId: string): Promise<Session>;
  /** A session with values that are not stored yet (test-connection); the caller closes it. */
  tryOut(kind: string, config: ConnectionConfig, domainId: string | null): Promise<Session>;
  /** Forget the session of a domain whose settings changed. */
  forget(domainId: string): void;
  close(): Promise<void>;
}

export function createConnections(options: {
  pool: Pool;
  adapters: readonly AdapterDefinition[];
  secretKey: Buffer;
  allowPrivateAddresses: boolean;
  /** IANA name of the organisation's time zone: its days are those of the limits. */
  timeZone: string;
  now(): Date;
}): Connections {
  const { pool, secretKey, now } = options;
  const adapters = new Map(options.adapters.map((adapter) => [adapter.kind, adapter]));
  const open = new Map<string, Promise<Session>>();
  const retired = new Set<Promise<Session>>();
  const retire = async (session: Promise<Session>): Promise<void> => {
    retired.delete(session);
    await (await session.catch(() => undefined))?.close();
  };

  const definition = (kind: string): AdapterDefinition => {
    const adapter = adapters.get(kind);
    if (!adapter)
      throw new ExternalSystemError('PROTOCOL', `There is no adapter of kind ${kind}`, { retryable: false });
    return adapter;
  };
  const context = (domainId: string | null) => ({
    budget: domainId ? callBudget(pool, domainId, options.timeZone) : freeBudget,
    domainId,
    requestTimeoutMs,
    now,
    lookup: guardedLookup(options.allowPrivateAddresses),
  });

  const openDomain = async (domainId: string): Promise<Session> => {
    const domain = await store.findDomain(pool, domainId);
    if (!domain)
      throw new ExternalSystemError('NOT_FOUND', 'The domain does not exist any more', { retryable: false });
    const system = (await store.listSystems(pool)).find(
      (candidate) => candidate.system_id === domain.system_id,
    );
    const config = configOf(domain, secretKey);
    const adapter = definition(system?.kind ?? '');
    checkUrls(adapter, config, options.allowPrivateAddresses);
    return withSlots(adapter.open(config, context(domainId)));
  };

  return {
    adapters,
    of: (domainId) => {
      let session = open.get(domainId);
      if (!session) {
        session = openDomain(domainId);
        open.set(domainId, session);
        session.catch(() => open.delete(domainId));
      }
      return session;
    },
    tryOut: async (kind, config, domainId) => {
      const adapter = definition(kind);
      checkUrls(adapter, config, options.allowPrivateAddresses);
      return adapter.open(config, context(domainId));
    },
    forget: (domainId) => {
      const session = open.get(domainId);
      open.delete(domainId);
      if (!session) return;
      // Work under way ends on the session that it began with; what begins now gets a new one.
      retired.add(session);
      setTimeout(() => void retire(session), 2 * requestTimeoutMs).unref();
    },
    close: async () => {
      const sessions = [...open.values(), ...retired];
      open.clear();
      for (const session of sessions) await retire(session);
    },
  };
}

export function configOf(domain: store.DomainRow, secretKey: Buffer): ConnectionConfig {
  const opened = (sealed: Buffer | null, name: string): string =>
    sealed ? unseal(secretKey, secretContext(domain.domain_id, name), sealed) : '';
  return {
    url: domain.url,
    database: domain.database,
    authType: domain.auth_type,
    username: domain.username,
    password: opened(domain.sealed_password, 'password'),
    clientId: domain.client_id,
    clientSecret: opened(domain.sealed_client_secret, 'clientSecret'),
    tokenUrl: domain.token_url,
    scope: domain.scope,
    settings: { ...domain.settings, ...secretSettingsOf(domain, secretKey) },
  };
}

/** The secret settings of a domain, opened. */
export function secretSettingsOf(
  domain: Pick<store.DomainRow, 'domain_id' | 'sealed_settings'>,
  secretKey: Buffer,
): Record<string, string> {
  if (!domain.sealed_settings) return {};
  const opened = unseal(secretKey, secretContext(domain.domain_id, 'settings'), domain.sealed_settings);
  return z.record(z.string(), z.string()).parse(JSON.parse(opened));
}

export const secretContext = (domainId: string, name: string): string => `domain:${domainId}:${name}`;

/** Literal addresses are checked here; names when they are resolved for a connection, so that no later answer differs. */
function checkUrls(adapter: AdapterDefinition, config: ConnectionConfig, allowPrivate: boolean): void {
  const http = ['http:', 'https:'];
  const given = [
    { url: config.url, schemes: adapter.urlSchemes ?? http },
    { url: config.tokenUrl, schemes: http },
  ].filter(({ url }) => url !== '');
  for (const { url, schemes } of given) {
    if (!URL.canParse(url)) throw refused(`'${url}' is not a URL`);
    const { hostname, protocol } = new URL(url);
    if (!schemes.includes(protocol))
      throw refused(`The URL must begin with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`);
    const host = hostname.replace(/^\[|\]$/g, '');
    const problem = net.isIP(host) ? addressProblem(host, allowPrivate) : null;
    if (problem) throw refused(problem);
  }
}

const refused = (why: string): ExternalSystemError =>
  new ExternalSystemError('UNREACHABLE', why, { retryable: false });

/** Resolves names, and refuses addresses that nothing here may be reached at. */
export function guardedLookup(allowPrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) {
        callback(error, '');
        return;
      }
      const problem = addresses
        .map(({ address }) => addressProblem(address, allowPrivate))
        .find((found) => found !== null);
      if (problem) {
        callback(Object.assign(new Error(problem), { code: 'EHOSTUNREACH' }), '');
        return;
      }
      const [first] = addresses;
      if (options.all) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    });
  };
}

/** Link-local addresses hold the metadata services of clouds: never. Private ones only where the administrator allows. */
function addressProblem(address: string, allowPrivate: boolean): string | null {
  const family = net.isIPv6(address) ? 'ipv6' : 'ipv4';
  if (linkLocal.check(address, family)) return `The address ${address} is never allowed`;
  if (!allowPrivate && privateRanges.check(address, family)) {
    return `The address ${address} is private; SLUICE_ALLOW_PRIVATE_ADDRESSES is off`;
  }
  return null;
}

const linkLocal = new net.BlockList();
linkLocal.addSubnet('169.254.0.0', 16, 'ipv4');
linkLocal.addSubnet('fe80::', 10, 'ipv6');
linkLocal.addAddress('fd00:ec2::254', 'ipv6');
const privateRanges = new net.BlockList();
for (const [range, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['127.0.0.0', 8],
  ['0.0.0.0', 8],
] as const) {
  privateRanges.addSubnet(range, bits, 'ipv4');
}
privateRanges.addSubnet('fc00::', 7, 'ipv6');
privateRanges.addAddress('::1', 'ipv6');
