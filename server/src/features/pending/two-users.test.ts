import {
  collectionMessageSchema,
  collectionOpenedMessageSchema,
  notificationMessageSchema,
  pendingOperationSchema,
} from '@sluice/contract';
import type { Sandbox } from '@sluice/sandbox';
import {
  type Api,
  connectSandbox,
  finished,
  type Product,
  startProduct,
  startSandbox,
  tableOf,
  waitFor,
  waitUntilCached,
} from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';

let sandbox: Sandbox;
let product: Product;
let ada: Api;
let ben: Api;
/** May look, and nothing else. */
let cara: Api;
let path: string;
let endpoint: string;
let systems: { externalSystemId: string; levelIds: null }[];
let records: z.output<typeof customerSchema>[];

const customerSchema = z.looseObject({
  internalId: z.string(),
  number: z.string(),
  name: z.string(),
  address: z.looseObject({ city: z.string().nullable() }),
});
const conflictSchema = z.object({
  code: z.literal('REVISION_CONFLICT'),
  details: z.object({
    conflicts: z.array(z.object({ id: z.string(), fields: z.array(z.string()) })),
    pendingOperations: z.object({ update: z.array(pendingOperationSchema) }),
  }),
});
const recordSchema = z.object({
  resource: z.looseObject({ internalId: z.string() }),
  pendingOperations: z.object({
    insert: z.array(pendingOperationSchema),
    update: z.array(pendingOperationSchema),
    delete: z.array(pendingOperationSchema),
  }),
});

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 100 });
  product = await startProduct(inject('postgresUrl'));
  const domain = await connectSandbox(product.admin, sandbox);
  path = domain.table('customers');
  const endpointId = `data:${domain.systemId}:customers`;
  systems = [{ externalSystemId: domain.systemId, levelIds: null }];
  endpoint = endpointId;
  const all = [{ endpointId, create: true, read: true, update: true, delete: true }];
  const look = [{ endpointId, create: false, read: true, update: false, delete: false }];
  ada = await product.addUser({ username: 'ada', fullName: 'Ada Smit', rights: all, systems });
  ben = await product.addUser({ username: 'ben', fullName: 'Ben Bos', rights: all, systems });
  cara = await product.addUser({ username: 'cara', fullName: 'Cara Dam', rights: look, systems });
  await waitUntilCached(product.admin, path);
  records = z.array(customerSchema).parse(await tableOf(ada, path).find('limit=100&offset=100'));
});
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});
/** A record that no test has touched. */
function someRecord(): z.output<typeof customerSchema> {
  const record = records.shift();
  if (!record) throw new Error('There are no more records');
  return record;
}

const read = async (api: Api, id: string) => await api.get(`${path}/${id}`, recordSchema);

async function operationOf(api: Api, id: string) {
  const { pendingOperations: lists } = await read(api, id);
  return [...lists.insert, ...lists.update, ...lists.delete][0];
}

const change = async (api: Api, id: string, changes: Record<string, unknown>, revision?: number) =>
  await api.call('PATCH', path, [{ id, changes, ...(revision === undefined ? {} : { revision }) }]);

