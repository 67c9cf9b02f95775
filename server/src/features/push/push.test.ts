import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '@sluice/sandbox';
import {
  type Api,
  type ConnectedDomain,
  connectSandbox,
  finished,
  type Product,
  push,
  startProduct,
  startSandbox,
  tableOf,
  waitFor,
  waitUntilCached,
} from '@sluice/testing';
import { changePushActionSchema } from '@sluice/contract';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

const actionSchema = z.object({ changePushAction: changePushActionSchema });

let sandbox: Sandbox;
let product: Product;
let domain: ConnectedDomain;
let api: Api;

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 500 });
  product = await startProduct(inject('postgresUrl'));
  api = product.admin;
  domain = await connectSandbox(api, sandbox, { database: 'test' });
  await waitUntilCached(api, domain.table('customers'));
  await waitUntilCached(api, domain.table('journal-entries'));
});
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});

/** The sandbox asked directly, past Sluice. */
async function erp(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${sandbox.url}/odata/test/companies('NL01')/${path}`, {
    method,
    headers: {
      authorization: `Basic ${btoa('sandbox:sandbox')}`,
      'content-type': 'application/json',
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    body: (await response.json().catch(() => null)) as Record<string, unknown> | null,
  };
}

function cityOf(body: Record<string, unknown> | null): string {
  return (body?.address as { city: string } | undefined)?.city ?? '';
}

const entry = (description: string) => ({
  entryDate: '2026-03-04',
  journal: 'memo',
  account: 1302,
  description,
  debit: 1,
  credit: 0,
  currency: 'EUR',
});

/** `$batch` calls that the sandbox got since then. */
async function batchesSince(moment: Date): Promise<number> {
  const response = await fetch(`${sandbox.url}/admin/log`, {
    headers: { authorization: `Basic ${btoa('sandbox:sandbox')}` },
  });
  const { last } = z
    .object({ last: z.array(z.object({ at: z.coerce.date(), path: z.string() })) })
    .parse(await response.json());
  return last.filter(({ at, path }) => at >= moment && path.endsWith('/$batch')).length;
}

async function faults(list: object[]): Promise<void> {
  const response = await fetch(`${sandbox.url}/admin/faults`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ faults: list }),
  });
  expect(response.status).toBeLessThan(300);
}

describe('push', () => {
  it("[PEND-13] [PEND-17] [GRID-13] sends only what was pushed: three good records leave pending, one bad stays with the ERP's reason", async () => {
    const table = tableOf(api, domain.table('customers'));
    const [first, second, third] = await table.find('limit=3&offset=10');
    await table.patch([
      { id: first!.internalId, changes: { 'address.city': 'Leiden' } },
      { id: second!.internalId, changes: { 'address.city': 'Delft' } },
      { id: third!.internalId, changes: { discountPercent: 55 } },
    ]);
    const before = await erp('GET', `Customers('${first!.number}')`);
    expect(cityOf(before.body)).not.toBe('Leiden');
    const result = await table.pushAll();
    expect(result.status).toBe('PARTIALLY_FAILED');
    expect(result.succeeded).toBe(2);
    const rejected = result.results.filter(({ outcome }) => outcome === 'rejected');
    expect(rejected).toHaveLength(1);
    expect(rejected[0]?.errCode).toMatch(/^CUST-/);
    const after = await erp('GET', `Customers('${first!.number}')`);
    expect(cityOf(after.body)).toBe('Leiden');
    const [left, ...more] = await table.pending();
    expect(more).toHaveLength(0);
    expect(left).toMatchObject({
      id: third!.internalId,
      state: 'rejected',
      pushErrors: [{ field: 'discountPercent' }],
    });
    await api.call('DELETE', `${table.path}/push`, { update: [third!.internalId] });
  });

  it('new records reach the ERP in the order of their rows, which is the order of the numbers that it gives', async () => {
    const table = tableOf(api, domain.table('journal-entries'));
    const descriptions = Array.from(
      { length: 350 },
      (_, index) => `in order ${String(index).padStart(3, '0')}`,
    );
    await table.insert(descriptions.map((description) => entry(description)));
    const result = await table.pushAll();
    expect(result).toMatchObject({ status: 'DONE', succeeded: 350 });
    const filter = encodeURIComponent(`startswith(description,'in order')`);
    const { body } = await erp(
      'GET',
      `JournalEntries?$select=number,description&$orderby=number&$filter=${filter}`,
      undefined,
      { prefer: 'odata.maxpagesize=1000' },
    );
    expect(
      ((body?.['value'] ?? []) as { description: string }[]).map(({ description }) => description),
    ).toEqual(descriptions);
  });
});

describe('cancelling', () => {
  it('[API-20] [PEND-17] what was not sent yet is shown as waiting, goes back to pending, and can be pushed again', async () => {
    const table = tableOf(api, domain.table('journal-entries'));
    await table.insert(Array.from({ length: 2600 }, (_, index) => entry(`cancelled ${index}`)));
    await faults([{ kind: 'latency', ms: 2500, method: 'POST', path: '$batch' }]);
    const insert = (await table.pending()).map(({ id }) => id);
    const started = await api.send('POST', `${table.path}/push`, { insert }, actionSchema);
    const id = started.changePushAction.internalId;
    const waiting = await api.get(`${table.path}/push/${id}?limit=1000&outcome=waiting`, actionSchema);
    expect(waiting.changePushAction.counts).toEqual({ insert: 2600, update: 0, delete: 0 });
    expect(waiting.changePushAction.results.at(-1)).toMatchObject({ outcome: 'waiting', action: 'add' });
    // Two calls are on their way, of a thousand records at most, and no other before one of them is answered.
    await sleep(1000);
    await api.call('DELETE', `${table.path}/push/${id}`);
    await faults([]);
    const end = await finished(api, table.path, id);
    expect(end.status).toBe('CANCELLED');
    const skipped = end.results.filter(({ outcome }) => outcome === 'skipped');
    expect(skipped.length).toBeGreaterThan(0);
    expect(end.succeeded + skipped.length).toBe(2600);
    expect(end.results.map(({ id: rid }) => rid)).toEqual(insert);
    const left = await table.pending();
    expect(left.map((operation) => operation.id)).toEqual(skipped.map(({ id: rid }) => rid));
    expect(left.every(({ state }) => state !== 'beingPushed')).toBe(true);
    expect((await table.pushAll()).succeeded).toBe(skipped.length);
    const found = await erp(
      'GET',
      `JournalEntries?$filter=startswith(description,'cancelled')&$count=true&$top=1`,
    );
    expect(found.body?.['@odata.count']).toBe(2600);
  });
});

describe('the pace of a push', () => {
  it('is the one that the last push of the table ended with: a later one begins with larger calls', async () => {
    const table = tableOf(api, domain.table('journal-entries'));
    // Beginning with 100 records anew would take two calls; how large the call can be depends on this machine's speed.
    for (const [mark, count] of [
      ['first', 700],
      ['later', 120],
    ] as const) {
      await table.insert(Array.from({ length: count }, (_, index) => entry(`${mark} pace ${index}`)));
      const start = new Date();
      expect(await table.pushAll()).toMatchObject({ status: 'DONE', succeeded: count });
      if (mark === 'later') expect(await batchesSince(start)).toBe(1);
    }
  });
});

describe('a limit of the external system', () => {
  const domainPath = () => `/api/v1/manage/systems/${domain.systemUrl}/domains/${domain.domainId}`;

  async function startWithoutCalls(mark: string): Promise<{ table: ReturnType<typeof tableOf>; id: string }> {
    const { resource } = z
      .object({ resource: z.object({ apiCallsUsed: z.number() }) })
      .parse((await api.call('GET', domainPath())).body);
    await api.call('PATCH', domainPath(), { maxApiCalls: resource.apiCallsUsed });
    return await startWaiting(mark);
  }

  async function startWaiting(mark: string): Promise<{ table: ReturnType<typeof tableOf>; id: string }> {
    const table = tableOf(api, domain.table('journal-entries'));
    await table.insert([entry(mark)]);
    const insert = (await table.pending()).map(({ id }) => id);
    const started = await api.send('POST', `${table.path}/push`, { insert }, actionSchema);
    const id = started.changePushAction.internalId;
    await waitFor('the push to wait', async () => (await stateOf(table.path, id)).message !== null);
    return { table, id };
  }

  const stateOf = async (path: string, id: string) =>
    (await api.get(`${path}/push/${id}?limit=0`, actionSchema)).changePushAction;

  it('of calls a day is waited for: the push says so and goes on when there are calls again', async () => {
    const { table, id } = await startWithoutCalls('waits for calls');
    expect(await stateOf(table.path, id)).toMatchObject({
      status: 'RUNNING',
      message: expect.stringMatching(/all API calls that the domain may make today/),
    });
    await api.call('PATCH', domainPath(), { maxApiCalls: null });
    expect(await finished(api, table.path, id)).toMatchObject({
      status: 'DONE',
      succeeded: 1,
      message: null,
    });
    const attempts = await product.query('select attempts from push_item where push_id = $1', [id]);
    expect(attempts).toEqual([{ attempts: 1 }]);
  });

  it('that it told somebody else is waited for in sight, and by nobody who cancels', async () => {
    const pause = `update connection_limit set paused_until = now() + $1::interval where domain_id = $2`;
    await product.query(pause, ['15 seconds', domain.domainId]);
    const { table, id } = await startWaiting('waits for others');
    expect(await stateOf(table.path, id)).toMatchObject({
      status: 'RUNNING',
      message: 'the external system asks for fewer calls',
    });
    expect(await finished(api, table.path, id)).toMatchObject({ status: 'DONE', message: null });

    await product.query(pause, ['10 minutes', domain.domainId]);
    const again = await startWaiting('does not wait for others');
    await api.call('DELETE', `${table.path}/push/${again.id}`);
    expect(await finished(api, table.path, again.id)).toMatchObject({ status: 'CANCELLED' });
    await product.query(pause, ['0 seconds', domain.domainId]);
    expect(await table.pushAll()).toMatchObject({ status: 'DONE', succeeded: 1 });
  });

  it('that a process waited for which stopped over it is said no more when the next one goes on', async () => {
    const pause = `update connection_limit set paused_until = now() + $1::interval where domain_id = $2`;
    await product.query(pause, ['10 minutes', domain.domainId]);
    const { table, id } = await startWaiting('waits across a restart');
    await faults([{ kind: 'latency', ms: 3000, method: 'POST' }]);
    await product.close();
    await product.query(pause, ['0 seconds', domain.domainId]);
    product = await startProduct(inject('postgresUrl'), { databaseUrl: product.databaseUrl });
    api = product.admin;
    await waitFor('the push to go on', async () => (await stateOf(table.path, id)).message === null);
    expect(await stateOf(table.path, id)).toMatchObject({ status: 'RUNNING', message: null });
    await faults([]);
    expect(await finished(api, table.path, id)).toMatchObject({ status: 'DONE', succeeded: 1 });
  });

  it('is not waited for by who cancels', async () => {
    const { table, id } = await startWithoutCalls('cancelled while it waits');
    await api.call('DELETE', `${table.path}/push/${id}`);
    expect(await finished(api, table.path, id)).toMatchObject({ status: 'CANCELLED', succeeded: 0 });
    await api.call('PATCH', domainPath(), { maxApiCalls: null });
    expect(await table.pending()).toMatchObject([{ state: 'pending' }]);
    expect(await table.pushAll()).toMatchObject({ status: 'DONE', succeeded: 1 });
  });
});

describe('conflicts', () => {
  it('[PEND-09] a record that somebody changed in the ERP since is not overwritten: old, theirs and mine are kept', async () => {
    const table = tableOf(api, domain.table('customers'));
    const [record] = await table.find('limit=1&offset=30');
    const old = (record!.address as { city: string }).city;
    await table.patch([{ id: record!.internalId, changes: { 'address.city': 'Mine' } }]);
    const live = await erp('GET', `Customers('${record!.number}')`);
    const touched = await erp(
      'PATCH',
      `Customers('${record!.number}')`,
      { address: { city: 'Theirs' } },
      { 'if-match': String(live.body?.['@odata.etag']) },
    );
    expect(touched.status).toBeLessThan(300);
    const result = await table.pushAll();
    expect(result.status).toBe('FAILED');
    expect(result.results[0]).toMatchObject({ outcome: 'rejected', errCode: 'CHANGED_IN_EXTERNAL_SYSTEM' });
    const [operation] = await table.pending();
    expect(operation?.changes[0]).toMatchObject({
      fieldName: 'address.city',
      oldValue: old,
      newValue: 'Mine',
      theirs: 'Theirs',
    });
    // Our own words are in the reader's language wherever he meets them.
    const dutch = await api.call('GET', `${table.path}/pending`, undefined, { 'accept-language': 'NL' });
    expect(JSON.stringify(dutch.body)).toContain('In het externe systeem gewijzigd sinds u het zag: City');
    const now = await erp('GET', `Customers('${record!.number}')`);
    expect(cityOf(now.body)).toBe('Theirs');
    await api.send(
      'POST',
      `${table.path}/pending/resolve`,
      [{ id: record!.internalId, choice: 'keepMine' }],
      z.unknown(),
    );
    expect((await table.pushAll()).status).toBe('DONE');
    expect(cityOf((await erp('GET', `Customers('${record!.number}')`)).body)).toBe('Mine');
  });

  it('a change of another field in the ERP is no conflict: the version is taken anew and the update goes through', async () => {
    const table = tableOf(api, domain.table('customers'));
    const [record] = await table.find('limit=1&offset=31');
    await table.patch([{ id: record!.internalId, changes: { 'address.city': 'Ours' } }]);
    const live = await erp('GET', `Customers('${record!.number}')`);
    await erp(
      'PATCH',
      `Customers('${record!.number}')`,
      { address: { street: 'Elsewhere 1' } },
      { 'if-match': String(live.body?.['@odata.etag']) },
    );
    expect((await table.pushAll()).status).toBe('DONE');
    const now = await erp('GET', `Customers('${record!.number}')`);
    expect(now.body?.address).toMatchObject({ city: 'Ours', street: 'Elsewhere 1' });
  });

  it('[PEND-13] [PEND-17] records whose version moved before the push all go through, however many calls meet one', async () => {
    const table = tableOf(api, domain.table('customers'));
    const records = await table.find('limit=1300&orderBy=number');
    expect(records.length).toBe(1300);
    await table.patch(
      records.map(({ internalId: id }, index) => ({ id, changes: { 'address.city': `Town ${index}` } })),
    );
    // One in every call that follows, so that what was marked sent behind it is taken back each time.
    for (let at = 50; at < records.length; at += 100) {
      const number = String(records[at]!.number);
      const live = await erp('GET', `Customers('${number}')`);
      const touched = await erp(
        'PATCH',
        `Customers('${number}')`,
        { notes: `touched ${at}` },
        { 'if-match': String(live.body?.['@odata.etag']) },
      );
      expect(touched.status).toBeLessThan(300);
    }
    const result = await table.pushAll();
    expect(result.results.filter(({ outcome }) => outcome !== 'succeeded')).toEqual([]);
    expect(result.succeeded).toBe(records.length);
    expect(await table.pending()).toEqual([]);
  });
});

describe('lost answers', () => {
  it('a call cut before the ERP took it is sent again, also when a thousand new records stand beside it', async () => {
    const table = tableOf(api, domain.table('journal-entries'));
    const count = async () =>
      Number((await erp('GET', 'JournalEntries?$count=true&$top=0')).body?.['@odata.count']);
    const countBefore = await count();
    await table.insert(
      Array.from({ length: 1300 }, (_, index) => ({
        entryDate: '2026-03-05',
        journal: 'memo',
        account: 1302,
        description: `Before ${index}`,
        debit: 1,
        credit: 0,
        currency: 'EUR',
      })),
    );
    const operations = (await table.pending()).map(({ id }) => id);
    expect((await push(api, table.path, { insert: operations.slice(0, 1100) })).succeeded).toBe(1100);
    await faults([{ kind: 'cutBefore', times: 1, method: 'POST' }]);
    expect(await table.pushAll()).toMatchObject({ status: 'DONE', succeeded: 200 });
    expect((await count()) - countBefore).toBe(1300);
  });

  it('an answer cut after the ERP committed leads to a probe, not to a second insert', async () => {
    const table = tableOf(api, domain.table('journal-entries'));
    const countBefore = (await erp('GET', 'JournalEntries?$count=true&$top=0')).body?.['@odata.count'];
    await table.insert(
      [1, 2, 3].map((n) => ({
        entryDate: '2026-03-04',
        journal: 'memo',
        account: 1302,
        description: `Cut ${n}`,
        debit: n,
        credit: 0,
        currency: 'EUR',
      })),
    );
    await faults([{ kind: 'cutAfterCommit', times: 1, method: 'POST' }]);
    const result = await table.pushAll();
    expect(result).toMatchObject({ status: 'DONE', succeeded: 3 });
    const countAfter = (await erp('GET', 'JournalEntries?$count=true&$top=0')).body?.['@odata.count'];
    expect(Number(countAfter) - Number(countBefore)).toBe(3);
    expect(await table.pending()).toHaveLength(0);
    await waitFor(
      'the new key in the table',
      async () => (await table.where('description', 'Cut 2'))[0]?.number ?? null,
    );
  });
});
