import { type Run, runDaySchema, runFilterField, runSchema, testRunResultSchema } from '@sluice/contract';
import type { Sandbox } from '@sluice/sandbox';
import { type Api, type Product, startProduct, startSandbox, waitFor } from '@sluice/testing';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startMailServer, startWebhook } from '../test-support/receivers.ts';
import { actionReply, connectVendors, type Vendors } from '../test-support/vendors.ts';

const started = z.object({ run: runSchema });
const rows = 60;
/** The account of a vendor of the shop. */
const iban = (n: number): string => `NL91ABNA${String(n).padStart(10, '0')}`;

let sandbox: Sandbox;
let product: Product;
let api: Api;
let shop: Vendors;
const mails: string[] = [];
const hooks: unknown[] = [];
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
}, 120_000);
afterAll(async () => {
  await product?.stop();
  for (const stop of close) stop();
  await sandbox?.close();
  await shop?.drop();
});

const last = async (): Promise<Run> => {
  const { resources } = await api.get(
    `${shop.action}/runs?limit=1`,
    z.object({ resources: z.array(runSchema) }),
  );
  return resources[0]!;
};

/** The action's next run, begun by its schedule. */
const scheduled = async (): Promise<Run> => {
  const { number } = await last();
  await product.query('update action set next_run_at = now()');
  await waitFor('the scheduled run to end', async () => {
    const run = await last();
    return run.number > number && run.finishedAt !== null;
  });
  return await last();
};

