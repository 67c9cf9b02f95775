import { describeConformance } from '@sluice/adapter-kit/conformance';
import { describeSystem } from '@sluice/testing/system';
import { startTryton } from '@sluice/testing/tryton';
import { findTrytonProblem } from '@sluice/testing/tryton-process';
import { seedParties } from '@sluice/testing/tryton-seed';
import { trytonAdapter } from './index.ts';
import { configOf } from './test-support.ts';

describeSystem('a real Tryton', findTrytonProblem(), () => {
  describeConformance('The Tryton adapter', async () => {
    const server = await startTryton();
    const { rpc, companies } = server;
    const [euro, dollar] = companies;
    await seedParties(rpc, 60, 'Large');
    const [template] = await rpc.search('product.template', [], ['id']);
    const config = configOf(server);
    const run = Date.now();
    return {
      definition: trytonAdapter,
      config,
      badConfig: { ...config, password: 'wrong' },
      deadConfig: { ...config, url: 'http://127.0.0.1:1/' },
      levels: [String(euro)],
      collection: 'party.party',
      sample: (n) => ({ code: `C${run}-${n}`, name: `Sample ${n}`, active: true }),
      change: (n) => ({ name: `Changed ${n}` }),
      // A language that does not exist.
      invalid: { values: { lang: 987_654 }, field: 'lang' },
      naturalKey: 'code',
      missingKey: '999999999',
      missingCollection: 'party.nothing',
      large: { collection: 'party.party', levels: [String(euro)], pageSize: 20 },
      twoCompanies: {
        collection: 'product.template',
        key: String(template?.['id']),
        field: 'list_price',
        levels: [[String(euro)], [String(dollar)]],
      },
      fields: (fields) => fields.filter((field) => !field.isHidden),
      changeElsewhere: (key, values) => rpc.write('party.party', [Number(key)], values),
      removeElsewhere: (key) => rpc.remove('party.party', [Number(key)]),
      countElsewhere: (value) => rpc.count('party.party', [['code', '=', value]]),
      cleanup: () => server.stop(),
    };
  });
});
