import type { CompanyContent, Domain, DomainActivity } from '@sluice/contract';
import type { Sandbox } from '@sluice/sandbox';
import {
  type Api,
  type Product,
  startProduct,
  startSandbox,
  waitFor,
  waitUntilCached,
} from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

let sandbox: Sandbox;
let product: Product;
let api: Api;
let path: string;
let domain: Domain;

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 100 });
  product = await startProduct(inject('postgresUrl'), { sandboxUrl: sandbox.url });
  api = product.admin;
  const domains = '/api/v1/manage/systems/sandbox-erp/domains';
  const { resources } = (await api.call('GET', domains)).body as { resources: Domain[] };
  domain = resources.find(({ name }) => name === 'Test') as Domain;
  path = `${domains}/${domain.internalId}`;
  await waitFor('a first load', async () => (await read()).history[0]?.status === 'ACTIVE');
});
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});

const read = async (): Promise<DomainActivity> =>
  ((await api.call('GET', `${path}/activity`)).body as { resource: DomainActivity }).resource;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

describe('what a domain is doing', () => {
  it('the calls of today stand in their hours and as the last of fourteen days', async () => {
    const one = async () => {
      const { calls } = await read();
      const { resource } = (await api.call('GET', path)).body as { resource: Domain };
      const last = calls.days.at(-1);
      return sum(calls.hours) === last?.calls && last.calls === resource.apiCallsUsed ? calls : null;
    };
    const calls = await waitFor('no call between the reads', one);
    expect(calls.hours).toHaveLength(24);
    expect(calls.days).toHaveLength(14);
    expect(sum(calls.hours)).toBeGreaterThan(10);
    await product.query(
      `insert into domain_calls (domain_id, hour, calls) values ($1, date_trunc('hour', now() - interval '3 days'), 77)`,
      [domain.internalId],
    );
    expect((await read()).calls.days[10]?.calls).toBe(77);
  });

  it('each change of the status says when, why and by whom; saving without a change adds none', async () => {
    const change = async (body: object): Promise<void> => {
      expect((await api.call('PATCH', path, body)).status).toBe(200);
    };
    const before = (await read()).history;
    expect(before.at(-1)).toMatchObject({ status: 'NEVER_SYNCED', by: null });
    await change({ isPaused: true });
    await change({ name: 'Test' });
    await change({ isPaused: false });
    await change({ isActive: false });
    await change({ isActive: true });
    const { history } = await read();
    expect(history.slice(0, history.length - before.length).map(({ status, by }) => [status, by])).toEqual([
      ['ACTIVE', 'Ada Minster'],
      ['INACTIVE', 'Ada Minster'],
      ['ACTIVE', 'Ada Minster'],
      ['SYNC_PAUSED', 'Ada Minster'],
    ]);
    await product.query(`update domain set url = 'http://127.0.0.1:1/odata' where domain_id = $1`, [
      domain.internalId,
    ]);
    await change({ password: 'wrong', url: `${sandbox.url}/odata` });
    await api.call('POST', `${path}/refresh`);
    const found = await waitFor('the refusal', async () => {
      const [newest] = (await read()).history;
      return newest?.status === 'INVALID_CREDENTIALS_OR_URL' ? newest : null;
    });
    expect(found.by).toBeNull();
    expect(found.message).not.toBe('');
    await change({ password: 'sandbox' });
    // What was under way, or the first table read with it, may have come after.
    expect((await read()).history).toContainEqual(
      expect.objectContaining({ status: 'NEVER_SYNCED', by: 'Ada Minster' }),
    );
  });

  it('a refresh that somebody asks for shows its tables until they are read', async () => {
    const done = async (): Promise<boolean> => {
      const { reading } = await read();
      return reading.waiting === 0 && reading.current.length === 0 && reading.failed.length === 0;
    };
    await waitFor('quiet', done);
    expect((await api.call('POST', `${path}/refresh`)).status).toBe(204);
    const { reading } = await read();
    expect(reading.tables).toBeGreaterThan(20);
    expect(reading.waiting + reading.current.length).toBeGreaterThan(5);
    await waitFor('the end of it', done);
  });

  it('the companies tell what is kept of them', async () => {
    const customers = '/api/v1/data/sandbox-erp/domains/test/companies/UTR/customers';
    await waitUntilCached(api, customers);
    const contents = async (): Promise<CompanyContent[]> =>
      ((await api.call('GET', `${path}/companies/contents`)).body as { resources: CompanyContent[] })
        .resources;
    const before = (await contents()).find(({ internalId }) => internalId === 'NL01');
    expect(before).toMatchObject({ pending: 0 });
    expect(before?.records).toBeGreaterThan(2000);
    const inserted = await api.call('POST', customers, { name: 'Nobody yet' });
    expect(inserted.status, JSON.stringify(inserted.body)).toBeLessThan(300);
    expect((await contents()).find(({ internalId }) => internalId === 'NL01')?.pending).toBe(1);
  });

  it('is shown to nobody without the right to read domains', async () => {
    const stranger = await product.addUser({ username: 'stranger' });
    expect((await stranger.call('GET', `${path}/activity`)).status).toBe(403);
    expect((await stranger.call('GET', `${path}/companies/contents`)).status).toBe(403);
  });
});
