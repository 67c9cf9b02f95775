import { type Run, runSchema, sourceUpdateFailureSchema } from '@sluice/contract';
import { type Sandbox, startSandbox } from '@sluice/sandbox';
import { type Api, type Product, startProduct, waitFor } from '@sluice/testing';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startMailServer, startWebhook } from '../test-support/receivers.ts';
import { actionReply, connectVendors, type Vendors } from '../test-support/vendors.ts';

const rows = 30;

let sandbox: Sandbox;
let product: Product;
let api: Api;
let shop: Vendors;
const mails: string[] = [];
const hooks: { kind: string; message: string }[] = [];
const close: (() => void)[] = [];

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 100 });
  const smtp = await startMailServer(mails);
  const hook = await startWebhook(hooks);
  close.push(smtp.close, hook.close);
  product = await startProduct(inject('postgresUrl'), {
    mail: { url: `smtp://127.0.0.1:${smtp.port}`, from: 'Sluice <sluice@example.org>' },
  });
  api = product.admin;
  shop = await connectVendors(api, {
    postgresUrl: inject('postgresUrl'),
    sandboxUrl: sandbox.url,
    count: rows,
    alerts: { emails: ['keeper@example.org'], webhookUrl: `http://127.0.0.1:${hook.port}/alerts` },
  });
  await shop.change({ mappings: shop.mappings() });
}, 120_000);
afterAll(async () => {
  await product?.stop();
  for (const stop of close) stop();
  await sandbox?.close();
  await shop?.drop();
});

const runReply = z.object({ resource: runSchema, sourceUpdateFailures: z.array(sourceUpdateFailureSchema) });
const details = async (run: Run, locale = 'en') =>
  await api.get(`${shop.action}/runs/${run.internalId}`, runReply, { 'accept-language': locale });

/** Changes the shop's table; its adapter believes for two seconds what it saw of it last. */
const alter = async (change: string): Promise<void> => {
  await shop.query(`alter table vendor ${change}`);
  await new Promise((resolve) => setTimeout(resolve, 2100));
};

/** A mail as it is read: the parts of its body decoded. */
const readable = (mail: string): string =>
  mail
    .replace(/=\n/g, '')
    .replace(/(?:=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString('utf8'));

describe('what a run cannot do is told', () => {
  it('a field of the source that is gone stops the run before anything is written, and is named', async () => {
    expect((await shop.runNow()).counts).toMatchObject({ inserted: rows });
    await alter('rename column town to place');
    const run = await shop.runNow();
    expect(run).toMatchObject({ status: 'FAILED', current: 0, counts: { updated: 0, failed: 0 } });
    expect(run.message).toContain('town');
    expect(run.message).toMatch(/City/i);
    const first = (await shop.target.where('iban', 'NL91ABNA0000000001'))[0];
    expect(first).toMatchObject({ address: { city: 'Delft' } });
    await alter('rename column place to town');
    expect((await shop.runNow()).counts).toMatchObject({ unchanged: rows });
  });

  it('a field that has another type by now stops the run too; who keeps the connector hears of it in both languages', async () => {
    await shop.change({
      triggers: [{ internalId: 't', name: 'All', sourceRecordSelection: 'all', conditions: [] }],
      schedule: { kind: 'interval', minutes: 40_000 },
      isActive: true,
    });
    await alter('alter column title type timestamptz using now()');
    await product.query('update action set next_run_at = now()');
    await waitFor('the alert', async () => mails.length > 0 && hooks.length > 0, 40_000);
    const mail = readable(mails[0] ?? '');
    expect(mail).toContain('do not fit the tables any more');
    expect(mail).toContain('passen niet meer bij de tabellen');
    expect(hooks[0]).toMatchObject({ kind: 'failed' });
    const { resource } = await api.get(shop.action, actionReply);
    expect(resource.status).toBe('ERROR_OTHER');
    expect((await shop.target.pending()).filter(({ action }) => action === 'update')).toEqual([]);
    await shop.change({ isActive: false });
    await alter(`alter column title type text using 'Vendor ' || id`);
  });

  it('an outcome that the source refuses is told, stands at the run, and is tried again when asked', async () => {
    const numbered = [
      {
        targetField: 'erp_number',
        mappingSources: [
          {
            sourceOptionId: shop.sourceId,
            source: { type: 'targetValue', field: 'number' },
            transformFns: [],
          },
        ],
      },
    ];
    const nothing = { success: [], failure: [] };
    await shop.change({
      sourceUpdateConfigs: {
        onPost: { success: numbered, failure: [] },
        onPatch: nothing,
        onDelete: nothing,
      },
    });
    await shop.query(`alter table vendor add constraint no_numbers check (erp_number is null)`);
    const run = await shop.runNow();
    hooks.length = 0;
    mails.length = 0;
    expect((await shop.target.pushAll()).succeeded).toBe(rows);
    await waitFor('the failures', async () => (await details(run)).resource.sourceUpdates.failed === rows);
    const { sourceUpdateFailures } = await details(run);
    expect(sourceUpdateFailures).toHaveLength(rows);
    expect(sourceUpdateFailures[0]?.message).toContain('no_numbers');
    await waitFor('the alert', async () => mails.length > 0 && hooks.length > 0, 40_000);
    expect(hooks[0]).toMatchObject({ kind: 'writeBack' });
    expect(hooks[0]?.message).toContain('source updates of Vendors failed');
    expect(readable(mails[0] ?? '')).toContain('bronupdates van Vendors zijn mislukt');

    await shop.query('alter table vendor drop constraint no_numbers');
    const retried = await api.send(
      'POST',
      `${shop.action}/runs/${run.internalId}/source-updates/retry`,
      undefined,
      z.object({ retried: z.number() }),
    );
    expect(retried.retried).toBe(rows);
    const numbers = async () =>
      (await shop.query<{ n: number }>('select count(erp_number)::int as n from vendor'))[0]?.n;
    await waitFor('the numbers in the source', async () => (await numbers()) === rows);
    expect((await details(run)).resource.sourceUpdates).toEqual({ waiting: 0, failed: 0 });
  });
});
