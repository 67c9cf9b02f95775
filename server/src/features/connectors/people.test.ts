import { testRunResultSchema } from '@sluice/contract';
import type { Sandbox } from '@sluice/sandbox';
import {
  type Api,
  connectSandbox,
  type Product,
  startProduct,
  startSandbox,
  tableOf,
  waitFor,
  waitUntilCached,
} from '@sluice/testing';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { makeAction } from './test-support/action.ts';

const created = z.object({ internalId: z.string() });
const optionsSchema = z.array(z.object({ id: z.string(), path: z.string(), resourceTypeUriId: z.string() }));
const timesSchema = z.object({ times: z.array(z.string()) });

let sandbox: Sandbox;
let product: Product;
let api: Api;
let action: string;
let target: ReturnType<typeof tableOf>;
/** External system of the sandbox. */
let systemId: string;

const from = (field: string) => [
  { sourceOptionId: 'suppliers', source: { type: 'sourceValue', field }, transformFns: [] },
];
const mappings = [
  { targetField: 'name', group: 'mandatory', mappingSources: from('name') },
  { targetField: 'iban', group: 'mandatory', isUnique: true, mappingSources: from('iban') },
  { targetField: 'currency', group: 'mandatory', mappingSources: from('currency') },
];

/** Two companies of the sandbox: its protocol knows neither filter nor order for a source. */
beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 100 });
  product = await startProduct(inject('postgresUrl'));
  api = product.admin;
  const erp = await connectSandbox(api, sandbox, {
    systemName: 'ERP',
    database: 'test',
    companies: ['NL01', 'BE01'],
  });
  systemId = erp.systemId;
  target = tableOf(api, erp.table('suppliers'));
  await waitUntilCached(api, target.path);
  const end = (company: string) => ({
    id: erp.systemId,
    levelIds: [erp.domainId, `${erp.domainId}.${company}`],
  });
  const connector = await api.send(
    'POST',
    '/api/v1/connectors',
    { name: 'Antwerp to Utrecht', sourceSystem: end('BE01'), targetSystem: end('NL01') },
    created,
  );
  const base = `/api/v1/connectors/${connector.internalId}`;
  const found = await api.get(
    `${base}/action-options`,
    z.object({ targetOptions: optionsSchema, sourceOptions: optionsSchema }),
  );
  const wire = (list: z.infer<typeof optionsSchema>) =>
    list
      .filter(({ id }) => id === 'suppliers')
      .map(({ id, path, resourceTypeUriId }) => ({ optionId: id, path, resourceTypeUriId }));
  const wiring = { targets: wire(found.targetOptions), sources: wire(found.sourceOptions) };
  const made = await api.send('POST', `${base}/actions`, { name: 'Suppliers', wiring }, created);
  action = `${base}/actions/${made.internalId}`;
  await api.send('PATCH', action, { changes: { mappings }, revision: 1 }, z.unknown());
}, 120_000);
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});

const tried = async (query: object) =>
  await api.send(
    'POST',
    `${action}/test-run`,
    { mappings, trigger: null, query: { source: 'suppliers', ...query } },
    testRunResultSchema,
  );

