import type { CallBudget, CallClass } from '@sluice/adapter-kit';
import type { Sandbox } from '@sluice/sandbox';
import { type Product, startProduct, startSandbox } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createPool, type Pool } from '../../platform/db.ts';
import { callBudget } from './call-budget.ts';
import * as store from './store.ts';

let sandbox: Sandbox;
let product: Product;
let pool: Pool;
let domainId: string;
let budget: CallBudget;

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 100 });
  // Nobody else makes calls.
  product = await startProduct(inject('postgresUrl'), { sandboxUrl: sandbox.url, roles: ['web'] });
  const [domain] = await product.query<{ domain_id: string }>('select domain_id from domain limit 1');
  domainId = domain?.domain_id ?? '';
  pool = createPool({ url: product.databaseUrl, max: 2, applicationName: 'calls', onError: () => undefined });
  budget = callBudget(pool, domainId, 'Europe/Amsterdam');
});
afterAll(async () => {
  await pool?.end();
  await product?.stop();
  await sandbox?.close();
});

const acquire = async (callClass: CallClass): Promise<void> =>
  await budget.acquire(callClass, new AbortController().signal);
const limitTo = async (calls: number | null): Promise<void> => {
  await product.query('update domain set max_api_calls = $1 where domain_id = $2', [calls, domainId]);
};

describe('the calls of a domain', () => {
  it('a pause that ends while a call asks for its turn is not told as a limit that is reached', async () => {
    for (let n = 0; n < 400; n += 1) {
      await store.pauseConnection(pool, domainId, 1 + (n % 4) * 0.3);
      await acquire('push');
    }
  });

  it('who waits at the screen is told of a pause at once, and the rest waits for its end', async () => {
    await store.pauseConnection(pool, domainId, 3000);
    await expect(acquire('interactive')).rejects.toMatchObject({ code: 'RATE' });
    await acquire('push');
    const over = 'select paused_until <= now() as is_over from connection_limit where domain_id = $1';
    expect(await product.query(over, [domainId])).toEqual([{ is_over: true }]);
  });

  it('a limit that is reached is told with its number: to refreshes a tenth earlier, in a pause too', async () => {
    await product.query('update connection_limit set calls = 9 where domain_id = $1', [domainId]);
    await limitTo(10);
    await expect(acquire('cache')).rejects.toMatchObject({ code: 'CALL_LIMIT' });
    await acquire('push');
    await store.pauseConnection(pool, domainId, 60_000);
    const refused = { code: 'CALL_LIMIT', message: 'All 10 API calls of today have been used' };
    await expect(acquire('push')).rejects.toMatchObject(refused);
    await limitTo(null);
    await product.query('update connection_limit set paused_until = null where domain_id = $1', [domainId]);
    await acquire('cache');
  });

  it('of a domain that was removed nothing is called any more', async () => {
    const gone = callBudget(pool, '00000000-0000-7000-8000-000000000000', 'Europe/Amsterdam');
    await expect(gone.acquire('push', new AbortController().signal)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
