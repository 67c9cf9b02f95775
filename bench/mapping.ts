/** Ten mappings over a million records beside a loop written by hand for just these ten, its memory, and the preview. */
import type { FieldDescriptor, Mapping, Source, TransformFn, Value } from '@sluice/contract';
import { fieldOf } from '@sluice/contract/test-support';
import { compilePlan, type RecordBatch } from '@sluice/mapping/engine';
import { median, report, say } from './measure.ts';

const given = process.argv.find((argument) => argument.startsWith('--rows='));
const rows = given ? Number(given.slice('--rows='.length)) : 1_000_000;
const batchSize = 1000;
const memoryBarMb = 250;
const rateBar = 100_000;
const previewBarMs = 300;

const field = (
  id: string,
  dataType: FieldDescriptor['dataType'],
  extra: Partial<FieldDescriptor> = {},
): FieldDescriptor => fieldOf(id, { dataType, ...extra });

const sourceFields = [
  ...['first', 'last', 'country', 'amount', 'since', 'active', 'phone', 'email'].map((id) =>
    field(id, 'string'),
  ),
  field('price', 'float64'),
];
const targetFields = [
  field('firstName', 'string', { validations: [{ code: 4102, params: { max: 50 } }] }),
  field('name', 'string', { isMandatory: true, validations: [{ code: 4102, params: { max: 80 } }] }),
  field('country', 'string', { validations: [{ code: 4102, params: { max: 2 } }] }),
  field('creditLimit', 'float64', { validations: [{ code: 4201, params: { min: 0 } }] }),
  field('grossPrice', 'float64'),
  field('customerSince', 'date'),
  field('isActive', 'bool'),
  field('group', 'string'),
  field('phone', 'string'),
  field('email', 'string'),
];

const value = (id: string): Source => ({ type: 'sourceValue', field: id });
const mapping = (
  targetField: string,
  source: Source,
  fns: [string, TransformFn['args']?][],
  extra: Partial<Mapping> = {},
): Mapping => ({
  targetField,
  group: 'optional',
  isUnique: false,
  ignoreOnLaterRuns: false,
  defaultValue: null,
  mappingSources: [
    { sourceOptionId: 's', source, transformFns: fns.map(([fnId, args = {}]) => ({ fnId, args })) },
  ],
  ...extra,
});

const countries = { Nederland: 'NL', België: 'BE', Deutschland: 'DE', France: 'FR', Luxembourg: 'LU' };
const translation: TransformFn = {
  fnId: 'translate',
  args: {},
  translationTable: {
    inputType: 'string',
    returnType: 'string',
    rows: Object.entries(countries).map(([key, code]) => ({ key, value: code })),
    defaultValue: null,
    notFound: 'error',
  },
};
const part = (id: string) => ({
  source: { type: 'sourceValue' as const, field: id },
  transformFns: [{ fnId: 'trim', args: {} }],
});
const mappings: Mapping[] = [
  mapping('firstName', value('first'), [['trim'], ['truncate', { max: 50 }]]),
  mapping(
    'name',
    { type: 'multiple', mergeString: '{1} {2}', mergeSources: [part('first'), part('last')] },
    [],
  ),
  mapping('country', value('country'), [['trim']]),
  mapping('creditLimit', value('amount'), [['toNumber']]),
  mapping('grossPrice', value('price'), [
    ['multiply', { other: 1.21 }],
    ['round', { decimals: 2 }],
  ]),
  mapping('customerSince', value('since'), [['parseDate', { format: 'dd-MM-yyyy' }]]),
  mapping('isActive', value('active'), [['toBool']]),
  mapping('group', { type: 'customValue', value: 'WEB' }, []),
  mapping('phone', value('phone'), [['replace', { find: '-', by: '' }]]),
  mapping('email', value('email'), [['lower']], { defaultValue: 'onbekend@example.nl' }),
];
mappings[2]?.mappingSources[0]?.transformFns.push(translation);

const two = (number: number): string => String(number).padStart(2, '0');
const names = Object.keys(countries);

/** The columns of records from a number on; made anew for each batch, as a source delivers them. */
function batchAt(from: number, size: number): RecordBatch {
  const column = (make: (number: number) => Value): Value[] =>
    Array.from({ length: size }, (_, index) => make(from + index));
  return {
    size,
    keys: Array.from({ length: size }, (_, index) => String(from + index)),
    columns: {
      first: column((n) => ` Sanne ${n % 1000} `),
      last: column((n) => `de Vries-${n % 777}`),
      country: column((n) => names[n % names.length] ?? ''),
      amount: column((n) => `${1 + (n % 9)}.${two(n % 100)}0,${two(n % 100)}`),
      price: column((n) => (n % 100_000) / 100),
      since: column((n) => `${two(1 + (n % 28))}-${two(1 + (n % 12))}-${2000 + (n % 26)}`),
      active: column((n) => (n % 3 === 0 ? 'nee' : 'Ja')),
      phone: column((n) => `06-${10_000_000 + (n % 80_000_000)}`),
      email: column((n) => (n % 10 === 0 ? null : `Klant${n % 50_000}@Example.NL`)),
    },
  };
}

type Row = Record<string, Value>;
const cents = (number: number): number => Math.round(number * 100) / 100;

