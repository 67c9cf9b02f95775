import { testRunResultSchema } from '@sluice/contract';
import type { Sandbox } from '@sluice/sandbox';
import {
  type Api,
  connectSandbox,
  type Product,
  startProduct,
  startSandbox,
  tableOf,
  waitUntilCached,
} from '@sluice/testing';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

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
});