/** The sandbox asked directly. */
async function erp(key: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${sandbox.url}/odata/production/Companies('NL01')/Customers('${key}')`, {
    headers: { authorization: `Basic ${btoa('sandbox:sandbox')}` },
  });
  return (await response.json()) as Record<string, unknown>;
}

async function faults(list: object[]): Promise<void> {
  await fetch(`${sandbox.url}/admin/faults`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ faults: list }),
  });
}

interface Line {
  messages: { at: number; message: Record<string, unknown> }[];
  send(text: string): void;
  close(): void;
  /** The code that it is closed with. */
  closed: Promise<number>;
}

async function openLine(api: Api): Promise<Line> {
  const socket = new WebSocket(`${product.base.replace('http', 'ws')}/api/v1/user/websocket`, {
    headers: { cookie: api.cookie() },
  });
  const line: Line = {
    messages: [],
    send: (text) => socket.send(text),
    close: () => socket.close(),
    closed: new Promise((resolve) => socket.once('close', resolve)),
  };
  socket.on('message', (data) => {
    const text = String(data);
    const message = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { text };
    line.messages.push({ at: performance.now(), message });
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  return line;
}

const tableMessage = (method: 'POST' | 'DELETE'): string =>
  JSON.stringify({ handler: 'collection', method, data: { path: path.slice(13) } });

const opened = async (line: Line, times = 1) =>
  await waitFor('the table to be open', async () => {
    const answers = line.messages.filter(
      ({ message }) => collectionOpenedMessageSchema.safeParse(message).success,
    );
    return answers.length >= times;
  });

/** Opens the table on a line; when this answers, its messages come. */
async function watch(api: Api): Promise<Line> {
  const line = await openLine(api);
  line.send(tableMessage('POST'));
  await opened(line);
  return line;
}

const seenBy = async (line: Line, what: string, is: (data: Collection) => boolean) =>
  await waitFor(what, async () => {
    for (const { at, message } of line.messages) {
      const parsed = collectionMessageSchema.safeParse(message);
      if (parsed.success && is(parsed.data.data)) return { at, data: parsed.data.data };
    }
    return null;
  });
type Collection = z.output<typeof collectionMessageSchema>['data'];

describe('two users on one record', () => {
  it('[PEND-02] [API-15] the same cell with an old revision is refused with both values, and nothing changes', async () => {
    const { internalId: id, address, name } = someRecord();
    expect((await change(ada, id, { 'address.city': 'Adadorp' }, 0)).status).toBe(200);
    const before = await read(ben, id);
    // Ben has not seen it; his other cell of the same batch falls with it.
    const refused = await change(ben, id, { 'address.city': 'Bendam', name: 'Other' }, 0);
    expect(refused.status).toBe(409);
    const { details } = conflictSchema.parse(refused.body);
    expect(details.conflicts).toEqual([{ id, fields: ['address.city'] }]);
    expect(details.pendingOperations.update[0]?.changes).toMatchObject([
      {
        action: 'update',
        id,
        fieldName: 'address.city',
        oldValue: address.city,
        newValue: 'Adadorp',
        authoredBy: { fullName: 'Ada Smit' },
      },
    ]);
    expect(await read(ben, id)).toEqual(before);
    expect(before.resource).toMatchObject({ name, address: { city: 'Adadorp' } });
  });

  it("[PEND-18] with the revision that he has seen the last writer becomes the author; the old value stays the ERP's", async () => {
    const { internalId: id, address } = someRecord();
    await change(ada, id, { 'address.city': 'Adadorp' });
    const seen = await operationOf(ben, id);
    expect((await change(ben, id, { 'address.city': 'Bendam' }, seen?.revision)).status).toBe(200);
    const operation = await operationOf(ada, id);
    expect(operation?.revision).toBeGreaterThan(seen?.revision ?? 0);
    expect(operation?.changes).toMatchObject([
      { oldValue: address.city, newValue: 'Bendam', authoredBy: { fullName: 'Ben Bos' } },
    ]);
    // Now Ada is the one who has not seen: neither her first revision nor none at all will do.
    expect((await change(ada, id, { 'address.city': 'Caraveen' }, seen?.revision)).status).toBe(409);
    expect((await change(ada, id, { 'address.city': 'Caraveen' })).status).toBe(409);
  });

  it('[PEND-07] [PEND-08] [PEND-18] different cells of one record are both kept, each with its author', async () => {
    const { internalId: id } = someRecord();
    await change(ada, id, { 'address.city': 'Adadorp' }, 0);
    expect((await change(ben, id, { name: 'Ben was here' }, 0)).status).toBe(200);
    const { resource } = await read(cara, id);
    expect(resource).toMatchObject({ name: 'Ben was here', address: { city: 'Adadorp' } });
    const operation = await operationOf(cara, id);
    expect(operation?.state).toBe('pending');
    const authors = operation?.changes.map((one) => [one.fieldName, one.authoredBy.fullName]);
    expect(new Map(authors as [string, string][])).toEqual(
      new Map([
        ['address.city', 'Ada Smit'],
        ['name', 'Ben Bos'],
      ]),
    );
    // Setting a cell back takes that change away and leaves the other.
    const own = operation?.changes.find(({ fieldName }) => fieldName === 'name');
    await change(ben, id, { name: own?.oldValue }, operation?.revision);
    expect((await operationOf(ada, id))?.changes.map(({ fieldName }) => fieldName)).toEqual(['address.city']);
  });

  it('[PEND-04] changes outlive the session of who made them', async () => {
    const { internalId: id } = someRecord();
    const dora = await product.addUser({ username: 'dora', fullName: 'Dora Vos', isSuperuser: true });
    await change(dora, id, { name: 'Made by Dora' });
    expect((await dora.call('POST', '/api/v1/auth/logout')).status).toBeLessThan(300);
    expect((await dora.call('GET', `${path}/${id}`)).status).toBe(401);
    expect((await operationOf(ada, id))?.changes).toMatchObject([
      { newValue: 'Made by Dora', authoredBy: { fullName: 'Dora Vos' } },
    ]);
  });

  it('who may add and not change goes on filling in what is not pushed, and changes nothing else', async () => {
    const adds = [{ endpointId: endpoint, create: true, read: true, update: false, delete: false }];
    const eva = await product.addUser({ username: 'eva', fullName: 'Eva Kok', rights: adds, systems });
    const made = await eva.call('POST', path, { name: 'Half filled in' });
    expect(made.status).toBe(201);
    const { id = '' } = (await tableOf(ada, path).pending()).find(({ action }) => action === 'add') ?? {};
    expect((await change(eva, id, { name: 'Filled in', creditLimit: 5 })).status).toBe(200);
    const bulk = async (ids: string[]) =>
      await eva.call('POST', `${path}/bulk`, {
        rows: { ids },
        command: { kind: 'set', changes: { notes: 'By Eva' } },
        next: 0,
      });
    expect((await bulk([id])).status).toBe(200);
    expect((await read(ada, id)).resource).toMatchObject({
      name: 'Filled in',
      creditLimit: 5,
      notes: 'By Eva',
    });

    const known = someRecord();
    expect((await change(eva, known.internalId, { name: 'Not hers' })).status).toBe(403);
    expect((await bulk([known.internalId])).status).toBe(403);
    const both = [id, known.internalId].map((one) => ({ id: one, changes: { name: 'Both' } }));
    expect((await eva.call('PATCH', path, both)).status).toBe(403);
    expect((await read(ada, id)).resource).toMatchObject({ name: 'Filled in' });
    expect(await operationOf(ada, known.internalId)).toBeUndefined();
    expect((await change(cara, id, { name: 'Only looks' })).status).toBe(403);
    expect((await eva.call('DELETE', path, { ids: [id] })).status).toBe(200);
    expect(await operationOf(ada, id).catch(() => undefined)).toBeUndefined();
  });

  it('[API-17] a single PATCH takes {revision, changes} or the plain fields, and is refused alike', async () => {
    const { internalId: id } = someRecord();
    const plain = await ada.call('PATCH', `${path}/${id}`, { name: 'Plain' });
    expect(plain).toMatchObject({ status: 200, body: { resource: { internalId: id, name: 'Plain' } } });
    const wrapped = { revision: (await operationOf(ben, id))?.revision, changes: { name: 'Wrapped' } };
    expect((await ben.call('PATCH', `${path}/${id}`, wrapped)).status).toBe(200);
    expect((await ada.call('PATCH', `${path}/${id}`, wrapped)).status).toBe(409);
    expect((await cara.call('PATCH', `${path}/${id}`, wrapped)).status).toBe(403);
    expect((await read(ada, id)).resource.name).toBe('Wrapped');
  });

  it('[PEND-09] a broken rule is stored and marked; a value of the wrong type is neither', async () => {
    const { internalId: id, name } = someRecord();
    const long = 'x'.repeat(81);
    expect((await change(ada, id, { name: long })).status).toBe(200);
    expect(await operationOf(ben, id)).toMatchObject({
      state: 'invalid',
      validationErrors: [{ field: 'name', code: 4102 }],
    });
    expect((await change(ada, id, { paymentTermDays: 'soon', name: 'Lost' })).status).toBe(422);
    expect((await operationOf(ada, id))?.changes).toMatchObject([{ oldValue: name, newValue: long }]);
  });
});

describe('lists of pending changes', () => {
  it('[PEND-01] [PEND-06] [API-14] [API-16] [API-19] are insert, update and delete; their records and a template come along when asked for', async () => {
    const { internalId: changed } = someRecord();
    const { internalId: gone } = someRecord();
    const several = await ada.call('POST', path, [{ name: 'First' }, { name: 'Second' }]);
    expect(several).toMatchObject({
      status: 201,
      body: { resources: [{ name: 'First' }, { name: 'Second' }] },
    });
    const single = await ada.call('POST', path, { name: 'Third' });
    expect(single).toMatchObject({ status: 201, body: { resources: [{ name: 'Third' }] } });
    await change(ada, changed, { name: 'Changed' });
    const deleted = await ben.call('DELETE', path, { ids: [gone] });
    expect(deleted).toMatchObject({ status: 200, body: { deleted: 1, refused: [] } });

    const query = 'limit=0&templateResource=true&pendingOperations=true&pendingResources=true';
    const { body } = await cara.call('GET', `${path}?${query}`);
    const listed = z
      .object({
        pendingOperations: recordSchema.shape.pendingOperations,
        pendingResources: z.array(z.looseObject({ internalId: z.string() })),
        templateResource: z.record(z.string(), z.unknown()),
      })
      .parse(body);
    const { insert, update, delete: removed } = listed.pendingOperations;
    const names = insert.flatMap(({ changes }) => changes.map(({ newValue }) => newValue));
    expect(names).toEqual(expect.arrayContaining(['First', 'Second', 'Third']));
    expect(insert.every(({ action }) => action === 'add')).toBe(true);
    expect(update.map(({ id }) => id)).toContain(changed);
    expect(removed.map(({ id }) => id)).toContain(gone);
    const ids = [...insert, ...update, ...removed].map(({ id }) => id).sort();
    expect(listed.pendingResources.map(({ internalId }) => internalId).sort()).toEqual(ids);
    expect(listed.templateResource).toMatchObject({ paymentTermDays: 30, invoiceMethod: 'email' });
    const without = await cara.call('GET', `${path}?limit=0`);
    expect(without.body).not.toHaveProperty('pendingOperations');
  });

  it('[PEND-11] a value that the ERP delivers against its own rules is shown with its fault', async () => {
    const [record] = await tableOf(ada, path).where('customerGroup', 'craft');
    const answer = await ada.call('GET', `${path}/${record?.internalId}`);
    expect(answer.body).toMatchObject({
      resource: { customerGroup: 'craft' },
      receivedErrors: [{ field: 'customerGroup', code: 4400, raw: 'craft' }],
    });
  });
});

describe('a pending delete', () => {
  it('[PEND-12] [API-18] is read-only for everybody until it is undone, and the changes under it come back', async () => {
    const { internalId: id, name } = someRecord();
    await change(ben, id, { name: 'Kept' });
    expect((await ada.call('DELETE', `${path}/${id}`)).status).toBe(204);
    expect(await operationOf(ben, id)).toMatchObject({
      action: 'delete',
      authoredBy: { fullName: 'Ada Smit' },
    });
    const revision = (await operationOf(ben, id))?.revision;
    expect((await change(ben, id, { 'address.city': 'Bendam' }, revision)).status).toBe(422);
    expect((await change(ada, id, { 'address.city': 'Bendam' }, revision)).status).toBe(422);
    const undone = await ada.call('DELETE', `${path}/push`, { delete: [id] });
    expect(undone).toMatchObject({ status: 200, body: { discarded: { delete: 1 }, refused: [] } });
    expect(await operationOf(ben, id)).toMatchObject({
      action: 'update',
      authoredBy: { fullName: 'Ben Bos' },
      changes: [{ oldValue: name, newValue: 'Kept', authoredBy: { fullName: 'Ben Bos' } }],
    });
    expect((await change(ben, id, { 'address.city': 'Bendam' })).status).toBe(200);
  });

  it("[PEND-12] undone by its author's journal leaves the record as it was", async () => {
    const { internalId: id } = someRecord();
    const { editId } = await tableOf(ada, path).remove([id]);
    expect((await ben.call('POST', `${path}/edits/${editId}/undo`)).status).toBe(404);
    expect((await ada.call('POST', `${path}/edits/${editId}/undo`)).status).toBe(200);
    expect(await operationOf(ada, id)).toBeUndefined();
  });

  it("[PEND-12] done again over another's change, and undone again, gives that change back", async () => {
    const { internalId: id } = someRecord();
    const { editId } = await tableOf(ada, path).remove([id]);
    const replay = async (direction: 'undo' | 'redo') =>
      (await ada.call('POST', `${path}/edits/${editId}/${direction}`)).status;
    expect(await replay('undo')).toBe(200);
    expect((await change(ben, id, { name: 'Ben was here' })).status).toBe(200);
    expect(await replay('redo')).toBe(200);
    expect(await operationOf(ben, id)).toMatchObject({
      action: 'delete',
      authoredBy: { fullName: 'Ada Smit' },
    });
    expect(await replay('undo')).toBe(200);
    expect(await operationOf(ben, id)).toMatchObject({
      action: 'update',
      authoredBy: { fullName: 'Ben Bos' },
      changes: [{ newValue: 'Ben was here', authoredBy: { fullName: 'Ben Bos' } }],
    });
  });
});

describe('discarding', () => {
  it('[PEND-03] [PEND-16] [API-20] puts the old values back', async () => {
    const { internalId: id, address } = someRecord();
    await change(ada, id, { 'address.city': 'Adadorp' });
    const answer = await ada.call('DELETE', `${path}/push`, { update: [id] });
    expect(answer).toMatchObject({
      status: 200,
      body: { discarded: { insert: 0, update: 1, delete: 0 }, refused: [] },
    });
    const { resource, pendingOperations } = await read(ben, id);
    expect(resource).toMatchObject({ address: { city: address.city } });
    expect(pendingOperations).toEqual({ insert: [], update: [], delete: [] });
  });

  it('[PEND-16] what another has changed needs the right, and he is told', async () => {
    const { internalId: id } = someRecord();
    await change(ada, id, { 'address.city': 'Adadorp' });
    const line = await openLine(ada);
    const refused = await cara.call('DELETE', `${path}/push`, { update: [id] });
    expect(refused).toMatchObject({
      status: 200,
      body: { discarded: { update: 0 }, refused: [{ id, reason: 'noRight' }] },
    });
    expect((await operationOf(ada, id))?.changes).toHaveLength(1);

    const done = await ben.call('DELETE', `${path}/push`, { update: [id] });
    expect(done).toMatchObject({ body: { discarded: { update: 1 }, refused: [] } });
    expect(await operationOf(ada, id)).toBeUndefined();
    const told = await waitFor('the notification', async () =>
      line.messages
        .flatMap(({ message }) => notificationMessageSchema.safeParse(message).data ?? [])
        .find(({ data }) => 'message' in data && /Ben Bos.* 1 /.test(data.message)),
    );
    expect(told.data).toMatchObject({ class: 'warning', kind: 'pendingChangedByOthers' });
    line.close();
  });

  it('[PEND-16] to delete what another wants to add needs the right as well, and he is told', async () => {
    const [added] = (await tableOf(ada, path).insert([{ name: 'Not yours' }])).resources;
    const id = added?.internalId ?? '';
    const line = await openLine(ada);
    expect((await cara.call('DELETE', `${path}/${id}`)).status).toBe(403);
    expect(await operationOf(ada, id)).toMatchObject({ action: 'add' });
    expect((await ben.call('DELETE', `${path}/${id}`)).status).toBe(204);
    expect((await ada.call('GET', `${path}/${id}`)).status).toBe(404);
    await waitFor('the notification', async () =>
      line.messages.some(({ message }) => JSON.stringify(message).includes('Ben Bos')),
    );
    line.close();
  });
});

describe('a push', () => {
  it('[PEND-03] [PEND-17] [API-20] holds the records that it sends: edits, deletes and discards of them wait for its end', async () => {
    const { internalId: id, number } = someRecord();
    const { internalId: free } = someRecord();
    await change(ada, id, { 'address.city': 'Adadorp' });
    // The push waits as long as the ERP is too busy.
    await faults([{ kind: 'fail', status: 429, retryAfterSeconds: 1, method: 'PATCH' }]);
    const started = await ben.call('POST', `${path}/push`, { update: [id] });
    expect(started).toMatchObject({
      status: 202,
      body: { changePushAction: { clientAction: 'wait', counts: { insert: 0, update: 1, delete: 0 } } },
    });
    expect((await operationOf(ada, id))?.state).toBe('beingPushed');
    for (const api of [ada, ben]) {
      const revision = (await operationOf(api, id))?.revision;
      const refused = await change(api, id, { name: 'Too late' }, revision);
      expect(refused).toMatchObject({ status: 409, body: { code: 'BEING_PUSHED', details: { ids: [id] } } });
    }
    const deleted = await ada.call('DELETE', `${path}/${id}`);
    expect(deleted).toMatchObject({ status: 409, body: { code: 'BEING_PUSHED' } });
    const discarded = await ada.call('DELETE', `${path}/push`, { update: [id] });
    expect(discarded).toMatchObject({ body: { refused: [{ id, reason: 'beingPushed' }] } });
    // All other records stay free.
    expect((await change(ada, free, { name: 'Meanwhile' })).status).toBe(200);

    await faults([]);
    const pushId = z.object({ changePushAction: z.object({ internalId: z.string() }) }).parse(started.body)
      .changePushAction.internalId;
    expect(await finished(ben, path, pushId)).toMatchObject({ status: 'DONE', succeeded: 1, failed: 0 });
    expect(await erp(number)).toMatchObject({ address: { city: 'Adadorp' } });
    expect(await operationOf(ada, id)).toBeUndefined();
    expect((await change(ada, id, { name: 'In time' })).status).toBe(200);
  });

  it('[PEND-10] what the ERP refuses stays pending, with its words at the field', async () => {
    const { internalId: id } = someRecord();
    // The price list allows less: a rule that only the ERP knows.
    await change(ada, id, { discountPercent: 59 });
    const { body } = await ada.call('POST', `${path}/push`, { update: [id] });
    const { changePushAction } = z
      .object({ changePushAction: z.looseObject({ internalId: z.string() }) })
      .parse(body);
    const ended = await finished(ada, path, changePushAction.internalId);
    expect(ended).toMatchObject({
      status: 'FAILED',
      results: [{ id, outcome: 'rejected', errCode: 'CUST-0214' }],
    });
    const operation = await operationOf(ben, id);
    expect(operation).toMatchObject({ state: 'rejected', pushErrors: [{ field: 'discountPercent' }] });
    expect(operation?.changes).toMatchObject([{ newValue: 59, authoredBy: { fullName: 'Ada Smit' } }]);
  });
});

describe('live messages', () => {
  it('[GRID-21] each sees what the other does, within a second and without asking', async () => {
    const { internalId: id } = someRecord();
    const lines = { ada: await watch(ada), ben: await watch(ben) };
    const waits: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const [writer, other] = turn % 2 === 0 ? ([ada, lines.ben] as const) : ([ben, lines.ada] as const);
      const city = `City ${turn}`;
      const seen = (await operationOf(writer, id))?.revision;
      const sentAt = performance.now();
      expect((await change(writer, id, { 'address.city': city }, seen)).status).toBe(200);
      const { at, data } = await seenBy(other, city, ({ resources }) =>
        resources.some((one) => one.internalId === id && JSON.stringify(one).includes(city)),
      );
      waits.push(at - sentAt);
      expect(data.pendingOperations.update[0]?.changes).toMatchObject([
        {
          fieldName: 'address.city',
          newValue: city,
          authoredBy: { fullName: turn % 2 === 0 ? 'Ada Smit' : 'Ben Bos' },
        },
      ]);
    }
    // The middle one: a pause of the machine is not the product's.
    expect(waits.sort((a, b) => a - b)[3]).toBeLessThan(1000);

    const [added] = (await tableOf(ada, path).insert([{ name: 'Seen at once' }])).resources;
    const newId = added?.internalId ?? '';
    const insert = await seenBy(lines.ben, 'the new record', ({ pendingOperations }) =>
      pendingOperations.insert.some((one) => one.id === newId),
    );
    expect(insert.data.counts.insert).toBeGreaterThan(0);
    await ada.call('DELETE', `${path}/${newId}`);
    await seenBy(lines.ben, 'its removal', ({ removedIds }) => removedIds.includes(newId));
    await ada.call('DELETE', `${path}/push`, { update: [id] });
    await seenBy(lines.ben, 'the discard', ({ clearedIds }) => clearedIds.includes(id));
    for (const line of Object.values(lines)) line.close();
  });

  it('[WS-03] a ping is answered with a pong, and nobody hears of a table that he has not opened', async () => {
    const { internalId: id } = someRecord();
    const [open, closed] = [await watch(ben), await openLine(cara)];
    await change(ada, id, { name: 'For whom it concerns' });
    await seenBy(open, 'the change', ({ resources }) => resources.some((one) => one.internalId === id));
    closed.send('ping');
    await waitFor('the pong', async () => closed.messages.some(({ message }) => message.text === 'pong'));
    expect(closed.messages.filter(({ message }) => message.handler === 'collection')).toEqual([]);
    open.close();
    closed.close();
  });

  it('[WS-05] who leaves a table and opens it again at once hears of it', async () => {
    const { internalId: id } = someRecord();
    const line = await watch(ben);
    // The way of leaving and opening in the same breath, often enough to meet any order of the work behind it.
    const times = 20;
    for (let i = 0; i < times; i += 1) {
      line.send(tableMessage('DELETE'));
      line.send(tableMessage('POST'));
    }
    await opened(line, times + 1);
    await change(ada, id, { name: 'After many times' });
    await seenBy(line, 'the change', ({ resources }) => resources.some((one) => one.internalId === id));
    line.close();
  });

  it('[WS-02] when a message cannot be made the line is closed: who comes back reads what he missed', async () => {
    const line = await watch(ben);
    await product.query(
      `select pg_notify('sluice_live', jsonb_build_object(
         'topic', 'collection', 'collectionId', collection_id, 'rids', '["no number"]'::jsonb, 'removed', '[]'::jsonb
       )::text) from collection where resource_type_uri_id = 'customers'`,
    );
    expect(await line.closed).toBe(1012);
  });
});
