import type { CallClass, CallOptions, Session } from '@sluice/adapter-kit';
import { odataAdapter } from '@sluice/adapter-odata';
import type { Sandbox } from '@sluice/sandbox';
import { connectSandbox, type Product, startProduct, startSandbox, wrapSession } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { withSlots } from './call-slots.ts';

let sandbox: Sandbox;
/** That counts what it is asked, and the same with no more calls at a time than it takes. */
let plain: Session;
let session: Session;
/** What the external system is asked at the moment, at most so far, and in which order it began. */
const asked = { now: 0, most: 0, order: [] as string[] };

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 2500 });
  const login = { username: 'sandbox', password: 'sandbox', authType: 'basic' as const };
  const rest = { clientId: '', clientSecret: '', tokenUrl: '', scope: '', settings: {} };
  const own = odataAdapter.open(
    { url: `${sandbox.url}/odata`, database: 'production', ...login, ...rest },
    {
      budget: { acquire: () => Promise.resolve(), observe: () => undefined },
      requestTimeoutMs: 20_000,
      now: () => new Date(),
    },
  );
  const counted = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    asked.order.push(name);
    asked.now += 1;
    asked.most = Math.max(asked.most, asked.now);
    try {
      return await work();
    } finally {
      asked.now -= 1;
    }
  };
  plain = wrapSession(own, {
    caps: { ...own.caps, parallel: 2 },
    describe: async (collection, options) =>
      await counted(
        `${options.callClass} ${collection}`,
        async () => await own.describe(collection, options),
      ),
    async *read(query) {
      const pages = own.read(query)[Symbol.asyncIterator]();
      for (;;) {
        const next = await counted('page', async () => await pages.next());
        if (next.done) return;
        yield next.value;
      }
    },
  });
  session = withSlots(plain);
});
afterAll(async () => {
  await session?.close();
  await sandbox?.close();
});

function forget(): void {
  Object.assign(asked, { now: 0, most: 0, order: [] });
}
const optionsOf = (callClass: CallClass, signal = new AbortController().signal): CallOptions => ({
  levels: ['NL01'],
  locale: 'EN',
  callClass,
  signal,
});
const names = ['Customers', 'Suppliers', 'Products', 'Projects'];

describe('calls at a time', () => {
  it('[Q-PUSH-07] are no more than the system takes, and pushes go before refreshes', async () => {
    forget();
    await Promise.all(
      (['cache', 'push'] as const).flatMap((callClass) =>
        names.map(async (name) => await session.describe(name, optionsOf(callClass))),
      ),
    );
    expect(asked.most).toBe(2);
    // The first two found the system free.
    expect(asked.order).toEqual([
      ...names.slice(0, 2).map((name) => `cache ${name}`),
      ...names.map((name) => `push ${name}`),
      ...names.slice(2).map((name) => `cache ${name}`),
    ]);
  });

  it('of people wait for none, and the others wait for those of people', async () => {
    forget();
    await Promise.all(
      (['cache', 'interactive'] as const).flatMap((callClass) =>
        names.map(async (name) => await session.describe(name, optionsOf(callClass))),
      ),
    );
    expect(asked.most).toBe(2 + names.length);
    expect(asked.order).toEqual([
      ...names.slice(0, 2).map((name) => `cache ${name}`),
      ...names.map((name) => `interactive ${name}`),
      ...names.slice(2).map((name) => `cache ${name}`),
    ]);
  });

  it('that hang keep the others waiting for a while only, and count for one place each', async () => {
    forget();
    const answer = Promise.withResolvers<void>();
    const hanging = withSlots(
      wrapSession(plain, {
        describe: async (collection, options) => {
          if (collection === 'Customers') await answer.promise;
          return await plain.describe(collection, options);
        },
      }),
      1000,
    );
    const ask = async (name: string) => await hanging.describe(name, optionsOf('cache'));
    const hung = [ask('Customers'), ask('Customers')];
    await Promise.all(names.slice(1).map(ask));
    expect(asked.order).toEqual(names.slice(1).map((name) => `cache ${name}`));
    answer.resolve();
    await Promise.all(hung);
    // A place that was given back is not given back once more when the call ends.
    forget();
    await Promise.all([...names, ...names].map(ask));
    expect(asked.most).toBe(2);
  });

  it('leave others their turn between the pages of a long read', async () => {
    forget();
    const { fields } = await session.describe('JournalEntries', optionsOf('cache'));
    const read = async (): Promise<number> => {
      let records = 0;
      const query = { collection: 'JournalEntries', fields, cursor: null, pageSize: 500, changedSince: null };
      for await (const page of session.read({ ...optionsOf('cache'), ...query })) {
        // A consumer that asks the same system while it works through its pages waits for nobody but others.
        await session.describe('Customers', optionsOf('cache'));
        records += page.records.length;
      }
      return records;
    };
    expect(await Promise.all([read(), read(), read()])).toEqual([2500, 2500, 2500]);
    expect(asked.most).toBe(2);
  });

  it('who gives up while he waits keeps nobody else waiting', async () => {
    forget();
    const stop = new AbortController();
    const calls = names.map(async (name) => await session.describe(name, optionsOf('push')));
    const given = session.describe('WebPrices', optionsOf('push', stop.signal));
    stop.abort(new Error('no longer wanted'));
    await expect(given).rejects.toThrow('no longer wanted');
    await Promise.all(calls);
    expect(asked.order).not.toContain('push WebPrices');
    await session.describe('Customers', optionsOf('cache'));
    expect(asked.now).toBe(0);
  });

  it('a page that is not asked for to its end, and a call that fails, give their place back', async () => {
    forget();
    const { fields } = await session.describe('Customers', optionsOf('cache'));
    for (let n = 0; n < 3; n += 1) {
      const query = { collection: 'Customers', fields, cursor: null, pageSize: 100, changedSince: null };
      for await (const page of session.read({ ...optionsOf('cache'), ...query })) {
        expect(page.records.length).toBeGreaterThan(0);
        break;
      }
      await expect(session.describe('Nothing', optionsOf('push'))).rejects.toThrow('Nothing');
    }
    await Promise.all(names.map(async (name) => await session.describe(name, optionsOf('cache'))));
    expect(asked.most).toBe(2);
  });
});

describe('the connection of a domain', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct(inject('postgresUrl'), { roles: ['web'] });
  });
  afterAll(async () => await product?.stop());

  it('is shared by all that ask, so that twice as many calls as the system takes need two turns', async () => {
    const { domainId } = await connectSandbox(product.admin, sandbox);
    const connection = await product.app.systems.connections.of(domainId);
    const { fields } = await connection.describe('Customers', optionsOf('push'));
    const { value } = (await (
      await fetch(`${sandbox.url}/odata/production/companies('NL01')/Customers?$top=1&$select=number`, {
        headers: { authorization: `Basic ${btoa('sandbox:sandbox')}` },
      })
    ).json()) as { value: { number: string }[] };
    const latency = 400;
    await fetch(`${sandbox.url}/admin/faults`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ faults: [{ kind: 'latency', ms: latency }] }),
    });
    const began = performance.now();
    const keys = value.map(({ number }) => number);
    const calls = Array.from({ length: connection.caps.parallel * 2 }, async () => {
      const session = await product.app.systems.connections.of(domainId);
      return await session.readByKeys({ ...optionsOf('push'), collection: 'Customers', fields, keys });
    });
    const found = await Promise.all(calls);
    expect(found.every((records) => records.length === 1)).toBe(true);
    // A bound from below: a slow machine cannot break it.
    expect(performance.now() - began).toBeGreaterThanOrEqual(2 * latency);
  });
});
