import type {
  AdapterDefinition,
  CallOptions,
  CollectionDescription,
  Page,
  ReadQuery,
  ReadRecord,
  Rec,
  Session,
  SessionContext,
} from '@sluice/adapter-kit';
import type { DataType, FieldDescriptor } from '@sluice/contract';
import { fieldOf } from '@sluice/contract/test-support';

export const generatedCollection = 'rows';
export const generatedCompanies = ['A', 'B'] as const;

/** Fields of the generated table by what benchmarks do with them. */
export const fieldIds = {
  key: 't0',
  /** Text and whole number with (nearly) as many values as rows. */
  sortText: 't1',
  sortInt: 'i1',
  /** About 1 in 20 rows holds each of its words. */
  filterText: 't3',
  /** Without an index and without a rule that looks at other records: what is edited. */
  edited: 't5',
  changed: 'f2',
} as const;

export interface GeneratorSettings {
  rows: number;
  /** Rows of one page, as the product's adapters deliver them. */
  pageSize: number;
}

export interface RowGenerator {
  definition: AdapterDefinition;
  /** From now on every hundredth row has another value and version. */
  change(): void;
  /** The pages by themselves: what generating costs, and the rows for the limit. */
  pages(): Generator<Page, void>;
}

const words =
  'amber birch cedar delta ember fjord grove heath iris juniper kelp larch maple north olive'.split(' ');
/** Values besides those that make a row unlike the others repeat with this period (a prime). */
const period = 4999;

