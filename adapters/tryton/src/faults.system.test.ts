import { setTimeout as sleep } from 'node:timers/promises';
import type { Session, WriteOp } from '@sluice/adapter-kit';
import type { FieldDescriptor } from '@sluice/contract';
import { describeSystem } from '@sluice/testing/system';
import { startTryton } from '@sluice/testing/tryton';
import type { TrytonServer } from '@sluice/testing/tryton';
import { findTrytonProblem } from '@sluice/testing/tryton-process';
import { seedParties } from '@sluice/testing/tryton-seed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callOptions, configOf, openSession, visibleFields } from './test-support.ts';

const collection = 'party.party';
const creates = /"method":"model\.party\.party\.create"/;

describeSystem('faults on the way to a real Tryton', findTrytonProblem(), () => {
  let server: TrytonServer;
  let session: Session;
  let counter: { calls: number };
  let company: number;
  let fields: FieldDescriptor[];

  beforeAll(async () => {
    server = await startTryton();
    [company] = server.companies;
    ({ session, counter } = openSession(configOf(server)));
    fields = await visibleFields(session, collection, callOptions(company));
  });
  afterAll(async () => {
    await session?.close();
    await server?.stop();
  });

  const inserts = (prefix: string, count: number): WriteOp[] =>
    Array.from({ length: count }, (_, index) => ({
      opId: `${prefix}-${index}`,
      action: 'insert',
      values: { name: `${prefix} ${index}` },
    }));
  const write = (ops: WriteOp[], signal?: AbortSignal) =>
    session.write({ ...callOptions(company, 'EN', signal), collection, fields, ops });
  const probe = (op: WriteOp, sentAt: Date) =>
    session.probe({ ...callOptions(company), collection, fields, op, sentAt });
  const countOf = (prefix: string) => server.rpc.count(collection, [['name', 'like', `${prefix} %`]]);

  it('finds every record of a batch whose answer was cut off, once each', async () => {
    const ops = inserts('Cut', 100);
    const sentAt = new Date();
    server.proxy.cutNextAnswer(creates, 'answered');
    const outcomes = await write(ops);
    expect(new Set(outcomes.map((outcome) => outcome.state))).toEqual(new Set(['unknown']));
    await sleep(session.caps.settleMs);
    expect(await countOf('Cut')).toBe(100);
    const keys = new Set<string>();
    for (const op of ops.slice(0, 20)) {
      const answer = await probe(op, sentAt);
      expect(answer.state).toBe('candidates');
      if (answer.state === 'candidates') for (const { key } of answer.records) keys.add(key);
    }
    expect(keys.size).toBe(20);
  });

  it('an abort is no rollback: the records appear after their client has gone', async () => {
    const ops = inserts('Abort', 250);
    const sentAt = new Date();
    const abort = new AbortController();
    const running = write(ops, abort.signal);
    await sleep(400);
    abort.abort();
    const outcomes = await running;
    expect(new Set(outcomes.map((outcome) => outcome.state))).toEqual(new Set(['unknown']));
    await sleep(session.caps.settleMs);
    const count = await countOf('Abort');
    expect([0, 250]).toContain(count);
    const [first] = ops;
    if (first === undefined) throw new Error('no operation');
    expect((await probe(first, sentAt)).state).toBe(count === 0 ? 'notApplied' : 'candidates');
  });

  it('an update whose answer was cut off is read back', async () => {
    const [id] = await seedParties(server.rpc, 1, 'Read back');
    const op: WriteOp = { opId: 'u', action: 'update', key: String(id), values: { name: 'Changed' } };
    server.proxy.cutNextAnswer(/"method":"model\.party\.party\.write"/, 'answered');
    expect(await write([op])).toMatchObject([{ state: 'unknown' }]);
    await sleep(1000);
    expect(await probe(op, new Date())).toMatchObject({ state: 'applied', key: String(id) });
  });

  it.each([
    [
      'a page of HTML',
      'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>',
      'unknown',
    ],
    [
      'half an answer',
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"id":1,"res',
      'unknown',
    ],
    ['an answer that is not Tryton’s', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]', 'unknown'],
    ['a server error', 'HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n', 'unknown'],
    [
      'a request to wait',
      'HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n',
      'notSent',
    ],
  ])('%s in place of an answer loses nothing', async (_, answer, state) => {
    server.proxy.answerNext(creates, answer);
    const [outcome] = await write(inserts('Faked', 1));
    expect(outcome?.state).toBe(state);
    if (outcome?.state === 'notSent') expect(outcome.retryAfterMs).toBe(7000);
    expect(await countOf('Faked')).toBe(0);
  });

  it('signs in again when the session has run out, and writes once', async () => {
    await server.sql('delete from ir_session');
    const outcomes = await write(inserts('Expired', 1));
    expect(outcomes).toMatchObject([{ state: 'done' }]);
    expect(
      await server.sql(`select count(*)::int as n from party_party where name like 'Expired %'`),
    ).toEqual([{ n: 1 }]);
    // The verifying client's session is gone as well.
    server.rpc = await server.login(server.username, server.password);
  });

  it('never tries refused credentials a second time', async () => {
    const { session: wrong, counter: calls } = openSession({ ...configOf(server), password: 'wrong' });
    await expect(wrong.collections(callOptions(company))).rejects.toMatchObject({ code: 'AUTH' });
    const after = calls.calls;
    await expect(wrong.collections(callOptions(company))).rejects.toMatchObject({ code: 'AUTH' });
    expect(calls.calls).toBe(after);
    await wrong.close();
  });

  it('tells a database that does not exist from a wrong password', async () => {
    const { session: wrong } = openSession({ ...configOf(server), database: 'nothing_here' });
    const { locale, signal } = callOptions(company);
    const result = await wrong.test({ locale, signal });
    expect(result.status).toBe('INVALID_CREDENTIALS_OR_URL');
    expect(result.message).toContain('nothing_here');
    await wrong.close();
  });

  it('reads a page around a record that Tryton itself cannot read', async () => {
    const ids = await seedParties(server.rpc, 30, 'Poison');
    const bad = ids[11];
    const [address] = await server.sql(`select id from party_address where party = ${bad}`);
    await server.sql('alter table party_address drop constraint if exists party_address_country_fkey');
    await server.sql(`update party_address set country = 987654 where id = ${String(address?.['id'])}`);
    const options = callOptions(company);
    const addressFields = await visibleFields(session, 'party.address', options);
    const keys: string[] = [];
    const poisoned: string[] = [];
    const query = {
      ...options,
      collection: 'party.address',
      fields: addressFields,
      cursor: null,
      pageSize: 500,
    };
    for await (const page of session.read(query)) {
      keys.push(...page.records.map((record) => record.key));
      poisoned.push(...page.poisoned.map((record) => record.key));
    }
    const total = await server.rpc.count('party.address', []);
    expect(poisoned).toEqual([String(address?.['id'])]);
    expect(keys).toHaveLength(total - 1);
  });

  it('reads on when a field has vanished', async () => {
    const [name] = fields.filter((field) => field.id === 'name');
    if (name === undefined) throw new Error('parties have names');
    const vanished = { ...name, id: 'vanished', name: 'Vanished' };
    const options = callOptions(company);
    const query = { ...options, collection, fields: [name, vanished], keys: ['1'] };
    const [record] = await session.readByKeys(query);
    expect(record?.values).toEqual({ name: 'Delta Supplies' });
  });

  it('asks no more than it needs: one request for a page', async () => {
    const before = counter.calls;
    const options = callOptions(company);
    const query = { ...options, collection, fields, cursor: '1', pageSize: 50 };
    for await (const page of session.read(query)) {
      expect(page.records.length).toBeLessThanOrEqual(50);
      break;
    }
    expect(counter.calls - before).toBe(1);
  });
});
