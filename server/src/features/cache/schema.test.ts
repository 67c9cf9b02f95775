import type { Sandbox } from '@sluice/sandbox';
import {
  connectDomain,
  type Product,
  startProduct,
  startSandbox,
  tableOf,
  waitFor,
  waitUntilCached,
} from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { z } from 'zod';

let sandbox: Sandbox;
let product: Product;
let path: string;

const metadataSchema = z.object({
  metadata: z.object({ fieldsMetadata: z.array(z.object({ id: z.string() })) }),
});

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 100 });
  product = await startProduct(inject('postgresUrl'));
  const domain = await connectDomain(product.admin, {
    kind: 'odata',
    systemName: 'Shop',
    url: `${sandbox.url}/odata`,
    database: 'test',
    username: 'sandbox',
    password: 'sandbox',
    companies: ['NL01'],
  });
  path = domain.table('suppliers');
  await waitUntilCached(product.admin, path);
});
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});

async function faults(list: object[]): Promise<void> {
  const response = await fetch(`${sandbox.url}/admin/faults`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ faults: list }),
  });
  expect(response.status).toBeLessThan(300);
}

it('a field that vanishes is gone for everybody, also for who reads while the description is being stored', async () => {
  const { admin } = product;
  // Storing it takes its time, so that readers come in between.
  await product.query(`
    create function slowly() returns trigger language plpgsql as
      $$ begin perform pg_sleep(1); return new; end $$`);
  await product.query(
    'create trigger slowly before update of fields_en on collection for each row execute function slowly()',
  );
  const hasWebsite = async (): Promise<boolean> => {
    const { metadata } = await admin.get(`${path}?limit=0&metadata=fields`, metadataSchema);
    return metadata.fieldsMetadata.some(({ id }) => id === 'website');
  };
  expect(await hasWebsite()).toBe(true);
  await faults([{ kind: 'dropField', collection: 'Suppliers', field: 'website' }]);
  await admin.send('POST', `${path}/cache`, undefined, z.unknown());
  await waitFor('website to be gone', async () => !(await hasWebsite()), 20_000);
});

it('[PEND-09] what is pending is checked again when fields and their rules change in the external system', async () => {
  const { admin } = product;
  await faults([]);
  await admin.send('POST', `${path}/cache`, undefined, z.unknown());
  const table = tableOf(admin, path);
  const missing = async (): Promise<string[]> =>
    (await table.pending()).flatMap(({ validationErrors }) => validationErrors.map(({ field }) => field));
  await admin.send('POST', path, { name: 'Without an account' }, z.unknown());
  expect(await missing()).toContain('iban');
  await faults([{ kind: 'dropField', collection: 'Suppliers', field: 'iban' }]);
  await admin.send('POST', `${path}/cache`, undefined, z.unknown());
  await waitFor('it to be no longer asked for', async () => !(await missing()).includes('iban'), 20_000);
  await faults([]);
  await admin.send('POST', `${path}/cache`, undefined, z.unknown());
  await waitFor('it to be asked for again', async () => (await missing()).includes('iban'), 20_000);
});