describe('runs', () => {
  it('[ACT-05] [XFORM-01] [TRIG-11] the action comes with the fields of both ends, macros, functions and operators', async () => {
    const { metadata } = await api.get(
      shop.action,
      z.object({
        metadata: z.object({
          target: z.object({ fields: z.array(z.looseObject({ path: z.string(), group: z.string() })) }),
          sources: z.array(
            z.object({ fields: z.array(z.looseObject({ path: z.string() })), problem: z.null() }),
          ),
          macros: z.array(z.looseObject({ id: z.string() })),
          transformFns: z.array(z.looseObject({ id: z.string() })),
          triggerConditionOperators: z.array(z.looseObject({ id: z.string() })),
        }),
      }),
    );
    expect(metadata.sources[0]?.fields.map(({ path }) => path)).toContain('title');
    const group = (path: string) => metadata.target.fields.find((field) => field.path === path)?.group;
    expect([group('name'), group('address.city'), group('leadTime')]).toEqual([
      'mandatory',
      'optional',
      'hidden',
    ]);
    expect(metadata.macros.map(({ id }) => id)).toContain('now');
    expect(metadata.transformFns.map(({ id }) => id)).toContain('translate');
    expect(metadata.triggerConditionOperators.map(({ id }) => id)).toEqual([
      'in',
      'notIn',
      'contains',
      'doesNotContain',
      'beginsWith',
      'endsWith',
    ]);
  });

  it('a run before the mandatory fields are mapped says which are missing', async () => {
    const refused = await api.call('POST', `${shop.action}/manual-run`, {});
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'MAPPINGS_NOT_SET_UP' });
    expect(JSON.stringify(refused.body)).toContain('IBAN');
  });

  it('[MAP-15] [XFORM-02] [XFORM-05] mappings that cannot work are refused, each at its place and in words', async () => {
    const { resource } = await api.get(shop.action, actionReply);
    const from = (field: string, transformFns: object[] = []) => [
      { sourceOptionId: shop.sourceId, source: { type: 'sourceValue', field }, transformFns },
    ];
    const refused = await api.call('PATCH', shop.action, {
      revision: resource.revision,
      changes: {
        mappings: [
          { targetField: 'name', mappingSources: from('nowhere') },
          { targetField: 'iban', mappingSources: from('account', [{ fnId: 'gone' }]) },
          { targetField: 'leadTime', mappingSources: from('town') },
          {
            targetField: 'email',
            mappingSources: from('town', [{ fnId: 'regexReplace', args: { re: '(', by: '' } }]),
          },
        ],
        triggers: [
          {
            internalId: 't',
            name: 'T',
            sourceRecordSelection: 'all',
            conditions: [
              { field: 'town', operator: 'resembles', comparison: 'singleValue', value: 'x', values: [] },
            ],
          },
        ],
      },
    });
    expect(refused.status).toBe(422);
    const { fieldErrors } = refused.body as { fieldErrors: { field: string; message: string }[] };
    const at = (path: string) => fieldErrors.find(({ field }) => field.startsWith(path))?.message;
    expect(at('mappings[0]')).toContain('nowhere');
    expect(at('mappings[1].mappingSources[0].transformFns[0]')).toContain('gone');
    expect(at('mappings[2]')).toBeTruthy();
    expect(at('mappings[3].mappingSources[0].transformFns[0]')).toBeTruthy();
    expect(at('triggers[0].conditions[0]')).toContain('resembles');
  });

  it('[RUN-01] [RUN-05] a test run shows what would become of each record, step by step, and writes nothing', async () => {
    const count = async () =>
      (
        await product.query<{ n: string }>(
          `select (select count(*) from link) + (select count(*) from run) + (select count(*) from run_failure) +
           (select count(*) from notification) + (select count(*) from audit) + (select count(*) from edit) as n`,
        )
      )[0]?.n;
    const before = await count();
    const result = await api.send(
      'POST',
      `${shop.action}/test-run`,
      { mappings: shop.mappings(), trigger: null, query: { source: shop.sourceId, limit: 3, orderBy: 'id' } },
      testRunResultSchema,
    );
    expect(result.results).toHaveLength(3);
    const [first] = result.results;
    expect(first).toMatchObject({
      isTriggered: true,
      action: 'add',
      matchedTargetId: null,
      targetRecord: null,
    });
    const name = first?.fieldResults.find(({ targetField }) => targetField === 'name');
    expect(name?.value).toBe('Vendor 1');
    expect(name?.steps.map(({ fnId, value }) => [fnId, value])).toEqual(
      expect.arrayContaining([
        ['source', ' Vendor 1'],
        ['trim', 'Vendor 1'],
      ]),
    );
    expect(await count()).toBe(before);
    expect(await shop.target.pending()).toEqual([]);
  });

  it('[RUN-02] [MAP-04] [MAP-09] a manual run makes pending records, as the test run said, and nothing in the ERP', async () => {
    const saved = await shop.change({ mappings: shop.mappings() });
    expect(saved.resource.status).toBe('INACTIVE');
    const erpBefore = (await sandboxCount()) ?? 0;
    const run = await shop.runNow();
    expect(run).toMatchObject({ status: 'DONE', counts: { inserted: rows, updated: 0, failed: 0 } });
    const pending = await shop.target.pending();
    expect(pending).toHaveLength(rows);
    expect(pending[0]).toMatchObject({ action: 'add', origin: { type: 'connector', runId: run.internalId } });
    const [made] = await shop.target.where('iban', iban(1));
    expect(made).toMatchObject({ name: 'Vendor 1', currency: 'EUR', isPreferred: false });
    expect(pending[0]?.origin.run).toEqual({
      connector: 'Web shop to ERP',
      action: 'Vendors',
      number: run.number,
    });
    expect(pending[0]?.changes).toEqual(
      expect.arrayContaining([expect.objectContaining({ fieldName: 'name', newValue: 'Vendor 1' })]),
    );
    const ofRun = (...values: string[]) =>
      shop.target.find(
        `limit=1000&filter=${encodeURIComponent(JSON.stringify([{ field: runFilterField, operator: 'in', values }]))}`,
      );
    expect(await ofRun(run.internalId)).toHaveLength(rows);
    expect(await ofRun('another')).toEqual([]);
    expect(await sandboxCount()).toBe(erpBefore);
  });

  it('what runs look their records up by gets an index, so that a page does not read the whole table', async () => {
    await waitFor(
      'the index',
      async () =>
        (await product.query(`select 1 from column_index where purpose = 'match' and state = 'ready'`))
          .length > 0,
    );
    const [made] = await product.query<{ indexdef: string }>(
      `select i.indexdef from column_index c
       join pg_indexes i on i.schemaname = 'cache' and i.tablename = 'c_' || c.collection_id
       join collection_field f using (collection_id, fno)
       where c.purpose = 'match' and f.path = 'iban' and i.indexdef like '%USING btree (f' || fno || ')'`,
    );
    expect(made?.indexdef).toContain('_match');
  });

  it('[MAP-11] after the push a second run changes nothing: records are found by link, and by their key where there is none; a changed source record is followed', async () => {
    expect((await shop.target.pushAll()).succeeded).toBe(rows);
    expect((await shop.runNow()).counts).toMatchObject({
      inserted: 0,
      updated: 0,
      unchanged: rows,
      failed: 0,
    });
    await product.query('delete from link');
    expect((await shop.runNow()).counts).toMatchObject({
      inserted: 0,
      updated: 0,
      unchanged: rows,
      failed: 0,
    });
    await shop.query(`update vendor set town = 'Gouda', account = '${iban(9900)}' where id = 7`);
    const run = await shop.runNow();
    expect(run.counts).toMatchObject({ inserted: 0, updated: 1, unchanged: rows - 1 });
    const [operation] = await shop.target.pending();
    expect(operation).toMatchObject({ action: 'update' });
    expect((await shop.target.pushAll()).succeeded).toBe(1);
  });

  it('[TRANS-02] a record that fails is listed with the step at fault, and a retry takes only it', async () => {
    await shop.query(`update vendor set kind = 'X' where id in (3, 4)`);
    const run = await shop.runNow();
    expect(run).toMatchObject({ status: 'PARTIALLY_FAILED', counts: { failed: 2, unchanged: rows - 2 } });
    const { failures } = await api.get(
      `${shop.action}/runs/${run.internalId}`,
      z.object({ failures: z.object({ resources: z.array(z.looseObject({})) }) }),
    );
    expect(failures.resources[0]).toMatchObject({
      sourceKey: expect.stringContaining('3'),
      errors: [{ targetField: 'isPreferred', fnIndex: 0, input: 'X' }],
    });
    expect(JSON.stringify(failures.resources[0])).toContain('No translation for');
    const status = await api.get(shop.action, actionReply);
    expect(status.resource.status).toBe('INACTIVE');
    await shop.query(`update vendor set kind = 'A' where id in (3, 4)`);
    const again = await shop.ended(
      (await api.send('POST', `${shop.action}/runs/${run.internalId}/retry`, undefined, started)).run,
    );
    expect(again.counts).toMatchObject({ inserted: 0, updated: 1, unchanged: 1, failed: 0 });
    expect((await shop.target.pushAll()).succeeded).toBe(1);
  });

  it("a person's pending change of the same field is left alone and reported", async () => {
    const [vendor] = await shop.target.where('iban', iban(10));
    await shop.target.patch([{ id: vendor!.internalId, changes: { 'address.city': 'Zwolle' } }]);
    await shop.query(`update vendor set town = 'Breda' where id = 10`);
    const run = await shop.runNow();
    expect(run.counts).toMatchObject({ updated: 0, conflicts: 1 });
    const [operation] = await shop.target.pending();
    expect(operation?.origin.type).toBe('user');
    await api.call('DELETE', shop.target.path.concat('/push'), { update: [vendor!.internalId] });
    expect((await shop.runNow()).counts).toMatchObject({ updated: 1, conflicts: 0 });
  });

  it('what a run made can be taken back by run, and the next run makes it again', async () => {
    const { resources } = await api.get(
      `${shop.action}/runs?limit=1`,
      z.object({ resources: z.array(runSchema) }),
    );
    const [last] = resources;
    expect(last?.pendingCount).toBe(1);
    const reply = await api.send(
      'POST',
      `${shop.action}/runs/${last?.internalId}/discard`,
      undefined,
      z.object({ discarded: z.number(), refused: z.number() }),
    );
    expect(reply).toEqual({ discarded: 1, refused: 0 });
    expect(await shop.target.pending()).toEqual([]);
    expect((await shop.runNow()).counts).toMatchObject({ updated: 1 });
    expect((await shop.target.pushAll()).succeeded).toBe(1);
  });

  it('[TRIG-06] [TRIG-07] what is deleted in the source becomes pending deletes, where the trigger takes deleted records', async () => {
    const trigger = (internalId: string, sourceRecordSelection: string) => ({
      internalId,
      name: internalId,
      sourceRecordSelection,
      conditions: [],
    });
    await shop.change({
      triggers: [trigger('known', 'existing'), trigger('gone', 'deleted'), trigger('every', 'all')],
    });
    await shop.query('delete from vendor where id in (58, 59)');
    await shop.query(`update vendor set town = 'Sneek' where id = 5`);
    expect((await shop.runNow({ triggerId: 'known' })).counts).toMatchObject({ deleted: 0, updated: 1 });
    expect((await shop.target.pushAll()).succeeded).toBe(1);
    expect((await shop.runNow({ triggerId: 'gone' })).counts).toMatchObject({ deleted: 2, updated: 0 });
    expect((await shop.target.pending()).map((operation) => operation.action)).toEqual(['delete', 'delete']);
    expect((await shop.target.pushAll()).succeeded).toBe(2);
    expect((await shop.runNow({ triggerId: 'every' })).counts).toMatchObject({
      deleted: 0,
      unchanged: rows - 2,
    });
  });

  it('[TRIG-01] [TRIG-02] [TRIG-03] an active action with a trigger runs by its schedule, only for new records that meet the condition, and pushes', async () => {
    await shop.query(
      `insert into vendor (id, title, town, account, kind) values
         (101, 'Automatic', 'Utrecht', '${iban(9411)}', 'A'), (102, 'Left out', 'Delft', '${iban(9412)}', 'A')`,
    );
    const trigger = {
      internalId: 't1',
      name: 'New in Utrecht',
      sourceRecordSelection: 'new',
      conditions: [
        { field: 'town', operator: 'in', comparison: 'singleValue', value: 'Utrecht', values: [] },
      ],
    };
    await shop.change({ triggers: [trigger], isActive: true });
    await waitFor(
      'the scheduled run to be pushed',
      async () => (await shop.target.where('iban', iban(9411)))[0]?.number ?? null,
    );
    expect(await shop.target.where('iban', iban(9412))).toEqual([]);
    const { resource } = await api.get(shop.action, actionReply);
    expect(resource.status).toBe('ACTIVE');
  });

  it("[TRIG-08] [TRIG-09] [MAP-05] [MAP-08] the new key goes back into the source, and so does the ERP's refusal; the write-back itself is no change", async () => {
    const writeBack = (field: string, source: object) => [
      { targetField: field, mappingSources: [{ sourceOptionId: shop.sourceId, source, transformFns: [] }] },
    ];
    const created = writeBack('erp_number', { type: 'targetValue', field: 'number' });
    const refused = writeBack('note', { type: 'responseErrorMessage' });
    await shop.change({
      isActive: false,
      sourceUpdateConfigs: {
        onPost: { success: created, failure: refused },
        onPatch: { success: created, failure: refused },
        onDelete: { success: [], failure: [] },
      },
    });
    await shop.query(
      `insert into vendor (id, title, town, account, kind) values (201, 'Fine', 'Delft', '${iban(9501)}', 'A')`,
    );
    // By hand without a trigger: also the one that the trigger left out.
    expect((await shop.runNow()).counts).toMatchObject({ inserted: 2 });
    expect((await shop.target.pushAll()).succeeded).toBe(2);
    const stored = async () =>
      (
        await shop.query<{ erp_number: string | null; note: string | null }>(
          'select erp_number, note from vendor where id = 201',
        )
      )[0];
    await waitFor('the key in the source', async () => (await stored())?.erp_number !== null);
    const [supplier] = await shop.target.where('iban', iban(9501));
    expect((await stored())?.erp_number).toBe(supplier?.number);
    // Somebody changes it in the ERP, and the shop changes it too: the push finds the conflict.
    await shop.query(`update vendor set town = 'Leiden' where id = 201`);
    expect((await shop.runNow()).counts).toMatchObject({ updated: 1 });
    await changeInErp(String(supplier?.number), { address: { city: 'Assen' } });
    expect((await shop.target.pushAll()).status).toBe('FAILED');
    await waitFor('the refusal in the source', async () => (await stored())?.note !== null);
    expect((await stored())?.note).toContain('external system');
    const { resources } = await api.get(
      `${shop.action}/runs?limit=1`,
      z.object({ resources: z.array(runSchema) }),
    );
    await api.send('POST', `${shop.action}/runs/${resources[0]?.internalId}/discard`, undefined, z.unknown());
  });

  it('[RUN-03] a run of a part takes all of that part, and sees no deletions', async () => {
    const query = { source: shop.sourceId, field: 'kind', value: 'B' };
    const [found] = await shop.query<{ n: number }>(`select count(*)::int as n from vendor where kind = 'B'`);
    expect(found?.n).toBeGreaterThan(10);
    const run = await shop.runNow({ query });
    expect(run.counts).toMatchObject({ unchanged: found?.n, deleted: 0 });
    expect((await shop.runNow({ query: { ...query, limit: 3 } })).current).toBe(3);
  });

  it('a run that reads only what changed looks again at what the one before left alone', async () => {
    const [vendor] = await shop.target.where('iban', iban(11));
    await shop.target.patch([{ id: vendor!.internalId, changes: { 'address.city': 'Zwolle' } }]);
    await shop.change({
      triggers: [{ internalId: 't', name: 'T', sourceRecordSelection: 'newAndExisting', conditions: [] }],
      schedule: { kind: 'interval', minutes: 40_000 },
      isActive: true,
    });
    await shop.query(`update vendor set updated_at = now() - interval '1 hour'`);
    await shop.query(
      `update vendor set town = 'Hoorn', updated_at = now() - interval '10 minutes' where id = 11`,
    );
    await product.query(`update action set last_good_run_at = now() - interval '20 minutes'`);
    expect(await scheduled()).toMatchObject({ current: 1, counts: { conflicts: 1, updated: 0 } });
    await api.call('DELETE', `${shop.target.path}/push`, { update: [vendor!.internalId] });
    expect(await scheduled()).toMatchObject({ counts: { conflicts: 0, updated: 1 } });
    await waitFor('the push', async () => (await shop.target.pending()).length === 0);
    expect((await shop.target.where('iban', iban(11)))[0]).toMatchObject({ address: { city: 'Hoorn' } });
    await shop.change({ isActive: false });
  });

  it('a run that stops while it notes its push still knows it when it goes on', async () => {
    await shop.change({ isActive: true });
    await shop.query(`update vendor set town = 'Elburg', updated_at = now() where id = 13`);
    await product.query(`create sequence notes`);
    await product.query(`create function fail_once() returns trigger language plpgsql as $$ begin
      if nextval('notes') = 1 then raise 'no place to note it'; end if; return new; end $$`);
    await product.query(`create trigger fail_once before update of push_id on run for each row
      when (new.push_id is not null and old.push_id is null) execute function fail_once()`);
    const run = await scheduled();
    const [notes] = await product.query<{ last_value: string }>('select last_value from notes');
    expect(Number(notes?.last_value)).toBe(2);
    expect(run).toMatchObject({ counts: { updated: 1 }, pushId: expect.any(String) as string });
    await waitFor('the push', async () => (await shop.target.pending()).length === 0);
    expect((await shop.target.where('iban', iban(13)))[0]).toMatchObject({ address: { city: 'Elburg' } });
    await product.query('drop trigger fail_once on run');
    await shop.change({ isActive: false });
  });

  it('too many deletions stop an automatic run and wait for a person', async () => {
    await shop.query('delete from vendor where id between 20 and 50');
    await shop.change({
      triggers: [{ internalId: 't2', name: 'All', sourceRecordSelection: 'all', conditions: [] }],
      schedule: { kind: 'interval', minutes: 1 },
      isActive: true,
    });
    await product.query(`update action set next_run_at = now()`);
    await waitFor(
      'the run to be halted',
      async () => (await api.get(shop.action, actionReply)).resource.status === 'ERROR_OTHER',
    );
    expect((await shop.target.pending()).filter((operation) => operation.action === 'delete')).toEqual([]);
    const { resource } = await api.get(
      shop.action,
      z.object({ resource: z.looseObject({ nextRunAt: z.string().nullable(), statusMessage: z.string() }) }),
    );
    expect(resource.nextRunAt).toBeNull();
    expect(resource.statusMessage).toContain('31');
    await waitFor('the alert', async () => mails.length > 0 && hooks.length > 0, 40_000);
    expect(mails[0]).toContain('31 records are gone');
    expect(hooks[0]).toMatchObject({
      kind: 'failed',
      action: { name: 'Vendors' },
      connector: { name: 'Web shop to ERP' },
    });
  });

  it('what the runs did is added up by day for the plot', async () => {
    const { resources } = await api.get(
      `${shop.action.split('/actions/')[0]}/run-days`,
      z.object({ resources: z.array(runDaySchema) }),
    );
    expect(resources).toHaveLength(14);
    const [kept] = await product.query<Record<string, number>>(
      `select sum(inserted)::int as inserted, sum(updated)::int as updated, sum(deleted)::int as deleted,
         sum(failed)::int as failed from run`,
    );
    expect(resources.at(-1)).toMatchObject(kept ?? {});
    expect(kept?.['inserted']).toBeGreaterThan(0);
  });

  it('[RUN-02] a run that is asked for again under the same key, while the first is at work and after it, is that one', async () => {
    await shop.change({ isActive: false });
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const ask = async () => {
      const { status, body } = await api.call('POST', `${shop.action}/manual-run`, {}, headers);
      expect(status).toBe(202);
      return z.object({ run: runSchema }).parse(body).run;
    };
    const [first, second] = await Promise.all([ask(), ask()]);
    expect(second.internalId).toBe(first.internalId);
    const { internalId, status } = await shop.ended(first);
    expect(await ask()).toMatchObject({ internalId, status });
  });
});

async function sandboxCount(): Promise<number | undefined> {
  const response = await fetch(`${sandbox.url}/odata/test/companies('NL01')/Suppliers?$count=true&$top=0`, {
    headers: { authorization: `Basic ${btoa('sandbox:sandbox')}` },
  });
  return ((await response.json()) as { '@odata.count'?: number })['@odata.count'];
}

async function changeInErp(number: string, body: object): Promise<void> {
  const response = await fetch(`${sandbox.url}/odata/test/companies('NL01')/Suppliers('${number}')`, {
    method: 'PATCH',
    headers: {
      authorization: `Basic ${btoa('sandbox:sandbox')}`,
      'content-type': 'application/json',
      'if-match': '*',
    },
    body: JSON.stringify(body),
  });
  expect(response.status).toBeLessThan(300);
}
