import type { Sandbox } from '@sluice/sandbox';
import {
  type Api,
  connectDomain,
  connectSandbox,
  type Product,
  startProduct,
  startSandbox,
  tableOf,
  waitUntilCached,
} from '@sluice/testing';
import { findParseServerProblem, type ParseServer, startParseServer } from '@sluice/testing/parse-server';
import {
  fillShop,
  shopAccount as account,
  shopCredit as credit,
  shopName,
  shopObjects,
  shopProfile,
} from '@sluice/testing/parse-shop';
import { describeSystem } from '@sluice/testing/system';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type End, fromField, makeAction, makeConnector, runAction } from '../test-support/action.ts';

const rows = 120;
/** A service that speaks REST, read page by page and written in batches of 50. */
describeSystem('parse-server connected to the sandbox, and back', findParseServerProblem(), () => {
  let server: ParseServer;
  let sandbox: Sandbox;
  let product: Product;
  let api: Api;
  let suppliers: ReturnType<typeof tableOf>;
  let contacts: ReturnType<typeof tableOf>;
  let service: End;
  let erp: End;

  const found = async (className: string, where: object = {}) => await shopObjects(server, className, where);

  beforeAll(async () => {
    server = await startParseServer();
    await fillShop(server, rows);
    sandbox = await startSandbox({ journalEntries: 100 });
    product = await startProduct(inject('postgresUrl'));
    api = product.admin;
    const rest = await connectDomain(api, {
      kind: 'rest',
      systemName: 'Shop service',
      url: server.url,
      database: '',
      username: '',
      password: server.restKey,
      settings: {
        signIn: 'headers',
        headers: 'X-Parse-Application-Id: sluice\nX-Parse-REST-API-Key: {secret}',
        profile: JSON.stringify(shopProfile(50)),
      },
    });
    const shop = await connectSandbox(api, sandbox, { systemName: 'ERP', database: 'test' });
    service = { id: rest.systemId, levelIds: [rest.domainId] };
    erp = { id: shop.systemId, levelIds: [shop.domainId, `${shop.domainId}.NL01`] };
    suppliers = tableOf(api, shop.table('suppliers'));
    contacts = tableOf(api, rest.table('contact'));
    await waitUntilCached(api, suppliers.path);
    await waitUntilCached(api, contacts.path);
  }, 300_000);
  afterAll(async () => {
    await product?.stop();
    await sandbox?.close();
    await server?.stop();
  });

  it('[MAP-11] its objects become suppliers, a second run changes nothing, and a changed and a deleted object are followed', async () => {
    const connector = await makeConnector(api, 'Service to ERP', service, erp);
    const from = (field: string, fns: object[] = []) => fromField('customer', field, fns);
    const action = await makeAction(api, connector, {
      name: 'Suppliers',
      source: 'customer',
      target: 'suppliers',
      mappings: [
        { targetField: 'name', mappingSources: from('name', [{ fnId: 'trim' }]) },
        { targetField: 'iban', isUnique: true, mappingSources: from('number') },
        {
          targetField: 'currency',
          mappingSources: [
            { sourceOptionId: 'customer', source: { type: 'customValue', value: 'EUR' }, transformFns: [] },
          ],
        },
        { targetField: 'minimumOrder', mappingSources: from('credit') },
        { targetField: 'isPreferred', mappingSources: from('isActive') },
        { targetField: 'address.city', mappingSources: from('address.city') },
      ],
    });
    expect((await runAction(api, action)).counts).toMatchObject({ inserted: rows, failed: 0 });
    expect((await suppliers.pushAll()).succeeded).toBe(rows);
    const supplier = async (n: number) => (await suppliers.where('iban', account(n)))[0];
    expect(await supplier(2)).toMatchObject({
      name: shopName(2),
      currency: 'EUR',
      minimumOrder: credit,
      isPreferred: true,
      address: { city: 'Zwolle' },
    });
    expect((await supplier(7))?.['address']).toMatchObject({ city: null });
    expect((await runAction(api, action)).counts).toMatchObject({
      inserted: 0,
      updated: 0,
      deleted: 0,
      unchanged: rows,
    });
    const [changed] = await found('Customer', { number: account(3) });
    const [gone] = await found('Customer', { number: account(rows) });
    await server.call('PUT', `classes/Customer/${changed?.objectId}`, { name: 'Renamed' });
    await server.call('DELETE', `classes/Customer/${gone?.objectId}`);
    expect((await runAction(api, action)).counts).toMatchObject({
      inserted: 0,
      updated: 1,
      deleted: 1,
      unchanged: rows - 2,
    });
    expect((await suppliers.pushAll()).succeeded).toBe(2);
    expect(await supplier(3)).toMatchObject({ name: 'Renamed' });
    expect(await supplier(rows)).toBeUndefined();
  });

  it('suppliers become objects in batches; the one that the service refuses stays pending with its words, and goes when it is mended', async () => {
    const connector = await makeConnector(api, 'ERP to service', erp, service);
    const from = (field: string) => fromField('suppliers', field);
    const action = await makeAction(api, connector, {
      name: 'Contacts',
      source: 'suppliers',
      target: 'contact',
      mappings: [
        { targetField: 'number', isUnique: true, mappingSources: from('iban') },
        { targetField: 'name', mappingSources: from('name') },
        { targetField: 'category', mappingSources: from('address.city') },
        { targetField: 'credit', mappingSources: from('minimumOrder') },
        { targetField: 'isActive', mappingSources: from('isPreferred') },
      ],
    });
    const query = { source: 'suppliers', field: 'minimumOrder', value: credit };
    const made = rows - 1;
    expect((await runAction(api, action, { query })).counts).toMatchObject({ inserted: made, failed: 0 });
    expect(await found('Contact')).toEqual([]);
    expect(await contacts.pushAll()).toMatchObject({ succeeded: made - 1, failed: 1 });
    const [refused, ...others] = await contacts.pending();
    expect(others).toEqual([]);
    expect(refused?.pushErrors).toMatchObject([{ errCode: '142', field: 'category' }]);
    const objectsNow = await found('Contact');
    expect(objectsNow).toHaveLength(made - 1);
    expect(objectsNow.find(({ number }) => number === account(3))).toMatchObject({
      name: 'Renamed',
      category: 'Zwolle',
      credit,
      isActive: false,
    });
    expect(objectsNow.some(({ number }) => number === account(7))).toBe(false);

    await contacts.patch([{ id: refused?.id ?? '', changes: { category: 'Assen' } }]);
    expect((await contacts.pushAll()).succeeded).toBe(1);
    expect(await found('Contact', { number: account(7) })).toMatchObject([{ category: 'Assen' }]);
    expect(await found('Contact')).toHaveLength(made);
  });
});
