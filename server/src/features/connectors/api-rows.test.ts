import { connectorSchema, jobSchema, runSchema, testRunResultSchema } from '@sluice/contract';
import type { Sandbox } from '@sluice/sandbox';
import { type Api, type Product, startProduct, startSandbox } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { connectVendors, type Vendors } from './test-support/vendors.ts';

let sandbox: Sandbox;
let product: Product;
let api: Api;
let shop: Vendors;
/** API path of the connector. */
let path: string;

const created = z.object({ internalId: z.string() });
const missing = '00000000-0000-4000-8000-000000000000';

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 100 });
  product = await startProduct(inject('postgresUrl'));
  api = product.admin;
  shop = await connectVendors(api, {
    postgresUrl: inject('postgresUrl'),
    sandboxUrl: sandbox.url,
    count: 12,
  });
  path = shop.action.replace(/\/actions\/.*$/, '');
});
afterAll(async () => {
  await shop?.drop();
  await product?.stop();
  await sandbox?.close();
});

describe('the calls of connectors, row by row', () => {
  it('[API-25] POST answers 201 and the id, PATCH takes changes with a revision, DELETE 204', async () => {
    const { resource } = await api.get(path, z.object({ resource: connectorSchema }));
    const { sourceSystem, targetSystem } = resource;
    const posted = await api.call('POST', '/api/v1/connectors', {
      name: 'Other',
      sourceSystem,
      targetSystem,
    });
    expect(posted.status).toBe(201);
    const other = `/api/v1/connectors/${created.parse(posted.body).internalId}`;
    const patched = await api.call('PATCH', other, { changes: { description: 'New' }, revision: 1 });
    expect(patched.status).toBe(200);
    expect(patched.body).toMatchObject({ resource: { description: 'New', revision: 2 } });
    expect((await api.call('DELETE', other)).status).toBe(204);
    expect((await api.call('GET', other)).status).toBe(404);
  });

  it('[API-25] a change that discards actions is 409 with their number until it is confirmed', async () => {
    const copy = await api.send('POST', `${path}/copy`, { name: 'To be changed' }, created);
    const other = `/api/v1/connectors/${copy.internalId}`;
    const { resource } = await api.get(other, z.object({ resource: connectorSchema }));
    const swapped = { sourceSystem: resource.targetSystem, targetSystem: resource.sourceSystem };
    const body = { changes: swapped, revision: resource.revision };
    const refused = await api.call('PATCH', other, body);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'ACTIONS_WOULD_BE_DISCARDED', details: { count: 1 } });
    expect((await api.call('PATCH', other, { ...body, confirmDiscardActions: true })).status).toBe(200);
    const { resources } = await api.get(
      `${other}/actions?limit=-1`,
      z.object({ resources: z.array(z.unknown()) }),
    );
    expect(resources).toEqual([]);
  });

  it('[API-26] a copy takes a name, answers 201 with how many of how many actions came along, all inactive', async () => {
    const copied = await api.call('POST', `${path}/copy`, { name: 'Copy', description: 'Of the shop' });
    expect(copied.status).toBe(201);
    expect(copied.body).toMatchObject({ copied: 1, total: 1 });
    const other = `/api/v1/connectors/${created.parse(copied.body).internalId}`;
    const list = await api.call('GET', `${other}/actions`);
    expect(list.body).toMatchObject({ resources: [{ isActive: false }] });
  });

  it('[API-27] [API-28] [API-29] the list of actions, one of them with its metadata, and a new one', async () => {
    const list = await api.call('GET', `${path}/actions?limit=-1`);
    expect(list.body).toMatchObject({
      resources: [
        {
          internalId: shop.action.split('/').at(-1),
          name: 'Vendors',
          isActive: false,
          isCopyAllowed: true,
          wiring: { targets: [expect.anything()], sources: [expect.anything()] },
          status: 'MAPPINGS_NOT_SET_UP',
          lastRunAt: null,
        },
      ],
    });
    const one = await api.call('GET', shop.action);
    expect(one.body).toMatchObject({
      resource: { mappings: [], triggers: [], sourceUpdateConfigs: expect.anything(), revision: 1 },
      metadata: {
        target: expect.anything(),
        sources: [expect.anything()],
        macros: expect.anything(),
        transformFns: expect.anything(),
        triggerConditionOperators: expect.anything(),
      },
    });
    expect((await api.call('GET', `${path}/actions/${missing}`)).status).toBe(404);
    const { wiring } = z.object({ resource: z.object({ wiring: z.unknown() }) }).parse(one.body).resource as {
      wiring: unknown;
    };
    const made = await api.call('POST', `${path}/actions`, { name: 'Second', wiring });
    expect(made.status).toBe(201);
    expect(Object.keys(z.looseObject({}).parse(made.body))).toEqual(['internalId']);
  });

  it('[API-30] actions are copied from another connector: how many of how many, and why not the rest', async () => {
    const source = await api.get(path, z.object({ resource: connectorSchema }));
    const copy = await api.send('POST', `${path}/copy`, { name: 'For actions' }, created);
    await shop.change({ isCopyAllowed: false });
    const answer = await api.call('POST', `/api/v1/connectors/${copy.internalId}/actions/copy-existing`, {
      connectorId: source.resource.internalId,
      actionIds: [shop.action.split('/').at(-1)],
    });
    expect(answer.body).toMatchObject({
      copied: 0,
      total: 1,
      internalIds: [],
      skipped: [{ actionId: shop.action.split('/').at(-1), reason: 'copyNotAllowed' }],
    });
    await shop.change({ isCopyAllowed: true });
  });

  it('[API-31] PATCH replaces whole parts, refuses with a path into the mappings, and DELETE takes the action away', async () => {
    const bad = await api.call('PATCH', shop.action, {
      changes: {
        mappings: [
          {
            targetField: 'name',
            mappingSources: [
              {
                sourceOptionId: shop.sourceId,
                source: { type: 'sourceValue', field: 'title' },
                transformFns: [{ fnId: 'noSuchFunction' }],
              },
            ],
          },
        ],
      },
      revision: z
        .object({ resource: z.object({ revision: z.number() }) })
        .parse((await api.call('GET', shop.action)).body).resource.revision,
    });
    expect(bad.status).toBe(422);
    expect(JSON.stringify(bad.body)).toContain('mappings[0].mappingSources[0].transformFns[0]');
    const saved = await shop.change({ mappings: shop.mappings() });
    expect(z.array(z.unknown()).parse(saved.resource['mappings'])).toHaveLength(5);
    const { resources } = await api.get(
      `${path}/actions`,
      z.object({ resources: z.array(z.object({ internalId: z.string(), name: z.string() })) }),
    );
    const second = resources.find(({ name }) => name === 'Second');
    expect((await api.call('DELETE', `${path}/actions/${second?.internalId}`)).status).toBe(204);
  });

  it('[API-32] [API-33] the options of both ends, and the field paths of one of them by group', async () => {
    const options = await api.get(
      `${path}/action-options`,
      z.looseObject({ targetOptions: z.array(z.looseObject({ id: z.string(), path: z.string() })) }),
    );
    expect(Object.keys(options).toSorted()).toEqual([
      'connector',
      'defaultSourceOptionId',
      'defaultTargetOptionId',
      'sourceOptions',
      'targetOptions',
    ]);
    const { fieldPaths } = await api.get(
      `${path}/field-paths?id=suppliers`,
      z.object({ fieldPaths: z.array(z.looseObject({ path: z.string(), group: z.string() })) }),
    );
    const groups = new Map(fieldPaths.map((field) => [field.path, field.group]));
    expect(groups.get('name')).toBe('mandatory');
    expect(groups.get('address.city')).toBe('optional');
    expect((await api.call('GET', `${path}/field-paths?id=nothing`)).status).toBe(404);
  });

  it('[API-34] [API-35] a test run answers each record’s result; a manual run 202 and its job, one at a time', async () => {
    const { resource } = await api.get(shop.action, z.object({ resource: z.looseObject({}) }));
    const tested = await api.call('POST', `${shop.action}/test-run`, {
      mappings: resource['mappings'],
      trigger: null,
      query: { source: shop.sourceId, limit: 3 },
    });
    expect(tested.status).toBe(200);
    const { results } = testRunResultSchema.parse(tested.body);
    expect(results).toHaveLength(3);
    expect(results[0]).toMatchObject({
      isTriggered: true,
      action: 'add',
      matchedTargetId: null,
      fieldResults: expect.arrayContaining([expect.objectContaining({ targetField: 'name', error: null })]),
    });
    const calls = await Promise.all([
      api.call('POST', `${shop.action}/manual-run`, {}),
      api.call('POST', `${shop.action}/manual-run`, {}),
    ]);
    expect(calls.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409]);
    const { job, run } = z
      .object({ job: jobSchema, run: runSchema })
      .parse(calls.find(({ status }) => status === 202)?.body);
    expect(job).toMatchObject({ id: run.internalId, kind: 'manualRun', origin: 'Ada Minster' });
    expect((await shop.ended(run)).counts.inserted).toBe(12);
  });
});
