import { domains, entitySets } from '../model/model.ts';
import type { Entity, EntitySet } from '../model/types.ts';
import { scopeOf } from '../odata/service.ts';
import type { Store } from '../store.ts';
import { flaws } from './flaws.ts';
import { priceList, product, salesOrder, webPrice } from './goods.ts';
import {
  accountNumbers,
  attribute,
  attributeCount,
  attributeValue,
  costCentre,
  costCentreCount,
  glAccount,
  journalEntry,
  project,
} from './ledger.ts';
import { customer, employee, supplier, type SeedPlace } from './parties.ts';

const makers: Record<string, { count: number; make: (place: SeedPlace, i: number) => Entity }> = {
  Employees: { count: 150, make: employee },
  CostCentres: { count: costCentreCount, make: costCentre },
  GLAccounts: { count: accountNumbers.length, make: glAccount },
  Attributes: { count: attributeCount, make: attribute },
  AttributeValues: { count: attributeCount * 40, make: attributeValue },
  Suppliers: { count: 400, make: supplier },
  Products: { count: 4000, make: product },
  PriceLists: { count: 60, make: priceList },
  WebPrices: { count: 2000, make: webPrice },
  Customers: { count: 2500, make: customer },
  Projects: { count: 300, make: project },
  SalesOrders: { count: 1500, make: salesOrder },
  JournalEntries: { count: 2000, make: journalEntry },
};

const start = Date.parse('2025-01-06T08:00:00Z');
const people = ['migration', 'anna', 'import'];

/** The last change of a seeded record: one a minute, so that the order of changes is the order of making. */
function trail(i: number) {
  const at = new Date(start + (i % 500_000) * 60_000).toISOString();
  return { createdAt: at, modifiedAt: at, modifiedBy: people[i % people.length] ?? 'import' };
}

/**
 * Fills the store up to the wanted number of records. What was seeded before is left as the users made it; a higher
 * number of journal entries adds the missing ones.
 */
export function seed(store: Store, journalEntries: number): void {
  store.transaction(() => {
    if (store.meta('epoch') === null) store.setMeta('epoch', 1);
    for (const domain of domains)
      for (const company of domain.companies) {
        const place = { domain: domain.id, company: company.id, country: company.country };
        const isFirst = domain.isProduction && domain.companies.indexOf(company) === 0;
        for (const set of entitySets)
          fill(
            store,
            set,
            scopeOf(domain, company),
            place,
            isFirst && set.name === 'JournalEntries' ? journalEntries : null,
            isFirst,
          );
      }
  });
  store.checkpoint();
}

function fill(
  store: Store,
  set: EntitySet,
  scope: number,
  place: SeedPlace,
  wanted: number | null,
  isFirst: boolean,
): void {
  const maker = makers[set.name];
  if (!maker) throw new Error(`no seed for ${set.name}`);
  const name = `seeded:${set.name}:${scope}`;
  const done = Number(store.meta(name) ?? 0);
  const count = Math.max(wanted ?? maker.count, done);
  for (let i = done + 1; i <= count; i++) {
    const entity = maker.make(place, i);
    Object.assign(entity, trail(i), isFirst ? flaws[set.name]?.[i] : undefined);
    store.insert(set, scope, entity);
  }
  if (count > done) store.setMeta(name, count);
}
