import type { CallOptions, CollectionInfo } from '@sluice/adapter-kit';
import type { Row, TrytonLink } from './link.ts';
import { languages } from './metadata.ts';
import type { Metadata } from './metadata.ts';

/** What people work with most, first in the list; lines that have no menu entry of their own are added by it. */
const wellKnown = `
  party.party party.address party.contact_mechanism party.identifier party.category
  product.template product.product product.category product.uom
  sale.sale sale.line purchase.purchase purchase.line purchase.product_supplier
  account.invoice account.invoice.line account.account account.move account.move.line
  stock.move stock.location company.company company.employee
  currency.currency currency.currency.rate country.country country.subdivision
`
  .trim()
  .split(/\s+/);

/** Administration of Tryton itself, settings, templates of charts, and reports that need parameters. */
const excluded = [
  /^(ir|res)\./,
  /\.configuration$/,
  /\.cron$/,
  /\.reporting\./,
  /^account\.(account|account\.type|tax|tax\.code|tax\.rule)\.template$/,
];

/** Models that are the same in every company. */
const domainWide = [/^currency\./, /^country\./, /^product\.uom/, /^company\.company$/, /^party\.address\./];

/** Fields that tell a person which record it is. */
const naturalKeys: Record<string, string[][]> = {
  'party.party': [['code']],
  'product.template': [['code']],
  'product.product': [['code']],
  'account.account': [['code', 'company']],
  'currency.currency': [['code']],
  'country.country': [['code']],
  'sale.sale': [['number', 'company']],
  'purchase.purchase': [['number', 'company']],
  'account.invoice': [['number', 'company']],
};

export function naturalKeysOf(model: string): string[][] {
  return naturalKeys[model] ?? [];
}

function slugOf(model: string): string {
  return model.replaceAll(/[._]+/g, '-');
}

/**
 * The models behind Tryton's menu as far as this user sees it and may read them, and some lines that the menu
 * does not show. Tryton has hundreds of internal models that nobody works with.
 */
export async function listCollections(
  link: TrytonLink,
  metadata: Metadata,
  options: CallOptions,
): Promise<CollectionInfo[]> {
  const language = languages[options.locale];
  const [menus, actions, models] = await Promise.all([
    link.rows('ir.ui.menu', { domain: [], fields: ['action'] }, options),
    link.rows(
      'ir.action.act_window',
      { domain: [], fields: ['name', 'res_model', 'domain', 'context_model'], language },
      options,
    ),
    link.rows('ir.model', { domain: [], fields: ['model', 'name'], language }, options),
  ]);
  const modelNames = new Map(models.map((row) => [text(row['model']), text(row['name'])]));
  const titles = findTitles(menus, actions);
  const candidates = [...new Set([...wellKnown, ...titles.keys()])].filter(
    (model) => modelNames.has(model) && !excluded.some((pattern) => pattern.test(model)),
  );
  const access = await metadata.access(candidates, options);
  const isMultiCompany = modelNames.has('company.company');
  const readable = candidates.filter((model) => access[model]?.read === true);
  const unique = makeUnique(readable, titles, modelNames);
  return readable.map((model) => ({
    code: model,
    resourceTypeUriId: slugOf(model),
    title: unique.get(model) ?? model,
    numberOfSystemLevels: isMultiCompany && !domainWide.some((pattern) => pattern.test(model)) ? 2 : 1,
    hasAttribute: false,
  }));
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Per model the name of its first menu entry; null when that shows a part of the records only. */
function findTitles(menus: readonly Row[], actions: readonly Row[]): Map<string, string | null> {
  const byId = new Map(actions.map((action) => [`ir.action.act_window,${String(action['id'])}`, action]));
  const titles = new Map<string, string | null>();
  for (const menu of menus) {
    const action = byId.get(text(menu['action']));
    const model = text(action?.['res_model']);
    // An entry with a context model is a report that asks for parameters first.
    if (action === undefined || model === '' || text(action['context_model']) !== '') continue;
    if (titles.has(model)) continue;
    titles.set(model, isWholeList(text(action['domain'])) ? text(action['name']) : null);
  }
  return titles;
}

/** No domain, only the roots of a tree, or only the company that is worked for. */
function isWholeList(domain: string): boolean {
  if (domain === '' || domain === '[]' || domain === '[["parent", "=", null]]') return true;
  return /^\[\["company", "=", \{[^[\]]*\}\](, \["parent", "=", null\])?\]$/.test(domain);
}

/** The menu's name, else the model's own; a name that stands for several models gives way. */
function makeUnique(
  models: readonly string[],
  titles: ReadonlyMap<string, string | null>,
  modelNames: ReadonlyMap<string, string>,
): Map<string, string> {
  const choices: ((model: string) => string)[] = [
    (model) => titles.get(model) ?? modelNames.get(model) ?? model,
    (model) => modelNames.get(model) ?? model,
    (model) => `${modelNames.get(model) ?? ''} (${model})`,
  ];
  const result = new Map<string, string>();
  let open = [...models];
  for (const choose of choices) {
    const proposed = new Map(open.map((model) => [model, capitalize(choose(model))]));
    const taken = [...result.values(), ...proposed.values()].map((title) => title.toLowerCase());
    open = open.filter((model) => {
      const title = proposed.get(model) ?? model;
      if (taken.filter((other) => other === title.toLowerCase()).length > 1) return true;
      result.set(model, title);
      return false;
    });
  }
  return result;
}

function capitalize(title: string): string {
  return title.slice(0, 1).toUpperCase() + title.slice(1);
}
