import type { TrytonRow, TrytonRpc } from './tryton-rpc.ts';

/** A user who may read parties but change nothing, for tests of refused access. */
export const trytonReader = { username: 'reader', password: 'Only-Look-7' };

/** Two companies with a currency, a chart of accounts and prices of their own. */
export async function seedCompanies(rpc: TrytonRpc): Promise<void> {
  const [euro, dollar] = await rpc.create('currency.currency', [
    { name: 'Euro', code: 'EUR', numeric_code: '978', symbol: '€', rounding: decimal('0.01'), digits: 2 },
    {
      name: 'US Dollar',
      code: 'USD',
      numeric_code: '840',
      symbol: '$',
      rounding: decimal('0.01'),
      digits: 2,
    },
  ]);
  await rpc.create('country.country', [
    { name: 'Netherlands', code: 'NL', code3: 'NLD', code_numeric: '528' },
    { name: 'Belgium', code: 'BE', code3: 'BEL', code_numeric: '056' },
    { name: 'United States', code: 'US', code3: 'USA', code_numeric: '840' },
  ]);
  const parties = await rpc.create('party.party', [
    { name: 'Delta Supplies' },
    { name: 'Delta Supplies USA' },
  ]);
  const companies = await rpc.create('company.company', [
    { party: parties[0], currency: euro },
    { party: parties[1], currency: dollar },
  ]);
  const [admin] = await rpc.search('res.user', [['login', '=', 'admin']], ['id']);
  const groups = await rpc.search('res.group', [], ['id']);
  await rpc.write('res.user', [Number(admin?.['id'])], {
    companies: [['add', companies]],
    company: companies[0],
    // Otherwise Tryton's rules show the records of the current company only, whatever a call's context says.
    company_filter: 'all',
    groups: [['add', groups.map((group) => group['id'])]],
  });
  for (const company of companies) await createChart(rpc, company);
  await createProduct(rpc, companies);
  await rpc.create('res.user', [
    {
      name: 'Reader',
      login: trytonReader.username,
      password: trytonReader.password,
      companies: [['add', companies]],
      company: companies[0],
      company_filter: 'one',
    },
  ]);
}

/** The accounts of the chart that comes with Tryton, by its own wizard. */
async function createChart(rpc: TrytonRpc, company: number): Promise<void> {
  const context = { company };
  const [data] = await rpc.search(
    'ir.model.data',
    [
      ['module', '=', 'account'],
      ['fs_id', '=', 'account_template_root_en'],
    ],
    ['db_id'],
  );
  const started = await rpc.call('wizard.account.create_chart.create', context);
  if (!Array.isArray(started)) throw new Error('the chart wizard did not start');
  const session: unknown = started[0];
  const execute = (values: TrytonRow, state: string) =>
    rpc.call('wizard.account.create_chart.execute', session, values, state, context);
  const account = { company, account_template: data?.['db_id'] };
  await execute({ start: {}, account }, 'create_account');
  const find = async (kind: string) => {
    const rows = await rpc.search(
      'account.account',
      [
        ['company', '=', company],
        [`type.${kind}`, '=', true],
      ],
      ['id'],
      context,
    );
    return rows[0]?.['id'];
  };
  const properties = {
    company,
    account_receivable: await find('receivable'),
    account_payable: await find('payable'),
  };
  await execute({ start: {}, account, properties }, 'create_properties');
  await rpc.call('wizard.account.create_chart.delete', session, context);
}

/** One product whose price differs per company. */
async function createProduct(rpc: TrytonRpc, companies: number[]): Promise<void> {
  const [unit] = await rpc.search('product.uom', [['symbol', '=', 'u']], ['id']);
  const [template] = await rpc.create(
    'product.template',
    [
      {
        name: 'Bolt M8',
        type: 'goods',
        default_uom: unit?.['id'],
        list_price: decimal('10'),
        cost_price_method: 'fixed',
        products: [['create', [{}]]],
      },
    ],
    { company: companies[0] },
  );
  await rpc.write(
    'product.template',
    [Number(template)],
    { list_price: decimal('20') },
    { company: companies[1] },
  );
}

/** `count` parties with an address each, as fast as Tryton takes them; answers their ids. */
export async function seedParties(rpc: TrytonRpc, count: number, prefix = 'Party'): Promise<number[]> {
  const ids: number[] = [];
  for (let start = 0; start < count; start += 500) {
    const size = Math.min(500, count - start);
    const values = Array.from({ length: size }, (_, index) => ({
      name: `${prefix} ${String(start + index + 1).padStart(5, '0')}`,
      addresses: [['create', [{ street: `Street ${start + index + 1}`, city: 'Delft' }]]],
    }));
    ids.push(...(await rpc.create('party.party', values)));
  }
  return ids;
}

/** `count` products with a price in the given company; answers the ids of their templates. */
export async function seedProducts(rpc: TrytonRpc, count: number, company: number): Promise<number[]> {
  const [unit] = await rpc.search('product.uom', [['symbol', '=', 'u']], ['id']);
  const values = Array.from({ length: count }, (_, index) => ({
    name: `Product ${String(index + 1).padStart(5, '0')}`,
    type: 'goods',
    default_uom: unit?.['id'],
    list_price: decimal(String(index + 1)),
    cost_price_method: 'fixed',
    products: [['create', [{ code: `P${index + 1}` }]]],
  }));
  return rpc.create('product.template', values, { company });
}

/** A number as Tryton wants it on the wire. */
export function decimal(value: string): { __class__: 'Decimal'; decimal: string } {
  return { __class__: 'Decimal', decimal: value };
}
