import { type Api, type Product, startProduct } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

let product: Product;
let api: Api;
const path = '/api/v1/user/userprefs';
const replace = async (target: string, value: unknown) =>
  await api.call('PATCH', path, [{ op: 'replace', path: target, value }]);

beforeAll(async () => {
  product = await startProduct(inject('postgresUrl'), { roles: ['web'] });
  api = await product.addUser({ username: 'pia' });
});
afterAll(async () => await product?.stop());

describe('user preferences', () => {
  it('[API-08] [PREF-01] [PREF-02] [PREF-05] [PREF-06] [PREF-07] [PREF-09] a new user has the defaults, in Dutch', async () => {
    const { body } = await api.call('GET', path);
    expect(body).toMatchObject({
      language: 'NL',
      options: {
        formats: { shortDate: 'dd-mm-yyyy', numberFormat: 'dotSeparated', fullDate: 'long' },
        preferredName: null,
        table: { fieldsWithOptions: { displayMode: 'both' }, config: [] },
        lastUsedExternalSystemId: null,
        lastUsedExternalSystemLevelIdsFor: {},
        tutorial: {},
      },
    });
  });

  it('[API-09] [API-10] each path is accepted and answers the whole object', async () => {
    const config = [
      { id: 'a.b.c', columnOrderPermutation: [1, 0], columns: { name: { isHidden: true, width: 120 } } },
    ];
    const cases: [string, unknown][] = [
      ['language', 'EN'],
      ['options/table/config', config],
      ['options/lastUsedExternalSystemId', 'system-1'],
      ['options/lastUsedExternalSystemLevelIdsFor', { 'system-1': 'domain*company' }],
      ['options/formats', { shortDate: 'yyyy-mm-dd', numberFormat: 'gsw-CH', fullDate: 'iso' }],
      ['options/preferredName', 'Pip'],
      ['options/table/fieldsWithOptions/displayMode', 'value'],
      ['options/tutorial/sessionProlongedAt', '2026-11-21T10:00:00Z'],
    ];
    for (const [target, value] of cases) expect((await replace(target, value)).status, target).toBe(200);
    const { body } = await api.call('GET', path);
    expect(body).toMatchObject({
      language: 'EN',
      options: {
        preferredName: 'Pip',
        lastUsedExternalSystemId: 'system-1',
        lastUsedExternalSystemLevelIdsFor: { 'system-1': 'domain*company' },
        formats: { numberFormat: 'gsw-CH' },
        table: { config, fieldsWithOptions: { displayMode: 'value' } },
        tutorial: { sessionProlongedAt: '2026-11-21T10:00:00Z' },
      },
    });
  });

  it('[API-10] [CONST-04] an unknown path, a wrong value and another language are refused, and nothing of the list is kept', async () => {
    const before = (await api.call('GET', path)).body;
    expect((await replace('options/secret', 1)).status).toBe(422);
    expect((await replace('language', 'DE')).status).toBe(422);
    expect((await replace('options/formats', { shortDate: 'mm-yy' })).status).toBe(422);
    const mixed = await api.call('PATCH', path, [
      { op: 'replace', path: 'options/preferredName', value: 'Changed' },
      { op: 'replace', path: 'language', value: 'FR' },
    ]);
    expect(mixed.status).toBe(422);
    expect((await api.call('PATCH', path, [{ op: 'remove', path: 'language' }])).status).toBe(422);
    expect((await api.call('GET', path)).body).toEqual(before);
  });

  it('a first visit is one until something is saved, and options of before a new one was known are taken', async () => {
    const someone = await product.addUser({ username: 'first' });
    const session = async (): Promise<unknown> => (await someone.call('GET', '/api/v1/auth/session')).body;
    expect(await session()).toMatchObject({ isFirstVisit: true });
    const { options } = (await someone.call('GET', path)).body as { options: Record<string, unknown> };
    const { altSwitchesLanguage, ...known } = options;
    expect(altSwitchesLanguage).toBe(true);
    const changes = [{ op: 'replace', path: 'options', value: known }];
    expect((await someone.call('PATCH', path, changes)).body).toMatchObject({ options });
    expect(await session()).toMatchObject({ isFirstVisit: false });
  });

  it('the audit log tells what somebody set, not where he was', async () => {
    const told = async (): Promise<number> =>
      (await product.query(`select 1 from audit where verb = 'preferences.update'`)).length;
    const before = await told();
    await replace('options/lastUsedExternalSystemId', 'system-2');
    await replace('options/tutorial/seen', true);
    expect(await told()).toBe(before);
    await replace('options/theme', 'dark');
    expect(await told()).toBe(before + 1);
  });

  it('[PREF-03] the preferred name of one user is not in what another sees of him', async () => {
    const other = await product.addUser({ username: 'otto' });
    expect(JSON.stringify((await other.call('GET', path)).body)).not.toContain('Pip');
  });
});
