import type { Sandbox } from '@sluice/sandbox';
import { actionSummarySchema, connectorSchema } from '@sluice/contract';
import { type Api, type Product, startProduct, startSandbox } from '@sluice/testing';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { actionReply, connectVendors, type Vendors } from './test-support/vendors.ts';

let sandbox: Sandbox;
let product: Product;
let api: Api;
let shop: Vendors;
let connectorPath: string;

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 100 });
  product = await startProduct(inject('postgresUrl'));
  api = product.admin;
  shop = await connectVendors(api, {
    postgresUrl: inject('postgresUrl'),
    sandboxUrl: sandbox.url,
    count: 5,
  });
  connectorPath = shop.action.replace(/\/actions\/.*$/, '');
}, 120_000);
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
  await shop?.drop();
});

const one = z.object({ resource: connectorSchema });
const copied = z.object({
  internalId: z.string().optional(),
  copied: z.number(),
  total: z.number(),
  internalIds: z.array(z.string()),
  skipped: z.array(z.object({ actionId: z.string().nullable(), name: z.string(), reason: z.string() })),
});
const summaries = z.object({ resources: z.array(actionSummarySchema) });
const connector = async () => (await api.get(connectorPath, one)).resource;

describe('connectors', () => {
  it('[CONN-01] [CONN-02] [API-24] the list names both systems and the status; limit 0 answers the metadata alone', async () => {
    const list = await api.get(
      '/api/v1/connectors?metadata=field-options',
      z.object({
        resources: z.array(connectorSchema),
        metadata: z.object({ systems: z.array(z.looseObject({ name: z.string() })) }),
      }),
    );
    expect(list.resources[0]).toMatchObject({
      name: 'Web shop to ERP',
      sourceName: expect.stringContaining('Web shop'),
      targetName: expect.stringContaining('ERP'),
      actionCount: 1,
      status: 'MAPPINGS_NOT_SET_UP',
      problem: null,
    });
    expect(list.metadata.systems.map(({ name }) => name).toSorted()).toEqual(['ERP', 'Web shop']);
    const bare = await api.call('GET', '/api/v1/connectors?metadata=field-options&limit=0');
    expect(bare.body).toMatchObject({ resources: [], metadata: expect.anything() });
  });

  it('the domains of both ends say that a connector uses them before they are removed', async () => {
    for (const { id, levelIds } of Object.values(shop.ends))
      expect(await api.call('DELETE', `/api/v1/manage/systems/${id}/domains/${levelIds[0]}`)).toMatchObject({
        status: 409,
        body: { code: 'IN_USE', details: { connectors: 1 } },
      });
  });

  it('[CONN-01] both systems are required, and a system that does not exist is named', async () => {
    const { sourceSystem, targetSystem } = await connector();
    const lacking = await api.call('POST', '/api/v1/connectors', { name: 'Half', sourceSystem });
    expect(lacking.status).toBe(422);
    expect(JSON.stringify(lacking.body)).toContain('targetSystem');
    const unknown = await api.call('POST', '/api/v1/connectors', {
      name: 'Lost',
      sourceSystem: { id: 'no-such-system', levelIds: ['x'] },
      targetSystem,
    });
    expect(unknown.status).toBe(404);
    expect((unknown.body as { message: string }).message).toContain('no-such-system');
  });

  it('[ACT-03] [ACT-04] an action needs exactly one target and a source', async () => {
    const { wiring } = (await api.get(`${connectorPath}/actions`, summaries)).resources[0]!;
    const none = await api.call('POST', `${connectorPath}/actions`, {
      name: 'Nothing',
      wiring: { targets: [], sources: [] },
    });
    expect(none.status).toBe(422);
    expect(none.body).toMatchObject({
      fieldErrors: [
        { field: 'wiring.targets', message: 'Please select one target' },
        { field: 'wiring.sources', message: 'Please select at least one source' },
      ],
    });
    const two = await api.call('POST', `${connectorPath}/actions`, {
      name: 'Twice',
      wiring: { targets: [...wiring.targets, ...wiring.targets], sources: wiring.sources },
    });
    expect(JSON.stringify(two.body)).toContain('Please select one target');
  });

  it('[ACT-01] [ACT-02] [ACT-06] an action shows its switches, wiring, mappings, triggers and source updates; the options come with the connector and defaults', async () => {
    const { resource } = await api.get(shop.action, z.object({ resource: z.looseObject({}) }));
    expect(Object.keys(resource)).toEqual(
      expect.arrayContaining([
        'isActive',
        'isCopyAllowed',
        'wiring',
        'mappings',
        'triggers',
        'sourceUpdateConfigs',
      ]),
    );
    const options = await api.get(`${connectorPath}/action-options`, z.looseObject({}));
    expect(Object.keys(options).toSorted()).toEqual([
      'connector',
      'defaultSourceOptionId',
      'defaultTargetOptionId',
      'sourceOptions',
      'targetOptions',
    ]);
  });

  it('[ACT-13] an action that does not exist is said to be so', async () => {
    const missing = await api.call('GET', `${connectorPath}/actions/00000000-0000-4000-8000-000000000000`);
    expect(missing.status).toBe(404);
    expect(missing.body).toMatchObject({ message: 'action not found' });
  });

  it('[ACT-09] [ACT-11] [CONN-14] a copy takes only the actions that allow it, inactive and under a name of its own', async () => {
    await shop.change({ mappings: shop.mappings() });
    const first = await api.send(
      'POST',
      `${connectorPath}/actions/copy-existing`,
      { connectorId: (await connector()).internalId, actionIds: [shop.action.split('/').at(-1)] },
      copied,
    );
    expect(first).toMatchObject({ copied: 1, total: 1 });
    await shop.change({ isCopyAllowed: false });
    const copy = await api.send('POST', `${connectorPath}/copy`, { name: 'Second' }, copied);
    expect(copy).toMatchObject({ copied: 1, total: 2, skipped: [{ reason: 'copyNotAllowed' }] });
    const made = await api.get(`/api/v1/connectors/${copy.internalId}`, one);
    expect(made.resource).toMatchObject({ name: 'Second', actionCount: 1, status: 'INACTIVE' });
    const { resources } = await api.get(`/api/v1/connectors/${copy.internalId}/actions`, summaries);
    expect(resources[0]).toMatchObject({ isActive: false, linkedCount: 0, mappingCount: 5 });
    expect((await connector()).name).toBe('Web shop to ERP');
  });

  it('copies that are asked for again under the same key are those of the first time', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const twice = async (path: string, body: object) => {
      const [first, second] = [
        await api.call('POST', path, body, headers),
        await api.call('POST', path, body, headers),
      ];
      expect(first.status).toBe(201);
      expect(second).toMatchObject({ status: 201, body: first.body });
      return copied.parse(first.body);
    };
    const count = async () => (await api.get(connectorPath, one)).resource.actionCount;
    const before = await count();
    const actionIds = [shop.action.split('/').at(-1)];
    await shop.change({ isCopyAllowed: true });
    const connectorCopy = await twice(`${connectorPath}/copy`, { name: 'Asked for twice' });
    const { resources } = await api.get(
      '/api/v1/connectors',
      z.object({ resources: z.array(connectorSchema) }),
    );
    expect(resources.filter(({ name }) => name === 'Asked for twice')).toHaveLength(1);
    headers['idempotency-key'] = crypto.randomUUID();
    const { internalId: connectorId } = await connector();
    const actionCopy = await twice(`${connectorPath}/actions/copy-existing`, { connectorId, actionIds });
    expect(await count()).toBe(before + 1);
    for (const path of [
      `/api/v1/connectors/${connectorCopy.internalId}`,
      `${connectorPath}/actions/${actionCopy.internalIds[0]}`,
    ])
      expect((await api.call('DELETE', path)).status).toBe(204);
    await shop.change({ isCopyAllowed: false });
  });

  it('[ACT-10] a copy of a connector whose actions allow none has none', async () => {
    const { resources } = await api.get(`${connectorPath}/actions`, summaries);
    for (const { internalId } of resources) {
      const path = `${connectorPath}/actions/${internalId}`;
      const { resource } = await api.get(path, actionReply);
      await api.send(
        'PATCH',
        path,
        { changes: { isCopyAllowed: false }, revision: resource.revision },
        actionReply,
      );
    }
    const copy = await api.send('POST', `${connectorPath}/copy`, {}, copied);
    expect(copy).toMatchObject({ copied: 0, total: 2 });
  });

  it('a connector moves to another installation as a file', async () => {
    const file = await api.get(`${connectorPath}/export`, z.looseObject({ actions: z.array(z.unknown()) }));
    expect(JSON.stringify(file)).not.toContain((await connector()).sourceSystem.id);
    const { sourceSystem, targetSystem } = await connector();
    const made = await api.send(
      'POST',
      '/api/v1/connectors/import',
      { file, name: 'From a file', sourceSystem, targetSystem },
      copied,
    );
    expect(made).toMatchObject({ copied: 2, total: 2, skipped: [] });
    const elsewhere = JSON.parse(JSON.stringify(file).replaceAll('"vendor"', '"no-such-table"')) as object;
    const part = await api.send(
      'POST',
      '/api/v1/connectors/import',
      { file: elsewhere, name: 'Elsewhere', sourceSystem, targetSystem },
      copied,
    );
    expect(part.copied).toBe(0);
    expect(part.skipped.map(({ reason }) => reason)).toEqual(['fieldsMissing', 'fieldsMissing']);
    expect(part.skipped.map(({ name }) => name)).toContain('Vendors');
    const bad = await api.call('POST', '/api/v1/connectors/import', {
      file: { ...file, format: 'something else' },
      sourceSystem,
      targetSystem,
    });
    expect(bad.status).toBe(422);
  });

  it('every change of mappings is a version that can be looked at', async () => {
    await shop.change({ mappings: shop.mappings().slice(0, 3) });
    const { resources, total } = await api.get(
      `${shop.action}/versions`,
      z.object({
        total: z.number(),
        resources: z.array(z.looseObject({ version: z.number(), mappings: z.array(z.unknown()) })),
      }),
    );
    expect(total).toBe(3);
    expect(resources.map(({ version, mappings }) => [version, mappings.length])).toEqual([
      [3, 3],
      [2, 5],
      [1, 0],
    ]);
  });

  it('mappings that cannot work are refused when they are saved, each with its place and in words', async () => {
    const from = (source: object) => [{ sourceOptionId: shop.sourceId, source, transformFns: [] }];
    const vendor = { type: 'sourceValue', field: 'title' };
    const { resource } = await api.get(shop.action, actionReply);
    const save = async (mappings: object[]) =>
      await api.call('PATCH', shop.action, { changes: { mappings }, revision: resource.revision });
    const readOnly = await save([{ targetField: 'leadTime', mappingSources: from(vendor) }]);
    expect(readOnly.status).toBe(422);
    expect(JSON.stringify(readOnly.body)).toContain('mappings[0]');
    const unknown = await save([
      { targetField: 'name', mappingSources: from({ type: 'sourceValue', field: 'nowhere' }) },
    ]);
    expect(unknown.status).toBe(422);
    expect(JSON.stringify(unknown.body)).toContain('nowhere');
    // A merge within a merge could come back to itself: there is no such thing.
    const merge = {
      type: 'multiple',
      mergeString: '{1}',
      mergeSources: [{ source: vendor, transformFns: [] }],
    };
    const nested = { ...merge, mergeSources: [{ source: merge, transformFns: [] }] };
    const cyclic = await save([{ targetField: 'name', mappingSources: from(nested) }]);
    expect(cyclic.status).toBe(422);
    expect(JSON.stringify(cyclic.body)).toContain('mergeSources');
    const rows = Array.from({ length: 10_001 }, (_, index) => ({ key: `${index}`, value: `${index}` }));
    const table = { inputType: 'string', returnType: 'string', rows, defaultValue: null, notFound: 'error' };
    const translated = (most: number) => [
      {
        targetField: 'name',
        mappingSources: [
          {
            sourceOptionId: shop.sourceId,
            source: vendor,
            transformFns: [{ fnId: 'translate', translationTable: { ...table, rows: rows.slice(0, most) } }],
          },
        ],
      },
    ];
    expect((await save(translated(10_001))).status).toBe(422);
    expect((await save(translated(10_000))).status).toBe(200);
    await shop.change({ mappings: resource['mappings'] });
  });

  it('an old revision is refused, and nothing is written', async () => {
    const { resource } = await api.get(shop.action, actionReply);
    const refused = await api.call('PATCH', shop.action, {
      changes: { name: 'Late' },
      revision: resource.revision - 1,
    });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'REVISION_CONFLICT' });
    expect((await api.get(shop.action, actionReply)).resource['name']).toBe('Vendors');
  });

  it('[CONN-05] another system discards the actions, after a question with their number', async () => {
    const before = await connector();
    const { sourceSystem, targetSystem } = before;
    const body = {
      changes: { sourceSystem: targetSystem, targetSystem: sourceSystem },
      revision: before.revision,
    };
    const asked = await api.call('PATCH', connectorPath, body);
    expect(asked.status).toBe(409);
    expect(asked.body).toMatchObject({ code: 'ACTIONS_WOULD_BE_DISCARDED', details: { count: 2 } });
    const moved = await api.send('PATCH', connectorPath, { ...body, confirmDiscardActions: true }, one);
    expect(moved.resource).toMatchObject({ actionCount: 0, sourceSystem: targetSystem });
  });

  it('[CONN-15] a connector whose system is gone says which', async () => {
    await product.query(
      `update connector set target_system = jsonb_set(target_system, '{levelIds}', '["gone-domain"]') where name = 'From a file'`,
    );
    const { resources } = await api.get(
      '/api/v1/connectors',
      z.object({ resources: z.array(connectorSchema) }),
    );
    expect(resources.find(({ name }) => name === 'From a file')?.problem).toContain('gone-domain');
  });

  it('nobody without the right sees connectors, and who may not write the target cannot let one do it', async () => {
    const stranger = await product.addUser({ username: 'stranger' });
    expect((await stranger.call('GET', '/api/v1/connectors')).status).toBe(403);
    const { sourceSystem, targetSystem } = await connector();
    const right = { create: true, read: true, update: true, delete: true };
    const integrator = await product.addUser({
      username: 'integrator',
      rights: [{ endpointId: 'connectors', ...right }],
      systems: [
        { externalSystemId: sourceSystem.id, levelIds: null },
        { externalSystemId: targetSystem.id, levelIds: null },
      ],
    });
    expect((await integrator.call('GET', '/api/v1/connectors')).status).toBe(200);
    const refused = await integrator.call('POST', `${connectorPath}/actions`, {
      name: 'By the back door',
      isActive: true,
      wiring: {
        targets: [{ optionId: 'public-vendor', path: '', resourceTypeUriId: 'public-vendor' }],
        sources: [{ optionId: 'suppliers', path: '', resourceTypeUriId: 'suppliers' }],
      },
    });
    expect(refused.status).toBe(403);
  });

  it('[CONN-06] removing a connector removes its actions; what it changed keeps its author', async () => {
    expect((await api.call('DELETE', connectorPath)).status).toBe(204);
    expect((await api.call('GET', connectorPath)).status).toBe(404);
    const left = await product.query<{ n: number }>(
      `select count(*)::int as n from app_user where is_technical and full_name = 'connector Web shop to ERP'`,
    );
    expect(left[0]?.n).toBe(1);
  });
});
