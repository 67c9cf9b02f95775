import { runFactsSchema, testRunResultSchema } from '@sluice/contract';
import { macros } from '@sluice/mapping/engine';
import type { Sandbox } from '@sluice/sandbox';
import { type Product, startProduct, startSandbox, tableOf, waitFor, waitUntilCached } from '@sluice/testing';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { fromField, makeAction, makeConnector, runAction } from '../test-support/action.ts';
import { connectVendors, type Vendors } from '../test-support/vendors.ts';

let sandbox: Sandbox;
let product: Product;
let shop: Vendors;

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 100 });
  product = await startProduct(inject('postgresUrl'));
  await product.query(`update app_user set email = 'ada@example.org' where username = 'admin'`);
  shop = await connectVendors(product.admin, {
    postgresUrl: inject('postgresUrl'),
    sandboxUrl: sandbox.url,
    count: 1,
    more: ['create table told (number text primary key, words text)'],
  });
}, 120_000);
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
  await shop?.drop();
});

/** A mapping whose value is what each macro says, line by line. */
const allOf = (
  sourceOptionId: string,
  targetField: string,
  ids: readonly string[],
  field: string,
): object => ({
  targetField,
  mappingSources: [
    {
      sourceOptionId,
      source: {
        type: 'multiple',
        mergeString: ids.map((_, index) => `{${index + 1}}`).join('\n'),
        mergeSources: ids.map((macroId) => ({
          source: {
            type: 'macro',
            macroId,
            ...(macros.find(({ id }) => id === macroId)?.needsField ? { field } : {}),
          },
          transformFns: [],
        })),
      },
      transformFns: [],
    },
  ],
});
const said = (ids: readonly string[], words: unknown): Record<string, string> => {
  const lines = z.string().parse(words).split('\n');
  return Object.fromEntries(ids.map((id, index) => [id, lines[index] ?? '']));
};
const empty = (words: Record<string, string>): string[] =>
  Object.keys(words).filter((id) => words[id] === '');

describe('macros', () => {
  it('[MAP-07] every macro has its value in a run, and the same one in a test run and in the preview, in whatever language they are asked for', async () => {
    const { admin: api } = product;
    const connector = await makeConnector(api, 'ERP to shop', shop.ends.erp, shop.ends.shop);
    const told = shop.sourceId.replace('vendor', 'told');
    const mappings = [
      { targetField: 'number', isUnique: true, mappingSources: fromField('suppliers', 'number') },
    ];
    const action = await makeAction(api, connector, {
      name: 'Tell',
      source: 'suppliers',
      target: told,
      mappings: [
        ...mappings,
        {
          targetField: 'words',
          mappingSources: [
            {
              sourceOptionId: 'suppliers',
              source: { type: 'customValue', value: 'first' },
              transformFns: [],
            },
          ],
        },
      ],
    });
    const table = tableOf(api, shop.source.path.replace('vendor', 'told'));
    await waitUntilCached(api, table.path);
    await runAction(api, action, { query: { source: 'suppliers', limit: 1 } });
    await table.pushAll();

    const ids = macros
      .filter(({ id, isForSourceUpdates }) => !isForSourceUpdates && id !== 'emptyValue')
      .map(({ id }) => id);
    const all = [...mappings, allOf('suppliers', 'words', ids, 'words')];
    const { resource } = await api.get(
      action,
      z.object({ resource: z.looseObject({ revision: z.number() }) }),
    );
    await api.send('PATCH', action, { changes: { mappings: all }, revision: resource.revision }, z.unknown());
    await product.query(`update action set last_good_run_at = now() - interval '20 minutes'`);
    const query = { source: 'suppliers', limit: 1 };
    const dutch = { 'accept-language': 'NL' };
    const answer = await api.call(
      'POST',
      `${action}/test-run`,
      { mappings: all, trigger: null, query },
      dutch,
    );
    const tried = testRunResultSchema.parse(answer.body);
    const test = said(
      ids,
      tried.results[0]?.fieldResults.find(({ targetField }) => targetField === 'words')?.value,
    );
    const run = await runAction(api, action, { query });
    expect(run.counts).toMatchObject({ updated: 1, failed: 0 });
    const [row] = await table.where('number', tried.results[0]?.sourceRecord['internalId'] as string);
    const values = said(ids, row?.['words']);

    // The shop has no companies.
    expect(empty(values)).toEqual(['company', 'companyAcronym']);
    expect(empty(test)).toEqual(['runId', 'company', 'companyAcronym']);
    const ofTheRun = ['now', 'runStartedAt', 'runId', 'runKind'];
    for (const id of ids) if (!ofTheRun.includes(id)) expect([id, test[id]]).toEqual([id, values[id]]);
    expect(values).toMatchObject({
      runId: run.internalId,
      runNumber: '2',
      runKind: 'manual',
      startedBy: 'Ada Minster',
      startedByEmail: 'ada@example.org',
      connectorName: 'ERP to shop',
      actionName: 'Tell',
      // As in the test run, which was asked for in Dutch.
      sourceCollection: 'Suppliers',
      language: 'EN',
      sourceRowNumber: '1',
      recordOperation: 'update',
      targetValue: 'first',
      environment: 'test',
    });
    expect(test['runKind']).toBe('test');
    expect(values['runStartedAt']).toBe(values['now']);

    const samples = await api.get(
      `${action}/samples?source=suppliers&limit=1`,
      z.object({ facts: runFactsSchema }),
      dutch,
    );
    const { facts } = samples;
    expect(facts).toMatchObject({
      runKind: 'test',
      startedBy: 'Ada Minster',
      connectorId: values['connectorId'],
      sourceSystem: values['sourceSystem'],
      targetCollection: values['targetCollection'],
    });
    expect(facts.sourceLevels?.at(-1)?.acronym).toBe(values['sourceLevelAcronym']);
    expect(facts.targetLevels?.at(-1)?.acronym).toBe(values['targetLevelAcronym']);
  });

  it('[MAP-07] what is written back to the source knows the run that it comes from', async () => {
    const ids = macros
      .filter(({ id }) => !['emptyValue', 'pushErrorCode', 'pushErrorText'].includes(id))
      .map(({ id }) => id);
    await shop.change({
      mappings: shop.mappings(),
      sourceUpdateConfigs: {
        onPost: { success: [allOf(shop.sourceId, 'town', ids, 'name')], failure: [] },
      },
    });
    const run = await shop.runNow();
    await shop.target.pushAll();
    await waitFor(
      'the source to be told',
      async () =>
        (await shop.query<{ town: string }>('select town from vendor'))[0]?.town.includes('\n') ?? false,
      30_000,
    );
    const values = said(ids, (await shop.query<{ town: string }>('select town from vendor'))[0]?.town);
    // Its place in the source was the run's.
    expect(empty(values)).toEqual(['sourceRowNumber']);
    expect(values).toMatchObject({
      runId: run.internalId,
      runKind: 'manual',
      startedBy: 'Ada Minster',
      company: expect.stringContaining('Van Doorn'),
      recordOperation: 'insert',
      pushStatus: 'succeeded',
      targetValue: 'Vendor 1',
    });
    expect(values['targetKeyCreated']).toBe(values['targetKey']);
    expect(Date.parse(values['now']!)).toBeGreaterThan(Date.parse(values['runStartedAt']!));
    expect(Date.parse(values['runStartedAt']!)).toBe(Date.parse(run.startedAt!));
  });
});
