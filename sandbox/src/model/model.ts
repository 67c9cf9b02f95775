import type { DomainInfo, EntitySet, Field, ScalarField } from './types.ts';
import { attributes, attributeValues, costCentres, glAccounts, journalEntries } from './finance.ts';
import { employees, projects } from './people.ts';
import { products, suppliers } from './purchasing.ts';
import { customers, priceLists, salesOrders, webPrices } from './sales.ts';

/** The collections of one company, in an order in which each refers only to earlier ones when seeded. */
export const entitySets: readonly EntitySet[] = [
  employees,
  costCentres,
  glAccounts,
  attributes,
  attributeValues,
  suppliers,
  products,
  priceLists,
  webPrices,
  customers,
  projects,
  salesOrders,
  journalEntries,
];

const byName = new Map(entitySets.map((set) => [set.name, set]));
export function entitySet(name: string): EntitySet | undefined {
  return byName.get(name);
}

const utrecht = { acronym: 'UTR', country: 'NL' };
const antwerp = { acronym: 'ANR', country: 'BE' };
const hamburg = { acronym: 'HAM', country: 'DE' };
export const domains: readonly DomainInfo[] = [
  {
    id: 'production',
    isProduction: true,
    companies: [
      { id: 'NL01', name: 'Van Doorn Groothandel Utrecht', ...utrecht },
      { id: 'BE01', name: 'Van Doorn Antwerpen', ...antwerp },
      { id: 'DE01', name: 'Van Doorn Großhandel Hamburg', ...hamburg },
    ],
  },
  {
    id: 'test',
    isProduction: false,
    companies: [
      { id: 'NL01', name: 'TEST Van Doorn Groothandel Utrecht', ...utrecht },
      { id: 'BE01', name: 'TEST Van Doorn Antwerpen', ...antwerp },
      { id: 'DE01', name: 'TEST Van Doorn Großhandel Hamburg', ...hamburg },
    ],
  },
];

/** A scalar or list property of an entity with its path; objects are followed, lists are leaves. */
export interface Leaf {
  path: string;
  field: Exclude<Field, { kind: 'object' }>;
}

export function leaves(fields: readonly Field[], prefix = ''): Leaf[] {
  return fields.flatMap((field): Leaf[] =>
    field.kind === 'object'
      ? leaves(field.fields, `${prefix}${field.name}/`)
      : [{ path: `${prefix}${field.name}`, field }],
  );
}

export function scalarFields(set: EntitySet): ScalarField[] {
  return set.fields.filter((field) => field.kind === 'scalar');
}
