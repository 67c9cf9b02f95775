import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Api, type Product, startProduct, testPassword, waitFor } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

let home: string;
let product: Product;
let api: Api;
let domains: string;
let domain: string;

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'sluice-uploads-'));
  product = await startProduct(inject('postgresUrl'), { files: { roots: [], uploads: home } });
  api = product.admin;
  const system = await api.call('POST', '/api/v1/manage/systems', {
    name: 'Files',
    acronym: 'F',
    kind: 'upload',
  });
  domains = `/api/v1/manage/systems/${(system.body as { url: string }).url}/domains`;
  const form = {
    name: 'Prices',
    acronym: 'prices',
    url: '',
    settings: { keys: 'list: code', numbers: 'comma' },
  };
  const created = await api.call('POST', domains, form);
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  domain = (created.body as { internalId: string }).internalId;
});
afterAll(async () => {
  await product?.stop();
  rmSync(home, { recursive: true, force: true });
});

/** Sends the bytes of a file as the browser does. */
async function upload(name: string, content: string): Promise<number> {
  const login = await fetch(`${product.base}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: testPassword }),
  });
  const cookies = login.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
  const response = await fetch(`${product.base}${domains}/${domain}/files/${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: {
      cookie: cookies,
      'x-csrf-token': login.headers.get('x-csrf-token') ?? '',
      'content-type': 'application/octet-stream',
    },
    body: content,
  });
  await response.text();
  return response.status;
}

const records = async (): Promise<Record<string, unknown>[]> =>
  await waitFor('the table', async () => {
    const answer = await api.call('GET', '/api/v1/data/files/folders/prices/list?limit=10&offset=0');
    return answer.status === 200 ? (answer.body as { resources: Record<string, unknown>[] }).resources : null;
  });

describe('uploaded files', () => {
  it('become tables of their domain, and a new file of the same name replaces the records', async () => {
    expect(await upload('list.csv', 'code;price\nA;1,50\nB;2,25\n')).toBe(200);
    const listed = await api.call('GET', `${domains}/${domain}/files`);
    expect(listed.body).toMatchObject({ resources: [{ name: 'list.csv', size: 25 }] });
    expect((await records()).map(({ code, price }) => [code, price])).toEqual([
      ['A', 1.5],
      ['B', 2.25],
    ]);
    expect(await upload('list.csv', 'code;price\nB;3,75\n')).toBe(200);
    await waitFor('the new records', async () => (await records()).length === 1);
    expect((await records())[0]).toMatchObject({ code: 'B', price: 3.75 });
  });

  it('names that lead elsewhere are refused, and nothing but the file is left behind', async () => {
    for (const name of ['../escape.csv', '.hidden.csv', 'a/b.csv']) expect(await upload(name, 'x')).toBe(404);
    expect(readdirSync(path.join(home, domain))).toEqual(['list.csv']);
  });

  it('go with the right to change domains only, and leave with their domain', async () => {
    const reader = await product.addUser({
      username: 'reader',
      rights: [{ endpointId: 'domains', create: false, read: true, update: false, delete: false }],
    });
    expect((await reader.call('GET', `${domains}/${domain}/files`)).status).toBe(200);
    expect((await reader.call('DELETE', `${domains}/${domain}/files/list.csv`)).status).toBe(403);
    expect((await api.call('DELETE', `${domains}/${domain}/files/list.csv`)).status).toBe(204);
    expect((await api.call('GET', `${domains}/${domain}/files`)).body).toMatchObject({ resources: [] });
    expect((await api.call('DELETE', `${domains}/${domain}`)).status).toBe(204);
    expect(existsSync(path.join(home, domain))).toBe(false);
  });
});
