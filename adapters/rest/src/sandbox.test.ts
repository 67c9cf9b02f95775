import { startSandbox } from '@sluice/testing';
import { describeConformance } from '@sluice/adapter-kit/conformance';
import { restAdapter } from './index.ts';
import { configOf } from './test-support.ts';

/** The sandbox's OData, taken as plain REST. */
const sandboxCollection = (code: string, key: string, paging: unknown) => ({
  code,
  path: code,
  parameters: { $count: 'true' },
  keyFields: [key],
  naturalKeys: code === 'Customers' ? [['vatNumber']] : [],
  records: 'value',
  total: '@odata.count',
  paging,
  filter: { kind: 'odata', parameter: '$filter' },
  order: { parameter: '$orderby', ascending: '{field}', descending: '{field} desc' },
  one: { path: `${code}('{key}')` },
  version: { kind: 'etag' },
  create: { path: code },
  update: { path: `${code}('{key}')`, nested: 'merged' },
  delete: { path: `${code}('{key}')` },
});

describeConformance('The sandbox as plain REST', async () => {
  const sandbox = await startSandbox({ journalEntries: 1000 });
  const company = `${sandbox.url}/odata/production/Companies('NL01')/`;
  const call = async (method: string, path: string, body?: unknown): Promise<string> => {
    const response = await fetch(company + path, {
      method,
      headers: { authorization: `Basic ${btoa('anna:sandbox')}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  };
  const profile = {
    limits: { pageSize: 400, settleSeconds: 0.5 },
    errors: { lines: 'error.details', message: ['message', 'error.message'], code: ['code', 'error.code'] },
    collections: [
      sandboxCollection('Customers', 'number', { kind: 'offset', parameter: '$skip', sizeParameter: '$top' }),
      sandboxCollection('Products', 'code', { kind: 'link', at: '@odata.nextLink' }),
    ],
  };
  const account = { username: 'sandbox', password: 'sandbox' };
  const config = configOf(company, profile, { signIn: 'basic' }, account);
  return {
    definition: restAdapter,
    config,
    badConfig: { ...config, password: 'wrong' },
    deadConfig: { ...config, url: 'http://127.0.0.1:1/' },
    levels: [],
    collection: 'Customers',
    sample: (n) => ({
      name: `Conformance ${n} B.V.`,
      customerGroup: 'retail',
      invoiceMethod: 'email',
      invoiceEmail: `invoice${n}@conformance.example`,
      vatNumber: `NL9000${n}B01`,
      paymentTermDays: 14,
      isBlocked: false,
      'address.city': 'Zwolle',
      'address.country': 'NL',
    }),
    change: (n) => ({ name: `Changed ${n}`, 'address.city': `City ${n}`, paymentTermDays: n % 100 }),
    invalid: { values: { discountPercent: 99 }, field: 'discountPercent' },
    naturalKey: 'vatNumber',
    missingKey: 'C-none',
    missingCollection: 'Nothings',
    large: { collection: 'Products', levels: [], pageSize: 100 },
    twoCompanies: null,
    changeElsewhere: async (key, values) => {
      const flat = Object.entries(values).filter(([id]) => !id.includes('.'));
      const city = values['address.city'];
      await call('PATCH', `Customers('${key}')`, {
        ...Object.fromEntries(flat),
        ...(city ? { address: { city } } : {}),
      });
    },
    removeElsewhere: async (key) => {
      await call('DELETE', `Customers('${key}')`);
    },
    countElsewhere: async (value) =>
      Number(await call('GET', `Customers/$count?$filter=${encodeURIComponent(`vatNumber eq '${value}'`)}`)),
    cleanup: () => sandbox.close(),
  };
});
