import type { Outcome, Session, WriteOp } from '@sluice/adapter-kit';
import { describeConformance } from '@sluice/adapter-kit/conformance';
import { parseCollection, parseErrors } from '@sluice/testing/parse-profile';
import { findParseServerProblem, type ParseServer, startParseServer } from '@sluice/testing/parse-server';
import { describeSystem } from '@sluice/testing/system';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { restAdapter } from './index.ts';

import { configOf, context, options, readAll } from './test-support.ts';

const open = { find: { '*': true }, get: { '*': true }, count: { '*': true } };
// The service takes `secret` and never shows it.
const allowed = {
  ...open,
  protectedFields: { '*': ['secret'] },
  create: { '*': true },
  update: { '*': true },
  delete: { '*': true },
};
const fields = {
  number: { type: 'String', required: true },
  category: { type: 'String', required: true },
  name: { type: 'String' },
  credit: { type: 'Number' },
  isActive: { type: 'Boolean' },
  address: { type: 'Object' },
  tags: { type: 'Array' },
  secret: { type: 'String' },
};
const profile = {
  limits: { pageSize: 200 },
  idempotency: { header: 'X-Parse-Request-Id' },
  errors: parseErrors,
  collections: [
    parseCollection('Customer'),
    parseCollection('Locked'),
    parseCollection('Limited', { batch: undefined }),
  ],
};

