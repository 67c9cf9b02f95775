import { type Run, runSchema, sourceUpdateFailureSchema } from '@sluice/contract';
import type { Sandbox } from '@sluice/sandbox';
import { type Api, type Product, startProduct, startSandbox, waitFor } from '@sluice/testing';
import { channel } from '../../../platform/mutate.ts';
import pg from 'pg';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { listen } from '../../notifications/test-support/listen.ts';
import { startMailServer, startWebhook } from '../test-support/receivers.ts';
import { fromField, makeAction, runAction } from '../test-support/action.ts';
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
    more: [
      `create function note_read(n int) returns int language plpgsql as
        'begin update vendor set note = ''was read'' where id = n; return n; end'`,
      `create view spied as select note_read(id) as id, 'Spied ' || id as title, account from vendor`,
    ],
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

const retry = async (run: Run): Promise<{ retried: number }> =>
  await api.send(
    'POST',
    `${shop.action}/runs/${run.internalId}/source-updates/retry`,
    undefined,
    z.object({ retried: z.number() }),
  );

/** Changes the shop's table; its adapter believes for two seconds what it saw of it last. */
const alter = async (change: string): Promise<void> => {
  await shop.query(`alter table vendor ${change}`);
  await new Promise((resolve) => setTimeout(resolve, 2100));
};

/** Waits for what a worker does when it looks next, and has it look at once, as a push that begins would. */
const waitForWorker = async (what: string, check: () => Promise<boolean>): Promise<true> =>
  await waitFor(
    what,
    async () => {
      await product.query(`select pg_notify($1, '{"topic":"push","pushId":""}')`, [channel]);
      return await check();
    },
    40_000,
    250,
  );