/** Deterministic noise of 32 bits. */
function mix(row: number, column: number): number {
  let h = Math.imul(row + 1, 0x9e3779b1) ^ Math.imul(column + 1, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return (h ^ (h >>> 15)) >>> 0;
}

const word = (row: number, column: number): string => words[mix(row, column) % words.length] ?? '';
const two = (value: number): string => String(value).padStart(2, '0');
const date = (n: number): string =>
  `20${two(n % 26)}-${two(1 + ((n >>> 5) % 12))}-${two(1 + ((n >>> 9) % 28))}`;
const hex = (n: number): string => n.toString(16).padStart(8, '0');
const uuid = (row: number, column: number): string => {
  const a = hex(mix(row, column));
  const b = hex(mix(row, column + 100));
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-8${a.slice(1, 4)}-${hex(mix(row, column + 200))}${b.slice(0, 4)}`;
};

const phrase = (row: number, n: number): string =>
  `${word(row, n)} ${word(row, n + 40)} ${mix(row, n) % 9999}`;
const int = (row: number, n: number): number => mix(row, n + 60) % 1_000_000;
const float = (row: number, n: number): number => (mix(row, n + 70) % 10_000_000) / 100;
const bool = (row: number, n: number): boolean => mix(row, n + 90) % 3 === 0;

/**
 * 12 texts, 5 whole numbers, 5 floats, 2 dates, 1 date with time, 3 booleans, 2 uuids: about 370 bytes a row. Written
 * out, because an object literal is made twenty times faster than a copy of an object.
 */
function valuesOf(
  row: number,
  b: Base,
  own: { key: string; name: string; number: number; f2: number | null },
) {
  return {
    t0: own.key,
    t1: own.name,
    t2: b.t2,
    t3: b.t3,
    t4: b.t4,
    t5: b.t5,
    t6: b.t6,
    t7: b.t7,
    t8: b.t8,
    t9: b.t9,
    t10: b.t10,
    t11: row % 3 > 0 ? null : b.t11,
    i0: b.i0,
    i1: own.number,
    i2: b.i2,
    i3: b.i3,
    i4: b.i4,
    f0: b.f0,
    f1: b.f1,
    f2: own.f2 ?? b.f2,
    f3: b.f3,
    f4: b.f4,
    d0: b.d0,
    d1: row % 5 === 0 ? null : b.d1,
    m0: b.m0,
    b0: b.b0,
    b1: b.b1,
    b2: b.b2,
    u0: b.u0,
    u1: b.u1,
  } satisfies Rec;
}

type Base = ReturnType<typeof baseOf>;

function baseOf(row: number) {
  return {
    t2: `${word(row, 2)} ${word(row, 20)}`,
    t3: `${word(row, 3)} ${word(row, 30)} ${word(row, 31)}`,
    t4: phrase(row, 4),
    t5: phrase(row, 5),
    t6: phrase(row, 6),
    t7: phrase(row, 7),
    t8: phrase(row, 8),
    t9: phrase(row, 9),
    t10: phrase(row, 10),
    t11: phrase(row, 11),
    i0: int(row, 0),
    i2: int(row, 2),
    i3: int(row, 3),
    i4: int(row, 4),
    f0: float(row, 0),
    f1: float(row, 1),
    f2: float(row, 2),
    f3: float(row, 3),
    f4: float(row, 4),
    d0: date(mix(row, 80)),
    d1: date(mix(row, 81)),
    m0: `${date(mix(row, 82))}T${two(row % 24)}:${two(row % 60)}:00Z`,
    b0: bool(row, 0),
    b1: bool(row, 1),
    b2: bool(row, 2),
    u0: uuid(row, 0),
    u1: uuid(row, 1),
  };
}

const field = (id: string, dataType: DataType, more: Partial<FieldDescriptor> = {}): FieldDescriptor =>
  fieldOf(id, { name: `Field ${id}`, dataType, ...more });

/** With the rules that a real table has: a mandatory name, longest texts, a smallest number. */
const description: CollectionDescription = {
  fields: [
    field('t0', 'string', { isKey: true, isReadOnlyOnUpdate: true, isMandatory: true }),
    field('t1', 'string', { isMandatory: true }),
    ...[2, 3, 4].map((n) => field(`t${n}`, 'string', { validations: [{ code: 4102, params: { max: 60 } }] })),
    ...[5, 6, 7, 8, 9, 10, 11].map((n) => field(`t${n}`, 'string')),
    field('i0', 'int', { validations: [{ code: 4201, params: { min: 0 } }] }),
    ...[1, 2, 3, 4].map((n) => field(`i${n}`, 'int')),
    ...[0, 1, 2, 3, 4].map((n) => field(`f${n}`, 'float64')),
    ...[0, 1].map((n) => field(`d${n}`, 'date')),
    field('m0', 'datetime'),
    ...[0, 1, 2].map((n) => field(`b${n}`, 'bool')),
    ...[0, 1].map((n) => field(`u${n}`, 'uuid')),
  ],
  keyFields: ['t0'],
  labelField: 't1',
  naturalKeys: [],
  rights: { create: true, update: true, delete: true },
  fingerprint: 'generated-1',
};

/** A system without a wire: deterministic rows, as fast as they can be made. */
export function createGenerator({ rows, pageSize }: GeneratorSettings): RowGenerator {
  const bases = Array.from({ length: Math.min(period, rows) }, (_, row) => baseOf(row));
  let isChanged = false;

  const rowAt = (row: number): ReadRecord => {
    const key = `R${String(row).padStart(8, '0')}`;
    const noise = mix(row, 1);
    const hasMoved = isChanged && row % 100 === 37;
    const name = `${words[noise % words.length] ?? ''} ${noise.toString(36)}`;
    const base = bases[row % bases.length] as Base;
    const own = { key, name, number: noise % 100_000_000, f2: hasMoved ? row : null };
    return { key, version: hasMoved ? '2' : '1', values: valuesOf(row, base, own) };
  };
  function* pages(): Generator<Page, void> {
    for (let at = 0; at < rows; at += pageSize) {
      const length = Math.min(pageSize, rows - at);
      const records = Array.from({ length }, (_, index) => rowAt(at + index));
      const end = at + length;
      yield { records, poisoned: [], cursor: end < rows ? String(end) : null, total: at === 0 ? rows : null };
    }
  }
  const open = (_: unknown, { budget }: SessionContext): Session => ({
    caps: {
      maxPage: pageSize,
      batch: { size: 1, atomicity: 'none', outcome: 'perRecord' },
      concurrency: 'none',
      changes: { incremental: false },
      settleMs: 0,
      parallel: 1,
      keepsTurns: false,
    },
    test: () => Promise.resolve({ status: 'OK', message: 'Generated rows', isProduction: false }),
    companies: () =>
      Promise.resolve(generatedCompanies.map((id) => ({ id, name: `Company ${id}`, acronym: id }))),
    collections: () =>
      Promise.resolve([
        {
          code: generatedCollection,
          resourceTypeUriId: generatedCollection,
          title: 'Rows',
          numberOfSystemLevels: 2,
          hasAttribute: false,
        },
      ]),
    describe: () => Promise.resolve(description),
    attributes: () => Promise.resolve([]),
    async *read({ callClass, signal }: ReadQuery & CallOptions) {
      for (const page of pages()) {
        await budget.acquire(callClass, signal);
        yield page;
      }
    },
    readByKeys: () => Promise.reject(new Error('Benchmarks read no single rows')),
    write: () => Promise.reject(new Error('Benchmarks of the database push nothing')),
    probe: () => Promise.resolve({ state: 'undecidable', reason: 'Nothing is ever sent' }),
    close: () => Promise.resolve(),
  });
  return {
    definition: {
      kind: 'generator',
      title: { EN: 'Generated rows', NL: 'Gemaakte rijen' },
      systemLevels: [
        {
          uriId: 'domains',
          nameSingular: { EN: 'Domain', NL: 'Domein' },
          namePlural: { EN: 'Domains', NL: 'Domeinen' },
        },
        {
          uriId: 'companies',
          nameSingular: { EN: 'Company', NL: 'Bedrijf' },
          namePlural: { EN: 'Companies', NL: 'Bedrijven' },
        },
      ],
      configFields: [],
      authTypes: ['basic'],
      open,
    },
    change: () => {
      isChanged = true;
    },
    pages,
  };
}
