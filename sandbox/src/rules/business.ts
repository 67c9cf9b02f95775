import type { Problem } from '../errors.ts';
import { entitySet } from '../model/model.ts';
import type { Entity, EntitySet } from '../model/types.ts';
import { column, type Store } from '../store.ts';

export interface Change {
  store: Store;
  scope: number;
  set: EntitySet;
  /** null: the record is new. */
  before: Entity | null;
  /** null: the record is deleted. */
  after: Entity | null;
}

/** Years up to and including this one are closed for bookings. */
const lastClosedYear = 2023;

const number = (value: unknown): number => (value === null || value === undefined ? 0 : Number(value));
const changed = ({ before, after }: Change, ...names: string[]): boolean =>
  after !== null && names.some((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after[name]));

function find({ store, scope }: Change, setName: string, key: unknown): Entity | undefined {
  const set = entitySet(setName);
  if (!set || (typeof key !== 'string' && typeof key !== 'number')) return undefined;
  return store.get(set, scope, [key])?.entity;
}

const rules: Record<string, (change: Change) => Problem[]> = {
  Customers(change) {
    const { after, before, store, scope } = change;
    if (after === null) {
      const orders = entitySet('SalesOrders');
      const key = String(before?.['number']);
      const count = orders ? store.count(orders, scope, `${column('customer')} = ?`, [key]) : 0;
      return count > 0 ? [{ code: 'CUST-0230', params: { key, count } }] : [];
    }
    const list = find(change, 'PriceLists', after['priceList']);
    const max = number(list?.['maximumDiscount']);
    return list && changed(change, 'discountPercent', 'priceList') && number(after['discountPercent']) > max
      ? [{ code: 'CUST-0214', params: { max, list: String(list['code']) }, target: 'discountPercent' }]
      : [];
  },
  SalesOrders(change) {
    const { after, before } = change;
    if (before?.['status'] === 'invoiced') return [{ code: 'ORD-0120', params: {} }];
    if (after === null) return [];
    const problems: Problem[] = [];
    const customer = find(change, 'Customers', after['customer']);
    if (customer?.['isBlocked'] === true && changed(change, 'customer'))
      problems.push({
        code: 'ORD-0101',
        params: { customer: String(customer['number']), reason: String(customer['blockReason'] ?? '') },
        target: 'customer',
      });
    const lines = after['lines'];
    if (changed(change, 'lines') && (!Array.isArray(lines) || lines.length === 0))
      problems.push({ code: 'ORD-0110', params: {}, target: 'lines' });
    return problems;
  },
  JournalEntries(change) {
    const { after, before } = change;
    if (before?.['isPosted'] === true) return [{ code: 'JRN-0300', params: {} }];
    if (after === null) return [];
    const problems: Problem[] = [];
    const year = number(String(after['entryDate']).slice(0, 4));
    if (changed(change, 'entryDate') && year > 0 && year <= lastClosedYear)
      problems.push({
        code: 'JRN-0301',
        params: { period: String(after['entryDate']).slice(0, 7) },
        target: 'entryDate',
      });
    if (
      changed(change, 'debit', 'credit') &&
      (number(after['debit']) !== 0) === (number(after['credit']) !== 0)
    )
      problems.push({ code: 'JRN-0305', params: {}, target: 'debit' });
    if (changed(change, 'account', 'costCentre')) {
      const account = find(change, 'GLAccounts', after['account']);
      const params = { account: String(after['account']) };
      if (account?.['requiresCostCentre'] === true && !after['costCentre'])
        problems.push({ code: 'JRN-0310', params, target: 'costCentre' });
      if (account?.['isBlocked'] === true && changed(change, 'account'))
        problems.push({ code: 'JRN-0311', params, target: 'account' });
    }
    return problems;
  },
  AttributeValues(change) {
    const { after } = change;
    if (after === null) return [];
    const max = number(find(change, 'Attributes', after['attribute'])?.['maximumLength']) || 25;
    return change.before === null && String(after['value']).length > max
      ? [{ code: 'ATT-0102', params: { attribute: String(after['attribute']), max }, target: 'value' }]
      : [];
  },
  Projects(change) {
    const { after } = change;
    if (!after?.['startsOn'] || !after['endsOn'] || !changed(change, 'startsOn', 'endsOn')) return [];
    return String(after['endsOn']) < String(after['startsOn'])
      ? [{ code: 'PRJ-0110', params: {}, target: 'endsOn' }]
      : [];
  },
  PriceLists(change) {
    const { after, store, scope, set } = change;
    if (after?.['isDefault'] !== true || !changed(change, 'isDefault')) return [];
    const [other] = store.select(set, scope, {
      where: `${column('isDefault')} = 1 AND ${column('code')} <> ?`,
      params: [String(after['code'])],
      orderBy: column('code'),
      limit: 1,
      offset: 0,
    });
    return other
      ? [{ code: 'PRL-0105', params: { list: String(other.entity['code']) }, target: 'isDefault' }]
      : [];
  },
  CostCentres({ after }) {
    return after !== null && after['parent'] && after['parent'] === after['code']
      ? [{ code: 'CCT-0107', params: {}, target: 'parent' }]
      : [];
  },
};

/** What the ERP refuses although the metadata does not tell it. */
export function businessProblems(change: Change): Problem[] {
  return rules[change.set.name]?.(change) ?? [];
}

/** Fills the computed fields of a record that is about to be stored. */
export function compute(set: EntitySet, record: Entity): void {
  if (set.name === 'Customers') record['searchName'] = String(record['name'] ?? '').toUpperCase();
  if (set.name === 'Employees')
    record['fullName'] = `${String(record['firstName'] ?? '')} ${String(record['lastName'] ?? '')}`.trim();
  if (set.name === 'JournalEntries') {
    const date = String(record['entryDate'] ?? '');
    record['year'] = Number(date.slice(0, 4)) || null;
    record['period'] = Number(date.slice(5, 7)) || null;
    record['isPosted'] ??= false;
  }
  if (set.name === 'Products') record['stock'] ??= 0;
  if (set.name === 'SalesOrders') {
    const lines = Array.isArray(record['lines']) ? record['lines'] : [];
    const total = lines.reduce<number>((sum, line) => {
      if (line === null || typeof line !== 'object' || Array.isArray(line)) return sum;
      return (
        sum +
        number(line['quantity']) * number(line['unitPrice']) * (1 - number(line['discountPercent']) / 100)
      );
    }, 0);
    record['total'] = Math.round(total * 100) / 100;
  }
}