/** A mail as it is read: the parts of its body decoded. */
const readable = (mail: string): string =>
  mail
    .replace(/=\n/g, '')
    .replace(/(?:=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString('utf8'));

const noUpdates = {
  onPost: { success: [], failure: [] },
  onPatch: { success: [], failure: [] },
  onDelete: { success: [], failure: [] },
};

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
    await waitForWorker('the alert', async () => mails.length > 0 && hooks.length > 0);
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

  it('a source that would write when it is read is refused by its database, by test and by run, with its name and the code', async () => {
    const mappings = [
      { targetField: 'name', mappingSources: fromField('spied', 'title') },
      { targetField: 'iban', isUnique: true, mappingSources: fromField('spied', 'account') },
      { targetField: 'currency', defaultValue: 'EUR', mappingSources: fromField('spied', 'title') },
    ];
    const connector = shop.action.slice(0, shop.action.indexOf('/actions/'));
    const action = await makeAction(api, connector, {
      name: 'Spied',
      source: 'spied',
      target: 'suppliers',
      mappings,
    });
    const query = { source: 'spied', limit: 10 };
    const said = await api.call('POST', `${action}/test-run`, { mappings, trigger: null, query });
    const refusal = /“spied” wants to change the database.*cannot execute UPDATE.*\(25006\)/;
    expect(JSON.stringify(said.body)).toMatch(refusal);
    expect(said.status).toBeGreaterThanOrEqual(400);
    const run = await runAction(api, action);
    expect(run).toMatchObject({ status: 'FAILED', counts: { inserted: 0 } });
    expect(run.message).toMatch(refusal);
    expect(await shop.query('select id from vendor where note is not null')).toEqual([]);
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
    await shop.change({
      sourceUpdateConfigs: { ...noUpdates, onPost: { success: numbered, failure: [] } },
    });
    await shop.query(`alter table vendor add constraint no_numbers check (erp_number is null)`);
    const run = await shop.runNow();
    hooks.length = 0;
    mails.length = 0;
    expect((await shop.target.pushAll()).succeeded).toBe(rows);
    await waitForWorker(
      'the failures',
      async () => (await details(run)).resource.sourceUpdates.failed === rows,
    );
    const { sourceUpdateFailures } = await details(run);
    expect(sourceUpdateFailures).toHaveLength(rows);
    expect(sourceUpdateFailures[0]?.message).toContain('no_numbers');
    await waitForWorker('the alert', async () => mails.length > 0 && hooks.length > 0);
    expect(hooks[0]).toMatchObject({ kind: 'writeBack' });
    expect(hooks[0]?.message).toContain('source updates of Vendors failed');
    expect(readable(mails[0] ?? '')).toContain('bronupdates van Vendors zijn mislukt');

    // The same failure again is no news, however it is counted; what fails otherwise is.
    await shop.query(`create function not_today() returns trigger language plpgsql as
      'begin raise exception ''no changes today''; end'`);
    await shop.query(`create trigger not_today before update on vendor for each row when (old.id = 1)
      execute function not_today()`);
    expect((await retry(run)).retried).toBe(rows);
    await waitForWorker(
      'the failures',
      async () => (await details(run)).resource.sourceUpdates.failed === rows,
    );
    await waitForWorker('the second alert', async () => mails.length > 1 && hooks.length > 1);
    expect(hooks).toHaveLength(2);
    expect(hooks[1]?.message).toMatch(/^One source update of Vendors failed: .*no changes today/);
    expect(readable(mails[1] ?? '')).toContain('Eén bronupdate van Vendors is mislukt');

    await shop.query('alter table vendor drop constraint no_numbers');
    await shop.query('drop trigger not_today on vendor');
    // One is not there any more: nothing is to be written to it, and it is not counted as written.
    await shop.query('update vendor set id = 1002 where id = 2');
    expect((await retry(run)).retried).toBe(rows);
    const numbers = async () =>
      (await shop.query<{ n: number }>('select count(erp_number)::int as n from vendor'))[0]?.n;
    await waitForWorker('the numbers in the source', async () => (await numbers()) === rows - 1);
    // The source has them before the run counts them.
    await waitForWorker(
      'the run to count them',
      async () => (await details(run)).resource.sourceUpdates.waiting === 0,
    );
    expect((await details(run)).resource.sourceUpdates).toEqual({ written: rows - 1, waiting: 0, failed: 0 });
    await shop.query('update vendor set id = 2 where id = 1002');
  });

  it('since when a run stands still and when one should have begun is told in words, in the organisation’s time', async () => {
    hooks.length = 0;
    mails.length = 0;
    const own = await listen(api);
    await api.call('PATCH', '/api/v1/user/userprefs', [
      { op: 'replace', path: 'language', value: 'NL' },
      {
        op: 'replace',
        path: 'options/formats',
        value: { shortDate: 'dd-mm-yyyy', numberFormat: 'dotSeparated', fullDate: 'long' },
      },
    ]);
    // A process that holds its run and does nothing: the run is its own, and nobody else goes on with it.
    const runId = '0199a6c2-7b5e-7c64-8f1d-2a4b6c8d0e1f';
    const holder = new pg.Client({ connectionString: product.databaseUrl });
    await holder.connect();
    try {
      await holder.query('select pg_advisory_lock($1, hashtext($2))', [716_253_010, runId]);
      await holder.query(
        `insert into run (run_id, action_id, number, kind, version, status, request, is_pushed, collection_id, created_at, beat_at)
           select $1, action_id, 9000, 'scheduled', version, 'RUNNING', request, false, collection_id,
             '2026-03-10T08:10:00Z', '2026-03-10T08:15:42Z' from run order by number desc limit 1`,
        [runId],
      );
      await holder.query(`update action set is_active = true, next_run_at = '2026-07-01T12:00:00Z'`);
      await waitForWorker('the alerts', async () => mails.length > 1 && hooks.length > 1);
    } finally {
      await holder.query(`update action set is_active = false, next_run_at = null`);
      await holder.query('delete from run where run_id = $1', [runId]);
      await holder.end();
    }
    const told = new Map(hooks.map(({ kind, message }) => [kind, message]));
    expect(told.get('stuck')).toBe('A run of Vendors has not moved since 10 Mar 2026 09:15');
    expect(told.get('missed')).toBe('Vendors should have run on 1 Jul 2026 14:00 and did not');
    const read = mails.map(readable).join('\n');
    expect(read).toContain('staat stil sinds 10 mrt 2026 09:15');
    expect(read).toContain('had op 1 jul 2026 14:00 moeten lopen');
    // Each reader has his own way of writing dates.
    await waitFor('the notifications', async () => own.messages.length > 1);
    expect(own.messages.map(({ data }) => ('message' in data ? data.message : ''))).toEqual(
      expect.arrayContaining([
        'Een run van Vendors staat stil sinds dinsdag 10 maart 2026 09:15',
        'Vendors had op woensdag 1 juli 2026 14:00 moeten lopen, maar dat is niet gebeurd',
      ]),
    );
    own.close();
  });

  it('a schedule that fails as it did before says so once; after a run that went well it is news again', async () => {
    await shop.change({ sourceUpdateConfigs: noUpdates, isActive: true });
    hooks.length = 0;
    const scheduled = async (status: 'FAILED' | 'DONE'): Promise<void> => {
      const [last] = await product.query<{ n: number }>('select max(number)::int as n from run');
      await product.query('update action set next_run_at = now() where is_active');
      await waitForWorker(`a run that is ${status}`, async () => {
        const found = await product.query(
          `select 1 from run where kind = 'scheduled' and number > $1 and status = $2 and (status = 'DONE' or alerted_at is not null)`,
          [last?.n, status],
        );
        return found.length > 0;
      });
    };
    await scheduled('DONE');
    await alter('alter column title type timestamptz using now()');
    await scheduled('FAILED');
    await waitForWorker('the alert', async () => hooks.length === 1);
    await scheduled('FAILED');
    await alter(`alter column title type text using 'Vendor ' || id`);
    await scheduled('DONE');
    await alter('alter column title type timestamptz using now()');
    await scheduled('FAILED');
    await waitForWorker('the second alert', async () => hooks.length > 1);
    expect(hooks.map(({ kind }) => kind)).toEqual(['failed', 'failed']);
    await shop.change({ isActive: false });
  }, 120_000);

  it('of runs that fail in part more failures are news, fewer and as many are not; told as stuck is not told as failed', async () => {
    hooks.length = 0;
    /** A scheduled run that has ended by now, and what was heard once it was looked at. */
    const ended = async (
      failed: number,
      earlier: { toldStuck: boolean } = { toldStuck: false },
    ): Promise<string[]> => {
      const [run] = await product.query<{ id: string }>(
        `insert into run (action_id, number, kind, version, status, request, is_pushed, collection_id, failed,
            created_at, alerted_at, finished_at)
          select action_id, number + 1, 'scheduled', version, 'PARTIALLY_FAILED', request, false, collection_id, $1,
            now() - interval '1 hour', case when $2 then now() - interval '30 minutes' end, now()
          from run order by number desc limit 1 returning run_id as id`,
        [failed, earlier.toldStuck],
      );
      if (!earlier.toldStuck) {
        const marked = 'select 1 from run where run_id = $1 and alerted_at is not null';
        await waitForWorker(
          'the look at it',
          async () => (await product.query(marked, [run?.id])).length > 0,
        );
        // Whoever tells marks first; a look that finds nothing to tell leaves the webhook silent.
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      return hooks.splice(0).map(({ kind, message }) => `${kind}: ${message}`);
    };
    const told = (reason: string): string[] => [`failed: A run of Vendors ended badly: ${reason}`];
    expect(await ended(7, { toldStuck: true })).toEqual([]);
    expect(await ended(1)).toEqual(told('One record failed'));
    expect(await ended(3)).toEqual(told('3 records failed'));
    expect(await ended(3)).toEqual([]);
    expect(await ended(2)).toEqual([]);
    expect(await ended(5)).toEqual(told('5 records failed'));
  }, 120_000);
});
