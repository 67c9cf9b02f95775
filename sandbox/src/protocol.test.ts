import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from './index.ts';
import { record, TestClient } from './test-client.ts';

describe('the sandbox speaks OData v4', () => {
  let sandbox: Sandbox;
  let api: TestClient;
  beforeAll(async () => {
    sandbox = await startSandbox({ journalEntries: 3000 });
    api = new TestClient(sandbox);
  });
  afterAll(() => sandbox.close());

  const pagesOf = async (set: string, parameters: Record<string, string>, prefer: string) => {
    const pages: Record<string, unknown>[][] = [];
    let answer = await api.query(set, parameters, { headers: { prefer } });
    for (;;) {
      pages.push(answer.value);
      const next = answer.body['@odata.nextLink'];
      if (typeof next !== 'string') return { pages, last: answer.body };
      const following = await api.raw('GET', next, undefined, { headers: { prefer } });
      const body = record(following.body);
      answer = { ...following, body, value: Array.isArray(body['value']) ? body['value'].map(record) : [] };
    }
  };

  it('asks who is there, and knows people, readers and clients with a token', async () => {
    const refused = await api.raw('GET', '/odata/production/Companies', undefined, { user: 'nobody' });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    const form = (secret: string) =>
      `grant_type=client_credentials&client_id=sandbox&client_secret=${secret}`;
    const type = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expect((await api.raw('POST', '/oauth/token', form('wrong'), type)).status).toBe(401);
    const token = record((await api.raw('POST', '/oauth/token', form('sandbox'), type)).body)['access_token'];
    const headers = { authorization: `Bearer ${String(token)}` };
    expect((await api.raw('GET', '/odata/production/Companies', undefined, { headers })).status).toBe(200);
    const forged = { authorization: `Bearer ${Date.now() + 9e6}.AAAA` };
    expect((await api.raw('GET', '/odata/production/Companies', undefined, { headers: forged })).status).toBe(
      401,
    );
    expect((await api.call('GET', 'Employees', undefined, { user: 'reader' })).status).toBe(403);
    expect((await api.call('GET', 'Customers', undefined, { user: 'reader' })).status).toBe(200);
    expect((await api.call('POST', 'Customers', {}, { user: 'reader' })).status).toBe(403);
  });

  it('has two domains with three companies each, and thirteen collections in each company', async () => {
    for (const domain of ['production', 'test']) {
      const { body } = await api.raw('GET', `/odata/${domain}/Companies`);
      expect(record(body)['value']).toHaveLength(3);
    }
    const { body } = await api.call('GET', '');
    expect(record(body)['value']).toHaveLength(13);
    expect((await api.query('JournalEntries', { $count: 'true', $top: '1' })).body['@odata.count']).toBe(
      3000,
    );
    expect((await api.raw('GET', "/odata/test/Companies('XX')/")).status).toBe(404);
  });

  it('writes its metadata in the language asked for, with one meaning', async () => {
    const [en, nl] = await Promise.all(
      ['en', 'nl-NL'].map((l) =>
        api.call('GET', '$metadata', undefined, { headers: { 'accept-language': l } }),
      ),
    );
    expect(en?.headers.get('content-type')).toBe('application/xml');
    expect(en?.text).toContain('String="Journal entries"');
    expect(nl?.text).toContain('String="Journaalposten"');
    expect(nl?.text).not.toContain('String="Journal entries"');
    const bare = (text = '') => text.replaceAll(/Term="(Common.Label|Core.Description)" String="[^"]*"/g, '');
    expect(bare(en?.text)).toBe(bare(nl?.text));
  });

  it('filters by every operator', async () => {
    const count = async (filter: string): Promise<number> => {
      const { text, status } = await api.call(
        'GET',
        `Customers/$count?$filter=${encodeURIComponent(filter)}`,
      );
      expect(status, text).toBe(200);
      return Number(text);
    };
    const total = await count('number ne null');
    expect(total).toBe(2500);
    const retail = await count("customerGroup eq 'retail'");
    expect(await count("customerGroup ne 'retail'")).toBe(total - retail);
    expect(await count("not (customerGroup eq 'retail')")).toBe(total - retail);
    expect(await count("customerGroup in ('retail','wholesale','catering','public','craft')")).toBe(total);
    expect(await count('isBlocked')).toBe(await count('isBlocked eq true'));
    expect(await count('isBlocked or isBlocked eq false')).toBe(total);
    const older = await count('foundedYear lt 1950');
    expect(await count('foundedYear ge 1950')).toBe(total - older);
    expect((await count('foundedYear gt 1950')) + (await count('foundedYear eq 1950'))).toBe(total - older);
    expect(await count('foundedYear le 1949')).toBe(older);
    expect(await count("contains(name,'Horeca')")).toBeGreaterThan(10);
    expect(await count("contains(tolower(name),'horeca')")).toBe(await count("contains(name,'Horeca')"));
    expect(await count("startswith(number,'C1000')")).toBe(9);
    expect(await count("endswith(number,'7') and number lt 'C10100'")).toBe(10);
    expect(await count("address/city eq '''s-Hertogenbosch'")).toBeGreaterThan(0);
    expect(await count('customerSince ge 2008-01-01 and customerSince lt 2010-01-01')).toBeGreaterThan(0);
    expect(await count('deliveryFrom eq 06:00')).toBe(await count('deliveryFrom eq 06:00:00'));
    expect(await count('modifiedAt gt 2025-01-06T10:00:00+01:00')).toBe(2440);
    expect(await count('creditLimit gt 100000000000000000')).toBe(1);
    expect(await count('blockReason eq null')).toBe(total - (await count('isBlocked eq true')));
    for (const bad of ['nothing eq 1', 'name eq', "name eq 'x", 'substringof(name)', "name eq 'a' name"])
      expect((await api.query('Customers', { $filter: bad })).status, bad).toBe(400);
    expect((await api.query('Customers', { $expand: 'orders' })).status).toBe(501);
  });

  it('sorts, skips, selects and counts', async () => {
    const { value, body } = await api.query('Customers', {
      $orderby: 'foundedYear desc,number',
      $top: '3',
      $skip: '2',
      $select: 'number,foundedYear',
      $count: 'true',
    });
    expect(body['@odata.count']).toBe(2500);
    expect(value).toHaveLength(3);
    expect(Object.keys(value[0] ?? {}).filter((k) => !k.startsWith('@'))).toEqual(['number', 'foundedYear']);
    const years = value.map((v) => Number(v['foundedYear']));
    expect(years).toEqual(years.toSorted((a, b) => b - a));
  });

  it('pages by itself in any order, without gap or double, and never more than 1000', async () => {
    const whole = await pagesOf('JournalEntries', {}, '');
    expect(whole.pages.map((p) => p.length)).toEqual([1000, 1000, 1000]);
    for (const orderby of [
      'number',
      'costCentre,amount desc'.replace('amount', 'debit'),
      'costCentre desc,entryDate',
    ]) {
      const { pages } = await pagesOf('JournalEntries', { $orderby: orderby }, 'odata.maxpagesize=700');
      expect(
        pages.map((p) => p.length),
        orderby,
      ).toEqual([700, 700, 700, 700, 200]);
      expect(new Set(pages.flat().map((r) => r['number'])).size, orderby).toBe(3000);
    }
    const top = await pagesOf('JournalEntries', { $top: '150', $skip: '10' }, 'odata.maxpagesize=100');
    expect(top.pages.map((p) => p.length)).toEqual([100, 50]);
    expect(top.pages[0]?.[0]?.['number']).toBe(10_000_011);
  });

  it('makes, changes and deletes a record, with an ETag that guards it', async () => {
    const made = await api.call('POST', 'PriceLists', { code: 'X1', name: 'Extra', validFrom: '2026-01-01' });
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toContain("PriceLists('X1')");
    expect(made.body).toMatchObject({ code: 'X1', currency: 'EUR', isDefault: false, modifiedBy: 'sandbox' });
    const tag = made.headers.get('etag') ?? '';
    expect(record(made.body)['@odata.etag']).toBe(tag);
    const change = (name: string, ifMatch: string, user = 'sandbox') =>
      api.call('PATCH', "PriceLists('X1')", { name }, { user, headers: { 'if-match': ifMatch } });
    const changed = await change('Extra 2', tag, 'anna');
    expect(changed.body).toMatchObject({ name: 'Extra 2', modifiedBy: 'anna', validFrom: '2026-01-01' });
    const stale = await change('Extra 3', tag);
    expect(stale.status).toBe(412);
    expect(stale.text).toContain('anna');
    expect((await change('Extra 3', '*')).status).toBe(200);
    const late = await api.call('DELETE', "PriceLists('X1')", undefined, { headers: { 'if-match': tag } });
    expect(late.status).toBe(412);
    expect((await api.call('DELETE', "PriceLists('X1')")).status).toBe(204);
    expect((await api.call('DELETE', "PriceLists('X1')")).status).toBe(404);
    expect((await api.call('GET', "PriceLists('X1')")).status).toBe(404);
  });

  it('merges objects and replaces lists on a change', async () => {
    const before = record((await api.call('GET', "Customers('C10020')")).body);
    const { body } = await api.call('PATCH', "Customers('C10020')", {
      address: { city: 'Breda' },
      tags: ['one'],
    });
    expect(record(body)['address']).toEqual({ ...record(before['address']), city: 'Breda' });
    expect(record(body)['tags']).toEqual(['one']);
    expect(record(body)['contacts']).toEqual(before['contacts']);
  });

  it('gives numbers to orders and entries itself, and to customers when none is given', async () => {
    const party = { name: 'Nieuw B.V.', customerGroup: 'retail', invoiceMethod: 'post' };
    const own = await api.call('POST', 'Customers', { ...party, number: 'C50001' });
    expect(own.body).toMatchObject({ number: 'C50001' });
    const given = await api.call('POST', 'Customers', party);
    expect(given.body).toMatchObject({ number: 'C50002', searchName: 'NIEUW B.V.' });
    const entry = { entryDate: '2026-03-04', account: 1000, description: 'Test', debit: 1 };
    const first = record((await api.call('POST', 'JournalEntries', { ...entry, number: 5 })).body);
    const second = record((await api.call('POST', 'JournalEntries', entry)).body);
    expect(first).toMatchObject({ number: 20_000_001, year: 2026, period: 3, isPosted: false });
    expect(second['number']).toBe(20_000_002);
  });

  it('keeps every digit of a decimal, as a number or as text', async () => {
    const plain = await api.call('GET', "Customers('C10007')");
    expect(plain.text).toContain('"creditLimit":123456789012345678.25');
    const headers = { accept: 'application/json;IEEE754Compatible=true' };
    const asText = await api.call('GET', "Customers('C10007')", undefined, { headers });
    expect(asText.body).toMatchObject({ creditLimit: '123456789012345678.25' });
    const changed = await api.call('PATCH', "Customers('C10007')", { creditLimit: '999999999999999999.99' });
    expect(changed.text).toContain('"creditLimit":999999999999999999.99');
  });

  it('works off a $batch: each on its own, groups whole, and goes on after an error only when asked', async () => {
    const patch = (id: string, key: string, body: unknown, atomicityGroup?: string) => ({
      id,
      method: 'PATCH',
      url: `CostCentres('${key}')`,
      headers: { 'content-type': 'application/json' },
      body,
      ...(atomicityGroup ? { atomicityGroup } : {}),
    });
    const requests = [
      patch('a', 'K101', { budget: 1 }),
      patch('b', 'K102', { budget: -1 }),
      patch('c', 'K103', { budget: 3 }),
      patch('d', 'K104', { budget: 4 }, 'g'),
      patch('e', 'K105', { budget: -5 }, 'g'),
      { id: 'f', method: 'GET', url: `${api.company}CostCentres('K104')` },
    ];
    const run = async (prefer: string) => {
      const { body } = await api.call('POST', '$batch', { requests }, { headers: { prefer } });
      const responses = record(body)['responses'];
      return (Array.isArray(responses) ? responses : []).map(record);
    };
    const all = await run('continue-on-error');
    expect(all.map((r) => [r['id'], r['status']])).toEqual([
      ['a', 200],
      ['b', 400],
      ['c', 200],
      ['d', 424],
      ['e', 400],
      ['f', 200],
    ]);
    expect(record(all[5]?.['body'])['budget']).not.toBe(4);
    expect((await run('')).map((r) => r['id'])).toEqual(['a', 'b']);
  });

  it('tells changes and removals since a delta link, and that an old link is gone after a reset', async () => {
    const { last } = await pagesOf('Projects', {}, 'odata.track-changes, odata.maxpagesize=200');
    const link = String(last['@odata.deltaLink']);
    const none = record((await api.raw('GET', link)).body);
    expect(none['value']).toEqual([]);
    await api.call('PATCH', 'Projects(1001)', { balance: 5 });
    await api.call('PATCH', 'Projects(1001)', { balance: 6 });
    const made = record((await api.call('POST', 'Projects', { name: 'Short lived' })).body)['number'];
    await api.call('DELETE', `Projects(${String(made)})`);
    const changes = record((await api.raw('GET', link)).body);
    expect(changes['value']).toMatchObject([
      { number: 1001, balance: 6 },
      { '@removed': { reason: 'deleted' }, '@id': `Projects(${String(made)})` },
    ]);
    const after = record((await api.raw('GET', String(changes['@odata.deltaLink']))).body);
    expect(after['value']).toEqual([]);
    expect((await api.raw('POST', '/admin/reset')).status).toBe(204);
    expect((await api.raw('GET', link)).status).toBe(410);
    expect((await api.call('GET', 'Projects(1001)')).body).not.toMatchObject({ balance: 6 });
  });

  it('answers bad requests with an OData error', async () => {
    const bad = await api.call('POST', 'Customers', '{"name":');
    expect(bad.status).toBe(400);
    expect(record(bad.body)['error']).toMatchObject({ code: 'BAD-REQUEST' });
    expect((await api.call('POST', 'Customers', '[]')).status).toBe(400);
    expect(
      (await api.call('POST', 'Customers', 'a=1', { headers: { 'content-type': 'text/plain' } })).status,
    ).toBe(415);
    expect((await api.call('GET', 'Nothing')).status).toBe(404);
    expect((await api.call('PATCH', 'Customers', {})).status).toBe(405);
    expect((await api.call('POST', 'Attributes', { id: 'A9', name: 'New' })).status).toBe(405);
    expect((await api.raw('GET', '/nowhere')).status).toBe(404);
  });
});
