import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  ExternalSystemError,
  type CallOptions,
  type ConnectionConfig,
  type Outcome,
  type Session,
  type WriteOp,
} from '@sluice/adapter-kit';
import type { Sandbox } from '@sluice/sandbox';
import { startSandbox } from '@sluice/testing';
import { odataAdapter } from './index.ts';
import { callOptions, configOf } from './test-support.ts';

const authorization = `Basic ${btoa('sandbox:sandbox')}`;

describe('the OData adapter when the system fails', () => {
  let sandbox: Sandbox;
  let config: ConnectionConfig;
  const observed: { status: number; retryAfterMs?: number }[] = [];
  const sessions: Session[] = [];
  const options = callOptions('push');

  beforeAll(async () => {
    sandbox = await startSandbox({ journalEntries: 500 });
    config = configOf(`${sandbox.url}/odata`, 'production');
  });
  afterEach(() => faults());
  afterAll(async () => {
    for (const session of sessions) await session.close();
    await sandbox.close();
  });

  function open(changes: Partial<ConnectionConfig> = {}, requestTimeoutMs = 10_000): Session {
    const budget = {
      acquire: () => Promise.resolve(),
      observe: (answer: { status: number; retryAfterMs?: number }) => void observed.push(answer),
    };
    const session = odataAdapter.open(
      { ...config, ...changes },
      { budget, requestTimeoutMs, now: () => new Date() },
    );
    sessions.push(session);
    return session;
  }
  async function faults(...list: Record<string, unknown>[]): Promise<void> {
    const response = await fetch(`${sandbox.url}/admin/faults`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ faults: list }),
    });
    expect(response.status, await response.text()).toBe(200);
  }
  async function live(path: string): Promise<unknown> {
    const url = `${sandbox.url}/odata/production/Companies('NL01')/${path}`;
    return (await fetch(url, { headers: { authorization } })).json();
  }
  const read = async (session: Session, keys = ['K101'], collection = 'CostCentres') => {
    const { fields } = await session.describe(collection, options);
    return session.readByKeys({ ...options, collection, fields, keys });
  };
  /** A session that has signed in, read the metadata and found out about `$batch`. */
  async function warm(requestTimeoutMs?: number): Promise<Session> {
    const session = open({}, requestTimeoutMs);
    await write(session, [update('K119', 1), update('K120', 1)]);
    return session;
  }
  const update = (key: string, budget: number): WriteOp => ({
    opId: `${key}-${budget}`,
    action: 'update',
    key,
    values: { budget },
    version: null,
  });
  async function write(
    session: Session,
    ops: WriteOp[],
    changes: Partial<CallOptions> = {},
  ): Promise<Outcome[]> {
    const { fields } = await session.describe('CostCentres', options);
    return session.write({ ...options, ...changes, collection: 'CostCentres', fields, ops });
  }
  const codeOf = async (work: Promise<unknown>): Promise<unknown> => {
    const error = await work.catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ExternalSystemError);
    return error instanceof ExternalSystemError ? error.code : null;
  };

  it.each([
    ['a web page', { kind: 'html' }, 'PROTOCOL'],
    ['half an answer', { kind: 'truncate' }, 'PROTOCOL'],
    ['status 429', { kind: 'fail', status: 429, retryAfterSeconds: 4 }, 'RATE'],
    ['status 500', { kind: 'fail', status: 500 }, 'SERVER'],
    ['status 503', { kind: 'fail', status: 503 }, 'SERVER'],
    ['a cut line', { kind: 'cutBefore' }, 'UNREACHABLE'],
  ])('turns %s into an error of the whole read', async (_, fault, code) => {
    const session = await warm();
    await faults({ ...fault, path: 'CostCentres' });
    expect(await codeOf(read(session))).toBe(code);
    await faults();
    expect(await read(session)).toHaveLength(1);
  });

  it('tells how long to wait after a 429, to the caller and to the budget', async () => {
    const session = await warm();
    await faults({ kind: 'fail', status: 429, retryAfterSeconds: 4, path: 'CostCentres' });
    const error = await read(session).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'RATE', retryable: true, retryAfterMs: 4000, status: 429 });
    expect(observed.at(-1)).toEqual({ status: 429, retryAfterMs: 4000 });
  });

  it('does not take a web page for metadata', async () => {
    await faults({ kind: 'html' });
    const result = await open().test({ locale: 'NL', signal: options.signal });
    expect(result.status).toBe('INVALID_CREDENTIALS_OR_URL');
    expect(result.message).toContain('geen OData 4');
  });

  it('refuses what the user may not see', async () => {
    const session = open({ username: 'reader' });
    expect(await codeOf(read(session, ['1001'], 'Employees'))).toBe('FORBIDDEN');
    const ops = [update('K101', 5)];
    const [outcome] = await write(session, ops);
    expect(outcome).toMatchObject({ state: 'rejected', errors: [{ class: 'forbidden' }] });
  });

  it('stops a write with wrong credentials without a single outcome', async () => {
    const session = open({ password: 'wrong' });
    expect(await codeOf(write(session, [update('K101', 6)]))).toBe('AUTH');
  });

  it.each([
    ['answers a web page', { kind: 'html' }],
    ['answers 500', { kind: 'fail', status: 500 }],
    ['cuts the line before the work', { kind: 'cutBefore' }],
    ['cuts the line after the work', { kind: 'cutAfterCommit' }],
    ['gives half an answer', { kind: 'truncate' }],
  ])('calls every operation of a batch unknown when the system %s', async (_, fault) => {
    const session = await warm();
    await faults({ ...fault, path: '$batch' });
    const outcomes = await write(session, [update('K101', 7), update('K102', 7)]);
    expect(outcomes.map((o) => o.state)).toEqual(['unknown', 'unknown']);
  });

  it('calls a single operation unknown as well, and the probe tells what happened', async () => {
    const session = await warm();
    const { fields } = await session.describe('CostCentres', options);
    const asked = { ...options, collection: 'CostCentres', fields, sentAt: new Date() };
    await faults({ kind: 'cutAfterCommit', times: 1 });
    const done = update('K103', 41);
    expect((await write(session, [done]))[0]?.state).toBe('unknown');
    expect((await session.probe({ ...asked, op: done })).state).toBe('applied');
    await faults({ kind: 'cutBefore', method: 'PATCH', times: 1 });
    const lost = update('K103', 42);
    expect((await write(session, [lost]))[0]?.state).toBe('unknown');
    expect((await session.probe({ ...asked, op: lost })).state).toBe('notApplied');
  });

  it('calls a write that takes too long unknown', async () => {
    const session = await warm(400);
    await faults({ kind: 'latency', ms: 1500, path: '$batch' });
    const outcomes = await write(session, [update('K104', 8), update('K105', 8)]);
    expect(outcomes).toMatchObject([{ state: 'unknown', reason: 'no answer in time' }, { state: 'unknown' }]);
    // The system goes on all the same.
    await expect.poll(() => live("CostCentres('K104')"), { timeout: 5000 }).toMatchObject({ budget: 8 });
  });

  it('sends nothing when the system asks for a pause, in whole or for one operation', async () => {
    const session = await warm();
    await faults({ kind: 'fail', status: 429, retryAfterSeconds: 9, path: '$batch' });
    const whole = await write(session, [update('K106', 9), update('K107', 9)]);
    expect(whole).toMatchObject([
      { state: 'notSent', retryAfterMs: 9000 },
      { state: 'notSent', retryAfterMs: 9000 },
    ]);
    await faults({ kind: 'fail', status: 429, retryAfterSeconds: 2, inBatch: true, path: 'K107' });
    const part = await write(session, [update('K106', 10), update('K107', 10)]);
    expect(part).toMatchObject([{ state: 'done' }, { state: 'notSent', retryAfterMs: 2000 }]);
    await faults({ kind: 'fail', status: 500, inBatch: true, path: 'K107' });
    const broken = await write(session, [update('K106', 11), update('K107', 11)]);
    expect(broken.map((o) => o.state)).toEqual(['done', 'unknown']);
  });

  it('writes one by one when $batch is not there, and leaves the rest unsent after a broken line', async () => {
    const session = await warm();
    await faults(
      { kind: 'fail', status: 503, path: '$batch', times: 1 },
      { kind: 'cutAfterCommit', path: 'K109', method: 'PATCH' },
    );
    const fresh = open();
    const outcomes = await write(fresh, [update('K108', 12), update('K109', 12), update('K110', 12)]);
    expect(outcomes.map((o) => o.state)).toEqual(['done', 'unknown', 'notSent']);
    expect(await read(session, ['K109'])).toMatchObject([{ values: { budget: 12 } }]);
  });

  it('knows that nothing was sent when the system is down, or fails before the first operation', async () => {
    const other = await startSandbox({ journalEntries: 1 });
    const session = open({ url: `${other.url}/odata` });
    const { fields } = await session.describe('CostCentres', options);
    const send = (...ops: WriteOp[]) => session.write({ ...options, collection: 'CostCentres', fields, ops });
    expect((await send(update('K101', 1), update('K102', 1))).map((o) => o.state)).toEqual(['done', 'done']);
    await other.close();
    // The first call still meets the old connection, of which nobody can tell what went over it.
    await session
      .readByKeys({ ...options, collection: 'CostCentres', fields, keys: ['K101'] })
      .catch(() => null);
    expect(await codeOf(send(update('K101', 2)))).toBe('UNREACHABLE');
    expect(await codeOf(send(update('K101', 2), update('K102', 2)))).toBe('UNREACHABLE');

    await faults({ kind: 'fail', status: 500, path: '$metadata' });
    const ops = [update('K113', 2), update('K114', 2)];
    const call = { ...options, collection: 'CostCentres', fields, ops };
    expect((await open().write(call)).map((o) => o.state)).toEqual(['notSent', 'notSent']);
  });

  it('aborts before it sends by an error, and afterwards by unknown outcomes', async () => {
    const session = await warm();
    const early = new AbortController();
    early.abort();
    expect(await codeOf(write(session, [update('K111', 13)], { signal: early.signal }))).toBe('ABORTED');
    await faults({ kind: 'latency', ms: 600, path: '$batch' });
    const late = new AbortController();
    const running = write(session, [update('K111', 14), update('K112', 14)], { signal: late.signal });
    setTimeout(() => late.abort(), 200);
    expect((await running).map((o) => o.state)).toEqual(['unknown', 'unknown']);
  });

  it('describes a collection anew when a field vanishes', async () => {
    const session = open();
    const before = await session.describe('Projects', options);
    await faults({ kind: 'dropField', collection: 'Projects', field: 'balance' });
    const after = await session.describe('Projects', options);
    expect(after.fingerprint).not.toBe(before.fingerprint);
    expect(after.fields.map((f) => f.id)).toEqual(
      before.fields.map((f) => f.id).filter((id) => id !== 'balance'),
    );
    const query = { ...options, collection: 'Projects', fields: before.fields, cursor: null, pageSize: 10 };
    for await (const page of session.read(query)) {
      expect(page.records[0]?.values).not.toHaveProperty('balance');
      break;
    }
  });

  it('signs in with client credentials, and gets a new token when the old one is withdrawn', async () => {
    const oAuth: Partial<ConnectionConfig> = {
      authType: 'oAuth',
      clientId: 'sandbox',
      clientSecret: 'sandbox',
      tokenUrl: `${sandbox.url}/oauth/token`,
    };
    const session = open(oAuth);
    expect(await session.test(options)).toMatchObject({ status: 'OK', isProduction: true });
    const wrong = await open({ ...oAuth, clientSecret: 'wrong' }).test(options);
    expect(wrong.status).toBe('INVALID_CREDENTIALS_OR_URL');
    const other = await startSandbox({ journalEntries: 1 });
    try {
      // The other sandbox does not know the tokens of the first: it stands for one that withdrew them.
      const moved = open({ ...oAuth, url: `${other.url}/odata` });
      expect((await moved.test(options)).status).toBe('INVALID_CREDENTIALS_OR_URL');
    } finally {
      await other.close();
    }
  });

  it('knows the test environment from production', async () => {
    expect(await open({ database: 'test' }).test(options)).toMatchObject({
      status: 'OK',
      isProduction: false,
    });
    expect(await open({ database: 'none' }).test(options)).toMatchObject({
      status: 'INVALID_CREDENTIALS_OR_URL',
    });
    const template = open({ url: `${sandbox.url}/odata/{database}`, database: 'test' });
    expect(await template.test(options)).toMatchObject({ status: 'OK' });
  });

  it('follows no link to another host', async () => {
    const session = await warm();
    const { fields } = await session.describe('CostCentres', options);
    const cursor = JSON.stringify({ next: 'http://127.0.0.1:1/steal' });
    const pages = session.read({ ...options, collection: 'CostCentres', fields, cursor, pageSize: 10 });
    const first = (async () => {
      for await (const _ of pages) return;
    })();
    expect(await codeOf(first)).toBe('PROTOCOL');
  });
});
