import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from './index.ts';
import { record, TestClient } from './test-client.ts';

describe('the fault switches of the sandbox', () => {
  let sandbox: Sandbox;
  let api: TestClient;
  beforeAll(async () => {
    sandbox = await startSandbox({ journalEntries: 100 });
    api = new TestClient(sandbox);
  });
  afterEach(() => api.faults());
  afterAll(() => sandbox.close());

  const budget = async () => record((await api.call('GET', "CostCentres('K101')")).body)['budget'];
  const change = (value: number) => api.call('PATCH', "CostCentres('K101')", { budget: value });

  it('fails every n-th request, only where it matches, and only so often', async () => {
    await api.faults({
      kind: 'fail',
      status: 429,
      every: 2,
      times: 2,
      method: 'GET',
      path: 'Projects',
      retryAfterSeconds: 7,
    });
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await api.call('GET', 'Projects?$top=1')).status);
    expect(statuses).toEqual([200, 429, 200, 429, 200, 200]);
    expect((await api.call('GET', 'Suppliers?$top=1')).status).toBe(200);
    await api.faults({ kind: 'fail', status: 429, retryAfterSeconds: 7 });
    expect((await api.call('GET', 'Projects')).headers.get('retry-after')).toBe('7');
  });

  it('cuts the line before it does anything', async () => {
    const before = await budget();
    await api.faults({ kind: 'cutBefore', method: 'PATCH' });
    await expect(change(1111)).rejects.toThrow();
    expect(await budget()).toBe(before);
  });

  it('cuts the line after it did the work', async () => {
    await api.faults({ kind: 'cutAfterCommit', times: 1 });
    await expect(change(2222)).rejects.toThrow();
    expect(await budget()).toBe(2222);
  });

  it('answers a web page, or half an answer', async () => {
    await api.faults({ kind: 'html', times: 1 });
    const page = await api.call('GET', 'Projects');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html']);
    await api.faults({ kind: 'truncate', times: 1 });
    await expect(api.call('GET', 'Projects')).rejects.toThrow();
  });

  it('finishes what it received although the client went away', async () => {
    await api.faults({ kind: 'latency', ms: 150, method: 'PATCH' });
    const abort = new AbortController();
    const sent = fetch(new URL(`${api.company}CostCentres('K101')`, sandbox.url), {
      method: 'PATCH',
      headers: { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ budget: 3333 }),
      signal: abort.signal,
    });
    setTimeout(() => abort.abort(), 50);
    await expect(sent).rejects.toThrow();
    await expect.poll(budget).toBe(3333);
  });

  it('takes a field away from metadata and records', async () => {
    await api.faults({ kind: 'dropField', collection: 'Projects', field: 'balance' });
    const { text } = await api.call('GET', '$metadata');
    expect(text).not.toContain('Name="balance"');
    const { value } = await api.query('Projects', { $top: '1' });
    expect(value[0]).not.toHaveProperty('balance');
    await api.faults();
    expect((await api.call('GET', '$metadata')).text).toContain('Name="balance"');
  });

  it('fails single requests inside a batch', async () => {
    await api.faults({ kind: 'fail', status: 429, inBatch: true, retryAfterSeconds: 3, path: 'K102' });
    const requests = ['K101', 'K102'].map((key) => ({
      id: key,
      method: 'GET',
      url: `CostCentres('${key}')`,
    }));
    const { body } = await api.call('POST', '$batch', { requests });
    expect(record(body)['responses']).toMatchObject([
      { id: 'K101', status: 200 },
      { id: 'K102', status: 429, headers: { 'retry-after': '3' } },
    ]);
  });

  it('refuses switches that it does not have', async () => {
    const { status, body } = await api.raw('POST', '/admin/faults', { faults: [{ kind: 'nothing' }] });
    expect(status).toBe(400);
    expect(record(body)['error']).toMatchObject({ code: 'BAD-REQUEST' });
  });

  it('counts its requests', async () => {
    const log = async () => record((await api.raw('GET', '/admin/log')).body);
    const before = Number((await log())['total']);
    await api.call('GET', 'Projects?$top=1');
    const after = await log();
    expect(after['total']).toBe(before + 2);
    const last = Array.isArray(after['last']) ? after['last'].map(record) : [];
    // The last one is the question itself.
    expect(last.at(-2)).toMatchObject({ method: 'GET', path: `${api.company}Projects`, status: 200 });
  });
});