describeSystem('parse-server', findParseServerProblem(), () => {
  let server: ParseServer;
  beforeAll(async () => {
    server = await startParseServer({
      idempotencyOptions: { paths: ['classes/.*'], ttl: 300 },
      rateLimit: [
        {
          requestPath: '/classes/Limited{/*path}',
          requestMethods: 'POST',
          requestTimeWindow: 30_000,
          requestCount: 2,
          errorResponseMessage: 'Too many requests.',
          includeInternalRequests: true,
        },
      ],
    });
    for (const [name, permissions] of [
      ['Customer', allowed],
      ['Limited', allowed],
      ['Locked', open],
    ] as const)
      await server.call('POST', `schemas/${name}`, {
        className: name,
        fields,
        classLevelPermissions: permissions,
      });
    for (let from = 0; from < 650; from += 50)
      await server.call('POST', 'batch', {
        requests: Array.from({ length: 50 }, (_, i) => ({
          method: 'POST',
          path: '/parse/classes/Locked',
          body: { number: `L${from + i}`, category: 'a', name: `Name ${from + i}` },
        })),
      });
  });
  afterAll(() => server?.stop());

  const config = (change: Record<string, unknown> = {}) =>
    configOf(
      server.url,
      { ...profile, ...change },
      { signIn: 'headers', headers: 'X-Parse-Application-Id: sluice\nX-Parse-REST-API-Key: {secret}' },
      { password: server.restKey },
    );
  const found = z.object({ count: z.number() });

  describeConformance('A REST service', () =>
    Promise.resolve({
      definition: restAdapter,
      config: config(),
      badConfig: { ...config(), password: 'wrong' },
      deadConfig: { ...config(), url: 'http://127.0.0.1:1/' },
      levels: [],
      collection: 'Customer',
      sample: (n) => ({
        number: `C${n}`,
        category: 'retail',
        name: `Café ${n} “O'Brien” 😀`,
        credit: 12.5,
        isActive: n % 2 === 0,
        'address.city': 'Zwolle',
        'address.country': 'NL',
        tags: ['vip', 'test'],
      }),
      change: (n) => ({ name: `Changed ${n}`, 'address.city': `City ${n}`, credit: n }),
      invalid: { values: { category: null }, field: 'category' },
      naturalKey: 'number',
      missingKey: 'nobody0000',
      missingCollection: 'Nothing',
      large: { collection: 'Locked', levels: [], pageSize: 200 },
      twoCompanies: null,
      clockMs: 20,
      changeElsewhere: async (key, values) => {
        const flat = Object.entries(values).filter(([id]) => !id.includes('.'));
        const city = values['address.city'];
        const body = { ...Object.fromEntries(flat), ...(city ? { address: { city, country: 'NL' } } : {}) };
        await server.call('PUT', `classes/Customer/${key}`, body);
      },
      removeElsewhere: async (key) => {
        await server.call('DELETE', `classes/Customer/${key}`);
      },
      countElsewhere: async (value) => {
        const where = encodeURIComponent(JSON.stringify({ number: value }));
        return found.parse(await server.call('GET', `classes/Customer?count=1&limit=0&where=${where}`)).count;
      },
      cleanup: () => Promise.resolve(),
    }),
  );

  describe('parse-server', () => {
    const use = async (work: (session: Session) => Promise<void>, change: Record<string, unknown> = {}) => {
      const session = restAdapter.open(config(change), context());
      try {
        await work(session);
      } finally {
        await session.close();
      }
    };
    const write = async (session: Session, collection: string, ops: WriteOp[]): Promise<Outcome[]> => {
      const description = await session.describe(collection, options());
      return await session.write({ ...options(), collection, fields: description.fields, ops });
    };
    const insert = (opId: string, values: WriteOp['values'] = {}): WriteOp => ({
      opId,
      action: 'insert',
      values: { number: opId, category: 'a', ...values },
    });
    const errorsOf = (outcome: Outcome | undefined) => (outcome?.state === 'rejected' ? outcome.errors : []);

    it('tells the outcome of each record of one batch that is mixed', async () => {
      await use(async (session) => {
        const outcomes = await write(session, 'Customer', [
          insert('mixed-1'),
          insert('mixed-2', { category: null }),
          insert('mixed-3', { credit: 'a lot' }),
          insert('mixed-4'),
        ]);
        expect(outcomes.map(({ state }) => state)).toEqual(['done', 'rejected', 'rejected', 'done']);
        expect(errorsOf(outcomes[1])).toMatchObject([
          { errCode: '142', field: 'category', class: 'validation', code: 4001 },
        ]);
        expect(errorsOf(outcomes[2])).toMatchObject([
          { errCode: '111', field: 'credit', class: 'validation' },
        ]);
      });
    });

    it('says that the account may not write, in the words of the service', async () => {
      await use(async (session) => {
        const [outcome] = await write(session, 'Locked', [insert('locked-1')]);
        expect(errorsOf(outcome)).toMatchObject([{ errCode: '119', class: 'forbidden' }]);
      });
    });

    it('finds the record of an insert that the service calls a duplicate, and makes no second one', async () => {
      await use(async (session) => {
        const [first] = await write(session, 'Customer', [insert('again-1')]);
        const [second] = await write(session, 'Customer', [insert('again-1')]);
        expect(first?.state).toBe('done');
        expect(second).toEqual(first);
        const where = encodeURIComponent(JSON.stringify({ number: 'again-1' }));
        const { count } = found.parse(
          await server.call('GET', `classes/Customer?count=1&limit=0&where=${where}`),
        );
        expect(count).toBe(1);
      });
    });

    it('reads back what was written, so that a value that the live record does not have shows', async () => {
      const declared = parseCollection('Customer');
      const collections = [{ ...declared, fields: [...declared.fields, { id: 'secret', type: 'string' }] }];
      await use(
        async (session) => {
          const [outcome] = await write(session, 'Customer', [insert('secret-1', { secret: 'x' })]);
          expect(outcome).toMatchObject({ state: 'done', values: { number: 'secret-1', secret: null } });
        },
        { collections },
      );
    });

    it('sends nothing more after 429, and passes on how long to wait', async () => {
      const used = context();
      const session = restAdapter.open(config(), used);
      try {
        const ops = ['limit-1', 'limit-2', 'limit-3', 'limit-4'].map((opId) => insert(opId));
        const outcomes = await write(session, 'Limited', ops);
        expect(outcomes.map(({ state }) => state)).toEqual(['done', 'done', 'notSent', 'notSent']);
        for (const outcome of outcomes.slice(2))
          expect(outcome.state === 'notSent' ? outcome.retryAfterMs : 0).toBeGreaterThan(0);
        const refused = used.answers.filter(({ status }) => status === 429);
        expect(refused).toHaveLength(1);
        expect(refused[0]?.retryAfterMs).toBeGreaterThan(0);
      } finally {
        await session.close();
      }
    });

    it('infers fields of a page of records where the profile does not say all', async () => {
      const { fields: _, isComplete: __, ...inferred } = parseCollection('Locked');
      await use(
        async (session) => {
          const description = await session.describe('Locked', options());
          const types = Object.fromEntries(description.fields.map(({ id, dataType }) => [id, dataType]));
          expect(types).toEqual({
            objectId: 'string',
            number: 'string',
            category: 'string',
            name: 'string',
            createdAt: 'datetime',
            updatedAt: 'datetime',
          });
          const pages = await readAll(session, 'Locked', { pageSize: 200 });
          expect(pages.flatMap(({ records }) => records)).toHaveLength(650);
        },
        { collections: [inferred] },
      );
    });
  });
});
