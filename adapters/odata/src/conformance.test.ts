import { startSandbox } from '@sluice/testing';
import { describeConformance, type ConformancePartner } from '@sluice/adapter-kit/conformance';
import { odataAdapter } from './index.ts';
import { configOf } from './test-support.ts';

/** The sandbox ERP, asked by plain HTTP for everything that is not the adapter's work. */
async function sandboxPartner(): Promise<ConformancePartner> {
  const sandbox = await startSandbox({ journalEntries: 1000 });
  const config = configOf(`${sandbox.url}/odata`, 'production');
  const company = `${sandbox.url}/odata/production/Companies('NL01')/`;
  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(company + path, {
      method,
      headers: { authorization: `Basic ${btoa('anna:sandbox')}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === ''
      ? null
      : /json/.test(response.headers.get('content-type') ?? '')
        ? JSON.parse(text)
        : text;
  };
  return {
    definition: odataAdapter,
    config,
    badConfig: { ...config, password: 'wrong' },
    deadConfig: { ...config, url: 'http://127.0.0.1:1/' },
    levels: ['NL01'],
    collection: 'Customers',
    sample: (n) => ({
      name: `Conformance ${n} B.V.`,
      customerGroup: 'retail',
      invoiceMethod: 'email',
      invoiceEmail: `invoice${n}@conformance.example`,
      vatNumber: `NL9000${n}B01`,
      paymentTermDays: 14,
      creditLimit: 1250.5,
      isBlocked: false,
      foundedYear: 1998,
      customerSince: '2024-02-29',
      deliveryFrom: '08:30:00',
      'address.city': 'Zwolle',
      'address.country': 'NL',
      contacts: [{ name: `Person ${n}`, role: null, email: null, phone: null }],
      tags: ['vip', 'test'],
      logo: Buffer.from([251, 255, 254, n % 256]).toString('base64'),
    }),
    change: (n) => ({ name: `Changed ${n}`, 'address.city': `City ${n}`, paymentTermDays: n % 100 }),
    invalid: { values: { discountPercent: 99 }, field: 'discountPercent' },
    naturalKey: 'vatNumber',
    missingKey: 'C-none',
    missingCollection: 'Nothings',
    large: { collection: 'Customers', levels: ['BE01'], pageSize: 400 },
    twoCompanies: {
      collection: 'Products',
      key: 'A00017',
      field: 'salesPrice',
      levels: [['NL01'], ['BE01']],
    },
    changeElsewhere: async (key, values) => {
      const body: Record<string, unknown> = {};
      for (const [id, value] of Object.entries(values)) {
        const [name = id, inner] = id.split('.');
        body[name] = inner === undefined ? value : { [inner]: value };
      }
      await call('PATCH', `Customers('${key}')`, body);
    },
    removeElsewhere: async (key) => void (await call('DELETE', `Customers('${key}')`)),
    countElsewhere: async (value) =>
      Number(await call('GET', `Customers/$count?$filter=${encodeURIComponent(`vatNumber eq '${value}'`)}`)),
    cleanup: () => sandbox.close(),
  };
}

describeConformance('OData over the sandbox', sandboxPartner);
