import type { DataType, FieldDescriptor, Mapping, TransformFn, Value } from '@sluice/contract';
import { fieldOf } from '@sluice/contract/test-support';
import { compilePlan } from '../plan.ts';
import type { RecordBatch, RunContext } from '../types.ts';

export const field = (
  id: string,
  dataType: DataType = 'string',
  extra: Partial<FieldDescriptor> = {},
): FieldDescriptor => fieldOf(id, { dataType, ...extra });

export const facts: RunContext = { now: '2026-11-21T22:30:00Z', zone: 'Europe/Amsterdam', language: 'EN' };

/** A mapping of the only source `s`. */
export const mapping = (
  targetField: string,
  source: Mapping['mappingSources'][number]['source'],
  transformFns: Mapping['mappingSources'][number]['transformFns'] = [],
  extra: Partial<Mapping> = {},
): Mapping => ({
  targetField,
  group: 'optional',
  isUnique: false,
  ignoreOnLaterRuns: false,
  defaultValue: null,
  mappingSources: [{ sourceOptionId: 's', source, transformFns }],
  ...extra,
});

export const batchOf = (columns: Record<string, Value[]>, extra: Partial<RecordBatch> = {}): RecordBatch => {
  const size = Math.max(0, ...Object.values(columns).map((column) => column.length));
  return { size, keys: Array.from({ length: size }, (_, row) => `k${row + 1}`), columns, ...extra };
};

/** What functions make of one value, or the code of the error. The target takes any value as it is. */
export async function applied(
  fns: TransformFn[],
  value: Value,
  columns: Record<string, Value[]> = {},
): Promise<Value> {
  const plan = compilePlan({
    mappings: [mapping('t', { type: 'sourceValue', field: 'v' }, fns)],
    sourceOptionId: 's',
    sourceFields: [field('v', 'unknown'), ...Object.keys(columns).map((id) => field(id, 'unknown'))],
    targetFields: [field('t', 'unknown')],
    zone: facts.zone,
  });
  const { steps, result } = await plan.runTraced(batchOf({ v: [value], ...columns }), facts);
  const [error] = result.errors;
  const atFunction = error !== undefined && error.fnIndex !== null;
  if (atFunction) return `!${error.code}`;
  if (result.left.t?.[0] === 1) return '!left';
  return steps.findLast((step) => step.path.includes('transformFns'))?.values[0] ?? null;
}
