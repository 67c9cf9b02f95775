import type { DataType, FieldDescriptor, Value } from '@sluice/contract';
import { fieldOf } from '@sluice/contract/test-support';
import { checkValue, validateFields } from '@sluice/mapping';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyEncoder, textsOfLine } from './encode.ts';
import { type Column, pgTypeOf, textOfValue } from './model.ts';

const field = (id: string, dataType: DataType, more: Partial<FieldDescriptor> = {}): FieldDescriptor =>
  fieldOf(id, { dataType, ...more });

const fields = [
  field('name', 'string', { isMandatory: true, validations: [{ code: 4102, params: { max: 4 } }] }),
  field('note', 'string', { validations: [{ code: 4101, params: { min: 3 } }] }),
  field('term', 'string', { options: [{ value: 'a' }, { value: 'b' }] }),
  field('site', 'string', { format: 'url' }),
  field('amount', 'float64', {
    scale: 2,
    validations: [
      { code: 4200, params: { max: 10 } },
      { code: 4201, params: { min: -10 } },
    ],
  }),
  field('count', 'uint', { validations: [{ code: 4001, params: {} }] }),
  field('isOpen', 'bool', { isMandatory: true }),
  field('reason', 'string', { validations: [{ code: 4002, params: { field: 'isOpen' } }] }),
  field('day', 'date'),
  field('until', 'time'),
  field('at', 'datetime'),
  field('guid', 'uuid'),
];
const columns = fields.map((described, index): Column => ({
  fno: index + 1,
  path: described.id,
  pgType: pgTypeOf(described),
  field: described,
}));

const values: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom<Value>(
    null,
    '',
    true,
    false,
    0,
    -1,
    11,
    3.25,
    1e21,
    'a',
    'b',
    'abcd',
    'abcde',
    '😀😀😀😀',
    'a\tb\\n',
  ),
  fc.constantFrom(
    '2026-02-28',
    '2026-02-29',
    '2024-02-29',
    '1899-12-31',
    '2100-01-01',
    '2026-13-01',
    '9:30',
    '10:00',
  ),
  fc.constantFrom(
    '2026-02-28T10:00:00Z',
    '2026-02-28T10:00Z',
    '2026-02-28T10:00:00.120Z',
    '2026-02-31T10:00:00Z',
  ),
  fc.constantFrom(
    '2026-02-28T24:00:00Z',
    '2026-02-28T23:00:00+02:00',
    'https://example.org',
    'http:',
    '10.50',
  ),
  fc.uuid(),
  fc.uuid().map((uuid) => uuid.toUpperCase()),
  fc.integer(),
  fc.double(),
  fc.string(),
);

/** The same by the rules alone, value by value and without any short cut. */
function expected(record: Record<string, Value>): {
  texts: (string | null)[];
  bad: Map<number, number | 'raw'>;
} {
  const bad = new Map<number, number | 'raw'>();
  const texts = columns.map(({ fno, path, pgType, field: described }) => {
    const value = record[path] ?? null;
    const checked = checkValue(described, value === '' ? null : value);
    if (checked.isOk) return textOfValue(pgType, checked.value);
    bad.set(fno, 'raw');
    return null;
  });
  for (const { field: id, code } of validateFields(fields, (path) => record[path], { isNew: false })) {
    const fno = columns.find(({ path }) => path === id)?.fno ?? 0;
    if (!bad.has(fno)) bad.set(fno, code);
  }
  return { texts, bad };
}

const unescape = (text: string): string =>
  text.replace(/\\(.)/g, (_, c: string) => ({ t: '\t', n: '\n', r: '\r' })[c] ?? c);

describe('lines for COPY', () => {
  it('hold every value and every broken rule that the full checks find', () => {
    const record = fc.record(Object.fromEntries(fields.map(({ id }) => [id, values])));
    const encode = copyEncoder(columns);
    fc.assert(
      fc.property(record, (read) => {
        const line = encode({ key: 'k', version: null, values: read });
        const [, , badText = '', ...cells] = line.slice(0, -1).split('\t');
        const texts = cells.map((cell) => (cell === '\\N' ? null : unescape(cell)));
        const bad =
          badText === '\\N' ? {} : (JSON.parse(unescape(badText)) as Record<string, { c?: number }>);
        const { texts: wanted, bad: wantedBad } = expected(read);
        const shown = (text: string | null, index: number): string | null =>
          columns[index]?.pgType === 'boolean' && text !== null ? text.slice(0, 1) : text;
        expect(texts.map(shown)).toEqual(wanted.map(shown));
        expect(new Map(Object.entries(bad).map(([fno, { c }]) => [Number(fno), c ?? 'raw']))).toEqual(
          new Map([...wantedBad].toSorted(([a], [b]) => a - b)),
        );
      }),
      { numRuns: 3000 },
    );
  });
});

it('a line of COPY read back gives the texts that went into it, whatever is in them', () => {
  const plain: Column[] = ['a', 'b'].map((id, index) => {
    const made = field(id, 'string');
    return { fno: index + 1, path: id, pgType: pgTypeOf(made), field: made };
  });
  const text = fc.string({ unit: fc.constantFrom('\\', '\t', '\n', '\r', 'N', 't', 'a', 'é', ' ') });
  fc.assert(
    fc.property(text, text, fc.option(text), (key, a, b) => {
      const line = copyEncoder(plain)({ key, version: null, values: { a, b } });
      expect(textsOfLine(line)).toEqual([key, null, null, a === '' ? null : a, b === '' ? null : b]);
    }),
  );
});
