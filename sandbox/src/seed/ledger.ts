import type { Entity } from '../model/types.ts';
import { dateFrom, Random } from './random.ts';
import { lastNames, postings, trades } from './words.ts';
import type { SeedPlace } from './parties.ts';

const accountNames: readonly (readonly [from: number, type: string, name: string])[] = [
  [1000, 'asset', 'Bank account'],
  [1300, 'asset', 'Receivables'],
  [1600, 'liability', 'Payables'],
  [3000, 'asset', 'Stock'],
  [4000, 'cost', 'Costs of staff'],
  [4500, 'cost', 'Costs of housing'],
  [7000, 'cost', 'Cost of sales'],
  [8000, 'revenue', 'Sales'],
];
/** 280 accounts: eight groups of 35. */
export const accountNumbers: readonly number[] = accountNames.flatMap(([from]) =>
  Array.from({ length: 35 }, (_, i) => from + i),
);
export const costCentreCount = 120;

export function glAccount(_: SeedPlace, i: number): Entity {
  const number = accountNumbers[i - 1] ?? 1000;
  const group = accountNames[Math.floor((i - 1) / 35)];
  return {
    number,
    name: `${group?.[2]} ${number}`,
    type: group?.[1] ?? 'cost',
    vatCode: number >= 7000 ? 'high' : 'none',
    requiresCostCentre: number >= 4000 && number < 4500,
    isBlocked: i % 35 === 0,
  };
}

export function costCentre(place: SeedPlace, i: number): Entity {
  const random = new Random(place.company, 'costcentre', i);
  return {
    code: `K${100 + i}`,
    name: `${random.pick(trades)} ${100 + i}`,
    parent: i % 10 === 1 ? null : `K${100 + i - ((i - 1) % 10)}`,
    manager: 1000 + random.int(1, 150),
    budget: random.int(5, 200) * 1000,
    budgetYear: 2026,
    isActive: random.chance(0.95),
  };
}

const attributeNames = ['Region', 'Channel', 'Brand', 'Vehicle', 'Campaign', 'Machine', 'Season', 'Contract'];
export const attributeCount = attributeNames.length;

/** The last one is named as nobody would name it, who also writes addresses. */
const attributeId = (i: number): string => (i === attributeCount ? `A/ ${i}` : `A${i}`);

export function attribute(_: SeedPlace, i: number): Entity {
  return {
    id: attributeId(i),
    name: attributeNames[i - 1] ?? `Attribute ${i}`,
    maximumLength: 12,
    isActive: i !== 6,
  };
}

/** Forty values of each attribute. */
export function attributeValue(place: SeedPlace, i: number): Entity {
  const random = new Random(place.company, 'attributevalue', i);
  const of = Math.floor((i - 1) / 40);
  const n = ((i - 1) % 40) + 1;
  return {
    attribute: attributeId(of + 1),
    value: `${(attributeNames[of] ?? 'X').slice(0, 2).toUpperCase()}${String(n).padStart(3, '0')}`,
    description: `${attributeNames[of]} ${random.pick(lastNames)} ${n}`,
    status: random.pick(['N', 'N', 'N', 'P', 'C']),
    periodFrom: random.int(2018, 2025) * 100 + random.int(1, 12),
    periodTo: 209912,
  };
}

export function project(place: SeedPlace, i: number): Entity {
  const random = new Random(place.company, 'project', i);
  const startsOn = dateFrom('2023-01-01', random.int(0, 900));
  const billing = random.pick(['hours', 'fixed']);
  return {
    number: 1000 + i,
    name: `${random.pick(trades)} ${random.pick(lastNames)} ${i}`,
    customer: `C${10000 + random.int(1, 2500)}`,
    manager: 1000 + random.int(1, 150),
    status: random.pick(['planned', 'running', 'running', 'finished']),
    billing,
    fixedPrice: billing === 'fixed' ? random.int(2, 90) * 1000 : null,
    hourlyRate: random.int(60, 140),
    budgetHours: random.int(10, 2000),
    balance: random.int(-200, 300),
    startsOn,
    endsOn: random.chance(0.6) ? dateFrom(startsOn, random.int(30, 500)) : null,
  };
}

const days = Array.from({ length: 912 }, (_, i) => dateFrom('2024-01-01', i));

/** Every tenth entry is posted, and so refuses changes; the dates run from 2024 into 2026. */
export function journalEntry(place: SeedPlace, i: number): Entity {
  const random = new Random(place.company, 'journal', i);
  const entryDate = days[(i * 7) % days.length] ?? '2024-01-01';
  const account = random.pick(accountNumbers);
  const amount = random.money(5, 9000);
  const isDebit = random.chance(0.5);
  const isPosted = i % 10 === 0;
  const word = random.pick(postings);
  return {
    number: 10_000_000 + i,
    entryDate,
    year: Number(entryDate.slice(0, 4)),
    period: Number(entryDate.slice(5, 7)),
    journal: random.pick(['memo', 'sales', 'purchase', 'bank']),
    document: `${entryDate.slice(2, 4)}-${String(random.int(1, 99999)).padStart(5, '0')}`,
    account,
    costCentre: account >= 4000 && account < 5000 ? `K${100 + random.int(1, costCentreCount)}` : null,
    project: random.chance(0.1) ? 1000 + random.int(1, 300) : null,
    customer: account >= 1300 && account < 1600 ? `C${10000 + random.int(1, 2500)}` : null,
    description: `${word} ${random.pick(lastNames)} ${i % 997}`,
    debit: isDebit ? amount : 0,
    credit: isDebit ? 0 : amount,
    currency: random.chance(0.05) ? 'USD' : 'EUR',
    vatCode: random.pick(['none', 'low', 'high', 'high']),
    valueDate: entryDate,
    isPosted,
    postedAt: isPosted ? `${entryDate}T18:00:00.000Z` : null,
  };
}