/** The same ten by hand: what somebody writes who knows these fields and no others. It marks failures as we do. */
function byHand({ columns, size }: RecordBatch): { columns: Row[]; failed: number } {
  const out: Row[] = [];
  let failed = 0;
  const text = (id: string, row: number): string => String(columns[id]?.[row] ?? '');
  for (let row = 0; row < size; row += 1) {
    const first = text('first', row).trim();
    const last = text('last', row).trim();
    const country = (countries as Record<string, string>)[text('country', row).trim()];
    const amount = Number(text('amount', row).replaceAll('.', '').replace(',', '.'));
    const [day = '', month = '', year = ''] = text('since', row).split('-');
    const word = text('active', row).trim().toLowerCase();
    const price = columns.price?.[row];
    const email = columns.email?.[row];
    const name = `${first} ${last}`;
    const since = `${year}-${month}-${day}`;
    if (
      !country ||
      !Number.isFinite(amount) ||
      amount < 0 ||
      name.length > 80 ||
      Number.isNaN(Date.parse(since))
    )
      failed += 1;
    out.push({
      firstName: first.slice(0, 50),
      name,
      country: country ?? null,
      creditLimit: amount,
      grossPrice: cents(Number(price) * 1.21),
      customerSince: since,
      isActive: word === 'ja' || word === 'yes' || word === 'true',
      group: 'WEB',
      phone: text('phone', row).replaceAll('-', ''),
      email: typeof email === 'string' && email !== '' ? email.toLowerCase() : 'onbekend@example.nl',
    });
  }
  return { columns: out, failed };
}

const plan = compilePlan({
  mappings,
  sourceOptionId: 's',
  sourceFields,
  targetFields,
  zone: 'Europe/Amsterdam',
});
const facts = { now: '2026-11-21T10:00:00Z', zone: 'Europe/Amsterdam', language: 'NL' as const };

/** Both must say the same, or the comparison says nothing. Half cents of doubles are let through. */
async function checkSame(): Promise<void> {
  const batch = batchAt(0, 5000);
  const ours = await plan.run(batch, facts);
  const theirs = byHand(batch);
  if (ours.errors.length !== theirs.failed)
    throw new Error(`${ours.errors.length} errors beside ${theirs.failed}`);
  theirs.columns.forEach((row, index) => {
    for (const [id, expected] of Object.entries(row)) {
      const got = ours.columns[id]?.[index];
      const isClose = typeof got === 'number' && Math.abs(got - Number(expected)) < 0.011;
      if (got !== expected && !isClose) throw new Error(`${id}: ${String(got)} beside ${String(expected)}`);
    }
  });
}

const residentMb = (): number => process.memoryUsage.rss() / 2 ** 20;

/** Seconds of the work alone, without making the batches; and the most memory seen. */
async function over(
  count: number,
  work: (batch: RecordBatch) => unknown,
): Promise<{ seconds: number; maxMb: number }> {
  let ms = 0;
  let maxMb = 0;
  for (let from = 0; from < count; from += batchSize) {
    const batch = batchAt(from, Math.min(batchSize, count - from));
    const startedAt = performance.now();
    await work(batch);
    ms += performance.now() - startedAt;
    if (from % (batchSize * 20) === 0) maxMb = Math.max(maxMb, residentMb());
  }
  return { seconds: ms / 1000, maxMb: Math.max(maxMb, residentMb()) };
}

await checkSame();
say(`10 mappings over ${rows} records in batches of ${batchSize}`);
const ours = async (batch: RecordBatch): Promise<unknown> => await plan.run(batch, facts);
const small = await over(10_000, ours);
// Memory before the loop by hand has left its objects in the heap.
const { maxMb } = await over(rows, ours);
// In turn, so that what else the machine does hits both.
const rates: { ours: number; hand: number }[] = [];
for (let round = 0; round < 3; round += 1) {
  const mine = await over(rows, ours);
  const hand = await over(rows, byHand);
  rates.push({ ours: rows / mine.seconds, hand: rows / hand.seconds });
}
const rate = median(rates.map((round) => round.ours));
const handRate = median(rates.map((round) => round.hand));
report({
  name: `10 mappings x ${rows} records, beside a loop by hand`,
  unit: 'rows/s',
  measured: rate,
  limit: handRate,
  bar: 0.334,
  direction: 'atLeast',
});
report({
  name: 'records a second on one core',
  unit: 'rows/s',
  measured: rate,
  limit: rateBar,
  bar: 1,
  direction: 'atLeast',
});
report({
  name: 'resident memory over all records',
  unit: 'MB',
  measured: maxMb,
  limit: memoryBarMb,
  bar: 1,
  note: `${small.maxMb.toFixed(0)} MB over the first 10,000`,
});

const wide = Array.from({ length: 4 }, (_, copy) =>
  mappings.map((item) => ({ ...item, targetField: `${item.targetField}${copy}` })),
).flat();
const wideFields = Array.from({ length: 4 }, (_, copy) =>
  targetFields.map((item) => ({ ...item, id: `${item.id}${copy}` })),
).flat();
const previewBatch = batchAt(0, 1000);
const previews: number[] = [];
for (let round = 0; round < 11; round += 1) {
  const startedAt = performance.now();
  // As the editor does it: compiled anew after each keystroke, with all steps kept.
  const typed = compilePlan({
    mappings: wide,
    sourceOptionId: 's',
    sourceFields,
    targetFields: wideFields,
    zone: 'Europe/Amsterdam',
  });
  await typed.runTraced(previewBatch, facts);
  previews.push(performance.now() - startedAt);
}
report({
  name: 'preview: 1,000 records x 40 mappings, compiled and traced, the first one too',
  unit: 'ms',
  measured: Math.max(...previews),
  limit: previewBarMs,
  bar: 1,
  note: `median ${median(previews).toFixed(0)} ms`,
});
