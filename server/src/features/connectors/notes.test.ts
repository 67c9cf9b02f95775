import { getActionDocumentation, getAudit, getConnectorDocumentation } from '@sluice/contract';
import type { Sandbox } from '@sluice/sandbox';
import { type Api, connectSandbox, type Product, startProduct, startSandbox } from '@sluice/testing';
import { z } from 'zod';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';

const created = z.object({ internalId: z.string() });

let sandbox: Sandbox;
let product: Product;
/** Reads connectors and writes notes. */
let ada: Api;
/** Reads connectors. */
let ben: Api;
/** Writes notes, and reads no connectors. */
let cas: Api;
let end: { id: string; levelIds: string[] };
/** API paths of a connector of the test's own, and of its action. */
let connector: string;
let action: string;

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 20 });
  product = await startProduct(inject('postgresUrl'));
  const { systemId, domainId } = await connectSandbox(product.admin, sandbox);
  end = { id: systemId, levelIds: [domainId, `${domainId}.NL01`] };
  const none = { create: false, read: true, update: false, delete: false };
  const read = { endpointId: 'connectors', ...none };
  const note = { endpointId: 'documentation', ...none, update: true };
  ada = await product.addUser({ username: 'ada', fullName: 'Ada Smit', rights: [read, note] });
  ben = await product.addUser({ username: 'ben', rights: [read] });
  cas = await product.addUser({ username: 'cas', rights: [note] });
});
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});

const addAction = async (name: string): Promise<string> => {
  const wired = [{ optionId: 'suppliers', path: '', resourceTypeUriId: 'suppliers' }];
  const body = { name, wiring: { targets: wired, sources: wired } };
  return `${connector}/actions/${(await product.admin.send('POST', `${connector}/actions`, body, created)).internalId}`;
};
beforeEach(async () => {
  const body = { name: 'Noted', sourceSystem: end, targetSystem: end };
  connector = `/api/v1/connectors/${(await product.admin.send('POST', '/api/v1/connectors', body, created)).internalId}`;
  action = await addAction('Suppliers');
});

const read = async (api: Api, path: string) =>
  (await api.get(`${path}/documentation`, getActionDocumentation.reply!)).resource;
const write = async (api: Api, path: string, text: string, revision: number) =>
  await api.call('PATCH', `${path}/documentation`, { text, revision });
const idOf = (path: string): string => path.split('/').at(-1) ?? '';
const notedActionIds = async () =>
  (await ben.get(`${connector}/documentation`, getConnectorDocumentation.reply!)).notedActionIds;
const subjects = async () =>
  (
    await product.query<{ subject: string }>(
      `select subject from documentation where not subject like 'table:%' order by 1`,
    )
  ).map(({ subject }) => subject);

describe.each([
  { what: 'a connector', path: () => connector, named: 'Noted' },
  { what: 'an action', path: () => action, named: 'Suppliers (Noted)' },
])('the note about $what', ({ path, named }) => {
  it('is empty at first, is read by readers of connectors and written with the right of documentation', async () => {
    const empty = { text: '', revision: 0, updatedAt: null, author: null };
    expect(await read(ben, path())).toEqual({ ...empty, canEdit: false });
    const text = 'First line\nSecond line';
    expect((await write(ben, path(), text, 0)).status).toBe(403);
    expect((await write(cas, path(), text, 0)).status).toBe(403);
    expect((await cas.call('GET', `${path()}/documentation`)).status).toBe(403);
    expect(await write(ada, path(), text, 0)).toMatchObject({
      status: 200,
      body: { resource: { text, revision: 1, canEdit: true, author: { fullName: 'Ada Smit' } } },
    });
    expect(await read(ben, path())).toMatchObject({ text, revision: 1, canEdit: false });
    expect((await write(ada, path(), 'x'.repeat(20_001), 1)).status).toBe(422);
    const { resources } = await product.admin.get(
      '/api/v1/manage/audit?limit=1&search=documentation',
      getAudit.reply!,
    );
    expect(resources[0]).toMatchObject({
      verb: 'documentation.update',
      targetName: named,
      details: { revision: 1, length: text.length },
    });
  });

  it('two who write at once keep both texts: the second is refused with the first', async () => {
    expect((await write(product.admin, path(), 'The first', 0)).status).toBe(200);
    for (const revision of [0, 7])
      expect(await write(ada, path(), 'The second', revision)).toMatchObject({
        status: 409,
        body: {
          code: 'REVISION_CONFLICT',
          details: { mine: 'The second', resource: { text: 'The first', revision: 1 } },
        },
      });
    expect((await write(ada, path(), 'Both', 1)).status).toBe(200);
  });

  it('stays as it was where writing fails', async () => {
    expect((await write(ada, path(), 'Before', 0)).status).toBe(200);
    await product.query(`create function not_today() returns trigger language plpgsql as
      'begin raise exception ''no changes today''; end'`);
    await product.query(
      'create trigger not_today before insert on audit for each row execute function not_today()',
    );
    expect((await write(ada, path(), 'After', 1)).status).toBe(500);
    await product.query('drop function not_today cascade');
    expect(await read(ben, path())).toMatchObject({ text: 'Before', revision: 1 });
  });

  it('is there for nothing that does not exist', async () => {
    const unknown = path().replace(idOf(path()), '00000000-0000-4000-8000-000000000000');
    expect((await write(ada, unknown, 'About nothing', 0)).status).toBe(404);
    expect((await ada.call('GET', `${unknown}/documentation`)).status).toBe(404);
  });
});

describe('notes of a connector', () => {
  it('those of its actions are told with its own, unless they are empty', async () => {
    const second = await addAction('Second');
    await addAction('Third');
    expect(await notedActionIds()).toEqual([]);
    for (const path of [action, second]) expect((await write(ada, path, 'Text', 0)).status).toBe(200);
    expect(await notedActionIds()).toEqual([idOf(action), idOf(second)].toSorted());
    expect((await write(ada, second, '', 1)).status).toBe(200);
    expect(await notedActionIds()).toEqual([idOf(action)]);
  });

  it('go with the action or the connector that they are about, and no others', async () => {
    const kept = await subjects();
    const second = await addAction('Second');
    for (const path of [connector, action, second])
      expect((await write(ada, path, 'Text', 0)).status).toBe(200);
    expect((await product.admin.call('DELETE', second)).status).toBe(204);
    const left = [...kept, `action:${idOf(action)}`, `connector:${idOf(connector)}`];
    expect(await subjects()).toEqual(left.toSorted());
    expect((await product.admin.call('DELETE', connector)).status).toBe(204);
    expect(await subjects()).toEqual(kept);
  });
});
