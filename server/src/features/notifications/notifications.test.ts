import type { Sandbox } from '@sluice/sandbox';
import {
  connectDomain,
  type ConnectedDomain,
  type Product,
  startProduct,
  startSandbox,
  tableOf,
  waitFor,
  waitUntilCached,
} from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { listen } from './test-support/listen.ts';

let sandbox: Sandbox;
let product: Product;
let domain: ConnectedDomain;

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 100 });
  product = await startProduct(inject('postgresUrl'));
  domain = await connectDomain(product.admin, {
    kind: 'odata',
    systemName: 'Shop',
    url: `${sandbox.url}/odata`,
    database: 'test',
    username: 'sandbox',
    password: 'sandbox',
    companies: ['NL01'],
  });
  await waitUntilCached(product.admin, domain.table('suppliers'));
});
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});

describe('notifications', () => {
  it('[API-38] [NOTIF-01] [NOTIF-02] [NOTIF-10] [NOTIF-21] [WS-04] a push is added, its bar moves, and its end replaces it, in the reader’s language', async () => {
    const { admin } = product;
    await admin.call('PATCH', '/api/v1/user/userprefs', [{ op: 'replace', path: 'language', value: 'NL' }]);
    const own = await listen(admin);
    const table = tableOf(admin, domain.table('suppliers'));
    const records = await table.find('limit=5');
    await table.patch(
      records.map(({ internalId }) => ({ id: internalId, changes: { 'address.city': 'Delft' } })),
    );
    const pushed = await table.pushAll();
    expect(pushed.succeeded).toBe(5);
    await waitFor('the end', async () =>
      own.messages.some(({ data }) => 'class' in data && data.class === 'success'),
    );
    const [first, ...rest] = own.messages;
    expect(first).toMatchObject({
      type: 'notification',
      method: 'POST',
      data: {
        kind: 'pushFinished',
        title: 'Push naar Leveranciers',
        class: 'info',
        type: { kind: 'withProgressBar', total: 5, current: 0 },
        isHidden: false,
      },
    });
    const id = 'id' in first!.data ? first!.data.id : '';
    expect(rest.filter(({ type }) => type === 'progress').map(({ data }) => data)).toContainEqual({
      parentMessageId: id,
      current: 5,
    });
    expect(rest.at(-1)).toMatchObject({
      method: 'PATCH',
      data: {
        id,
        message: '5 wijzigingen naar Shop gepusht',
        url: expect.stringContaining(`?push=${pushed.internalId}`),
        type: { total: 5, current: 5 },
      },
    });
    own.close();
  });

  it('[NOTIF-10] the bar of a push is full when all is done: what waits for another record counts when it has had its second try', async () => {
    const { admin } = product;
    const table = tableOf(admin, domain.table('suppliers'));
    const [first] = await table.find('limit=1');
    const taken = String(first!['vatNumber']);
    const own = await listen(admin);
    // New records go first, and its number is free only when the other has given it away.
    await table.patch([{ id: String(first!.internalId), changes: { vatNumber: 'NL999999990B99' } }]);
    await table.insert([{ name: 'Heir', iban: first!['iban'], currency: 'EUR', vatNumber: taken }]);
    const pushed = await table.pushAll();
    expect(pushed).toMatchObject({ status: 'DONE', succeeded: 2 });
    const end = await waitFor('the end', async () =>
      own.messages.find(
        ({ data }) =>
          'class' in data && data.class === 'success' && data.url?.includes(pushed.internalId) === true,
      ),
    );
    const id = 'id' in end.data ? end.data.id : '';
    const bar = own.messages.flatMap(({ data }) =>
      'parentMessageId' in data && data.parentMessageId === id ? [data.current] : [],
    );
    expect(bar).toEqual([1, 2]);
    own.close();
  });

  it('who may change domains hears that one of them refuses access; others do not', async () => {
    const { admin } = product;
    const ben = await product.addUser({
      username: 'ben',
      rights: [{ endpointId: 'domains', create: false, read: true, update: false, delete: false }],
      systems: [{ externalSystemId: domain.systemId, levelIds: null }],
    });
    const [keeper, reader] = [await listen(admin), await listen(ben)];
    const changed = await admin.call(
      'PATCH',
      `/api/v1/manage/systems/${domain.systemUrl}/domains/${domain.domainId}`,
      { password: 'changed in the ERP' },
    );
    expect(changed.status).toBe(200);
    await admin.call('POST', `${domain.table('suppliers')}/cache`);
    await waitFor('the message', async () =>
      keeper.messages.some(({ data }) => 'kind' in data && data.kind === 'domainProblem'),
    );
    expect(keeper.messages.find(({ data }) => 'kind' in data && data.kind === 'domainProblem')).toMatchObject(
      {
        data: {
          class: 'error',
          title: 'Shop',
          message: expect.stringContaining('weigert toegang'),
          url: expect.stringContaining(domain.domainId),
        },
      },
    );
    expect(reader.messages.filter(({ data }) => 'kind' in data && data.kind === 'domainProblem')).toEqual([]);
    keeper.close();
    reader.close();
  });
});
