import type { Session } from '@sluice/adapter-kit';
import type { Locale } from '@sluice/contract';
import { describeSystem } from '@sluice/testing/system';
import { startTryton } from '@sluice/testing/tryton';
import type { TrytonServer } from '@sluice/testing/tryton';
import { findTrytonProblem } from '@sluice/testing/tryton-process';
import { seedParties, seedProducts, trytonReader } from '@sluice/testing/tryton-seed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callOptions, configOf, openSession, openTarget } from './test-support.ts';
import type { Target } from './test-support.ts';

describeSystem('reading from a real Tryton', findTrytonProblem(), () => {
  let server: TrytonServer;
  let session: Session;
  let euro: number;
  let dollar: number;

  beforeAll(async () => {
    server = await startTryton();
    [euro, dollar] = server.companies;
    ({ session } = openSession(configOf(server)));
  });
  afterAll(async () => {
    await session?.close();
    await server?.stop();
  });

  const targetOf = (collection: string, company: number | null, locale: Locale = 'EN') =>
    openTarget(session, collection, callOptions(company, locale));

  async function keysChangedSince(target: Target, since: Date): Promise<string[]> {
    const { collection, fields, options } = target;
    const keys: string[] = [];
    const query = { ...options, collection, fields, cursor: null, pageSize: 500, changedSince: since };
    for await (const page of session.read(query)) keys.push(...page.records.map((record) => record.key));
    return keys;
  }

  it('lists what people work with, in both languages, and nothing of Tryton’s own works', async () => {
    const english = await session.collections(callOptions(euro));
    const dutch = await session.collections(callOptions(euro, 'NL'));
    const title = (list: typeof english, code: string) => list.find((info) => info.code === code)?.title;
    expect(title(english, 'party.party')).toBe('Parties');
    expect(title(dutch, 'party.party')).toBe('Relaties');
    for (const code of ['account.move.line', 'sale.sale', 'product.template', 'currency.currency']) {
      expect(title(english, code)).toBeDefined();
    }
    expect(english.filter(({ code }) => /^(ir|res)\./.test(code))).toEqual([]);
    expect(english.find(({ code }) => code === 'currency.currency')?.numberOfSystemLevels).toBe(1);
    expect(english.find(({ code }) => code === 'account.account')?.numberOfSystemLevels).toBe(2);
    expect(new Set(english.map((info) => info.title)).size).toBe(english.length);
  });

  it('describes and reads every collection that it lists', async () => {
    for (const { code, numberOfSystemLevels } of await session.collections(callOptions(euro))) {
      const target = await targetOf(code, numberOfSystemLevels === 1 ? null : euro);
      expect(target.fields.map((field) => field.id)).toContain('id');
      const query = {
        ...target.options,
        collection: code,
        fields: target.fields,
        cursor: null,
        pageSize: 100,
      };
      for await (const page of session.read(query)) {
        expect(page.poisoned).toEqual([]);
        break;
      }
    }
  });

  it('gives prices of the company that is asked for, and none where that company has none', async () => {
    const ids = await seedProducts(server.rpc, 20, dollar);
    for (const [company, price] of [
      [dollar, 20],
      [euro, null],
    ] as const) {
      const { collection, fields, options } = await targetOf('product.template', company);
      const records = await session.readByKeys({ ...options, collection, fields, keys: ids.map(String) });
      expect(records).toHaveLength(20);
      expect(records.at(-1)?.values['list_price']).toBe(price);
    }
  });

  it('sees a change of a line as a change of its record', async () => {
    const [changed] = await seedParties(server.rpc, 2, 'Lines');
    // Older than the time before which a transaction may have begun.
    await server.sql(
      "update party_party set create_date = create_date - interval '1 hour', write_date = null",
    );
    await server.sql(
      "update party_address set create_date = create_date - interval '1 hour', write_date = null",
    );
    const target = await targetOf('party.party', euro);
    const since = new Date();
    expect(await keysChangedSince(target, since)).toEqual([]);
    const [address] = await server.rpc.search('party.address', [['party', '=', changed]], ['id']);
    await server.rpc.write('party.address', [Number(address?.['id'])], { city: 'Utrecht' });
    expect(await keysChangedSince(target, since)).toEqual([String(changed)]);
  });

  it('shows each company its own accounts', async () => {
    for (const company of server.companies) {
      const { fields, options } = await targetOf('account.account', company);
      const seen: unknown[] = [];
      const query = { ...options, collection: 'account.account', fields, cursor: null, pageSize: 100 };
      for await (const page of session.read(query))
        seen.push(...page.records.map(({ values }) => values['company']));
      expect(seen.length).toBeGreaterThan(5);
      expect(new Set(seen)).toEqual(new Set([company]));
    }
  });

  it('reads records that are not active', async () => {
    const [id] = await seedParties(server.rpc, 1, 'Hidden');
    await server.rpc.write('party.party', [Number(id)], { active: false });
    const { fields, options } = await targetOf('party.party', euro);
    const query = { ...options, collection: 'party.party', fields, keys: [String(id)] };
    expect(await session.readByKeys(query)).toMatchObject([{ values: { active: false } }]);
  });

  it('[DATA-09] describes choices, conditions over other fields, and labels in both languages', async () => {
    const dutch = await targetOf('product.template', euro, 'NL');
    const english = await targetOf('product.template', euro, 'EN');
    const find = (target: Target, id: string) => target.fields.find((field) => field.id === id);
    expect(find(dutch, 'list_price')).toMatchObject({ name: 'Catalogusprijs', isMandatory: true, scale: 4 });
    expect(find(english, 'list_price')?.name).toBe('List Price');
    expect(find(english, 'sale_uom')?.mandatoryIf).toEqual({ op: 'isTrue', field: 'salable' });
    expect(find(english, 'type')?.options?.map((option) => option.value)).toEqual([
      'goods',
      'assets',
      'service',
    ]);
    expect(find(english, 'default_uom')?.reference).toMatchObject({ resourceTypeUriId: 'product-uom' });
    const party = await targetOf('party.party', euro);
    expect(find(party, 'code')).toMatchObject({ isMandatory: true, hasServerDefault: true });
  });

  it('refuses to show a company whose records Tryton would silently leave out', async () => {
    const { session: reader } = openSession({ ...configOf(server), ...trytonReader });
    const options = callOptions(dollar);
    const { fields } = await reader.describe('account.account', options);
    const query = { ...options, collection: 'account.account', fields, keys: ['1'] };
    await expect(reader.readByKeys(query)).rejects.toMatchObject({ code: 'REFUSED' });
    const { locale, signal } = options;
    const result = await reader.test({ locale, signal });
    expect(result.message).toContain('Company Filter');
    await expect(reader.collections(callOptions(99))).resolves.toBeDefined();
    await expect(reader.describe('party.party', callOptions(99))).rejects.toMatchObject({ code: 'REFUSED' });
    await reader.close();
  });
});