describe('what people ask of connectors', () => {
  it('[RUN-03] a source that can neither filter nor sort is filtered and put in order all the same', async () => {
    const keys = async (query: object) =>
      (await tried(query)).results.map((one) => one.sourceRecord.internalId);
    const up = await keys({ limit: 100, orderBy: 'number' });
    expect(up.length).toBeGreaterThan(10);
    expect(up).toEqual(up.toSorted((a, b) => a.localeCompare(b)));
    const down = await keys({ limit: 3, offset: 1, orderBy: 'number', sortOrder: 'descending' });
    expect(down).toHaveLength(3);
    expect(down).toEqual(down.toSorted((a, b) => b.localeCompare(a)));
    expect(up).not.toContain(down[0]);
    // No mapping looks at the number.
    expect(await keys({ field: 'number', value: up[4] })).toEqual([up[4]]);
    expect(await keys({ field: 'number', value: 'nobody' })).toEqual([]);
  });

  it('a cron expression tells its next three times by the clock of the organisation, or why it is none', async () => {
    const next = async (expression: string) =>
      await api.call('GET', `/api/v1/connectors/next-times?expression=${encodeURIComponent(expression)}`);
    const { times } = timesSchema.parse((await next('0 6 * * *')).body);
    expect(times).toHaveLength(3);
    const hours = times.map((time) =>
      new Intl.DateTimeFormat('en', {
        hour: 'numeric',
        hourCycle: 'h23',
        timeZone: 'Europe/Amsterdam',
      }).format(new Date(time)),
    );
    expect(hours).toEqual(['06', '06', '06']);
    const refused = await next('every day');
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body)).toContain('This is not a cron expression');
  });

  it('who has the right to run may run, and nobody else', async () => {
    const look = { create: false, read: true, update: false, delete: false };
    const all = { create: true, read: true, update: true, delete: true };
    const systems = [{ externalSystemId: systemId, levelIds: null }];
    const data = { endpointId: `data:${systemId}:suppliers`, ...all };
    const reader = await product.addUser({
      username: 'reader',
      rights: [{ endpointId: 'connectors', ...look }, data],
      systems,
    });
    const runner = await product.addUser({
      username: 'runner',
      rights: [{ endpointId: 'connectors', ...look }, { endpointId: 'connectorRuns', ...all }, data],
      systems,
    });
    expect((await reader.call('POST', `${action}/manual-run`, {})).status).toBe(403);
    expect((await runner.call('POST', `${action}/manual-run`, { query: { limit: 2 } })).status).toBe(202);
  });

  describe('nobody lets a connector do what he may not do himself', () => {
    const none = { create: false, read: false, update: false, delete: false };
    const all = { create: true, read: true, update: true, delete: true };
    const trigger = (selection: string) => ({
      internalId: selection,
      name: selection,
      sourceRecordSelection: selection,
      conditions: [],
    });
    const updates = {
      onPost: { success: [{ targetField: 'name', mappingSources: from('name') }], failure: [] },
      onPatch: { success: [], failure: [] },
      onDelete: { success: [], failure: [] },
    };
    const noUpdates = { ...updates, onPost: { success: [], failure: [] } };
    /** Keeps connectors, with these rights on the table at the other end and on that of the source. */
    const keeper = async (username: string, target: object, source: object = { ...none, read: true }) =>
      await product.addUser({
        username,
        rights: [
          { endpointId: 'connectors', ...all },
          { endpointId: 'connectorRuns', ...all },
          { endpointId: `data:${systemId}:suppliers`, ...all, ...target },
          { endpointId: `data:${systemId}:customers`, ...none, ...source },
        ],
        systems: [{ externalSystemId: systemId, levelIds: null }],
      });
    let path: string;
    const resource = async () =>
      (await api.get(path, z.object({ resource: z.looseObject({ revision: z.number() }) }))).resource;
    const change = async (by: Api, changes: object) =>
      await by.call('PATCH', path, { changes, revision: (await resource()).revision });
    const runs = async () => (await api.get(`${path}/runs`, z.looseObject({ total: z.number() }))).total;
    /** The change is refused and nothing of it is there. */
    const refused = async (by: Api, changes: object) => {
      const before = await resource();
      const answer = await change(by, changes);
      expect(await resource()).toEqual(before);
      return answer.status;
    };

    beforeAll(async () => {
      const connector = action.slice(0, action.indexOf('/actions'));
      path = await makeAction(api, connector, {
        name: 'Customers',
        source: 'customers',
        target: 'suppliers',
        mappings: ['name', 'iban', 'currency'].map((targetField) => ({
          targetField,
          mappingSources: [
            { sourceOptionId: 'customers', source: { type: 'customValue', value: 'x' }, transformFns: [] },
          ],
        })),
      });
    });

    it('a run that takes deleted records asks the right to delete in the target', async () => {
      const mayNot = await keeper('mayNotDelete', { delete: false });
      const may = await keeper('mayDelete', {});
      await change(api, { triggers: [trigger('new'), trigger('deleted')] });
      for (const triggerId of [null, 'deleted'])
        expect((await mayNot.call('POST', `${path}/manual-run`, { triggerId })).status).toBe(403);
      expect(await runs()).toBe(0);
      // What it never deletes needs no right: new records, or a part of the source.
      for (const [by, body] of [
        [mayNot, { triggerId: 'new' }],
        [mayNot, { query: { limit: 1 } }],
        [may, {}],
      ] as const) {
        expect((await by.call('POST', `${path}/manual-run`, body)).status).toBe(202);
        await waitFor('the run to end', async () => (await openRuns()) === 0);
      }
    });

    const openRuns = async () =>
      (await product.query<{ n: number }>('select count(*)::int as n from run where finished_at is null'))[0]
        ?.n;

    it('switching on an action that deletes asks the right to delete, and so does letting an active one delete', async () => {
      const mayNot = await keeper('mayNotDelete', { delete: false });
      const may = await keeper('mayDelete', {});
      const quiet = { schedule: { kind: 'never' } };
      expect(await refused(mayNot, { ...quiet, triggers: [trigger('all')], isActive: true })).toBe(403);
      expect((await change(mayNot, { ...quiet, triggers: [trigger('new')], isActive: true })).status).toBe(
        200,
      );
      expect(await refused(mayNot, { triggers: [trigger('new'), trigger('deleted')] })).toBe(403);
      expect((await change(may, { triggers: [trigger('deleted')] })).status).toBe(200);
      expect((await change(api, { isActive: false, triggers: [] })).status).toBe(200);
    });

    it('what an active action does is changed only by who may write to its target', async () => {
      const mayNot = await keeper('mayOnlyRead', { create: false, update: false, delete: false });
      const may = await keeper('mayDelete', {});
      const { mappings: before, wiring } = await resource();
      const parts = { mappings: before, triggers: [trigger('new')], wiring, sourceUpdateConfigs: noUpdates };
      // Without effect it may be changed by everybody who keeps connectors.
      for (const [part, value] of Object.entries(parts))
        expect((await change(mayNot, { [part]: value })).status).toBe(200);
      await change(api, { schedule: { kind: 'never' }, isActive: true });
      for (const [part, value] of Object.entries(parts)) {
        expect(await refused(mayNot, { [part]: value })).toBe(403);
        expect((await change(may, { [part]: value })).status).toBe(200);
      }
      expect((await change(mayNot, { name: 'Customers as suppliers' })).status).toBe(200);
      expect((await change(mayNot, { isActive: false, triggers: [] })).status).toBe(200);
    });

    it('writing back to the source asks the right to update there', async () => {
      const mayNot = await keeper('mayDelete', {});
      const may = await keeper('mayWriteBack', {}, { read: true, update: true });
      await change(api, { triggers: [trigger('new')], isActive: true });
      expect(await refused(mayNot, { sourceUpdateConfigs: updates })).toBe(403);
      expect((await change(may, { sourceUpdateConfigs: updates })).status).toBe(200);
      expect(await refused(mayNot, { triggers: [] })).toBe(403);
      await change(api, { isActive: false });
      expect(await refused(mayNot, { isActive: true })).toBe(403);
      const before = await runs();
      expect((await mayNot.call('POST', `${path}/manual-run`, { triggerId: 'new' })).status).toBe(403);
      expect(await runs()).toBe(before);
      expect((await may.call('POST', `${path}/manual-run`, { triggerId: 'new' })).status).toBe(202);
    });
  });
});
