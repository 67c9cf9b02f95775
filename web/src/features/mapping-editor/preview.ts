import type { EndMetadata, Mapping, RunFacts, Scalar, Value } from '@sluice/contract';
import {
  compilePlan,
  isMixedBase64,
  type Lookup,
  type LookupAnswer,
  type RecordBatch,
  type RecordError,
  type RunContext,
  type StepColumn,
} from '@sluice/mapping/engine';

/** Source records to compute over, as the server sends them. */
export interface Samples {
  keys: readonly string[];
  records: readonly Readonly<Record<string, Value>>[];
  targets: readonly (Readonly<Record<string, Value>> | null)[];
  targetKeys: readonly (string | null)[];
  /** Of a test run. */
  facts: RunFacts;
}

export interface PreviewInput {
  mappings: readonly Mapping[];
  source: EndMetadata;
  targetFields: EndMetadata['fields'];
  /** Fields that get the values; those of the source in source updates. */
  writtenFields: EndMetadata['fields'];
  samples: Samples;
  /** What source updates are told of the push. */
  outcome: { status: string; errorText: string | null } | null;
  chosen: string | null;
  zone: string;
  lookup: Lookup;
}

interface FieldCounts {
  ok: number;
  empty: number;
  error: number;
  /** Some of the values are files in base64, others are not (MAP-17). */
  isMixed: boolean;
  longest: number;
}

export interface Preview {
  size: number;
  counts: ReadonlyMap<string, FieldCounts>;
  /** Of the chosen field. */
  values: readonly Value[];
  errors: ReadonlyMap<number, RecordError>;
  left: ReadonlySet<number>;
  steps: readonly StepColumn[];
  failedRecords: number;
  tookMs: number;
}

/** Records a slice: short enough for typing to go on in between. */
const SLICE = 125;
const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

const batchesOf = ({ samples, source, targetFields, outcome }: PreviewInput): RecordBatch[] => {
  const { keys, records, targets, targetKeys } = samples;
  const batches: RecordBatch[] = [];
  for (let from = 0; from < keys.length; from += SLICE) {
    const rows = Array.from({ length: Math.min(SLICE, keys.length - from) }, (_, index) => from + index);
    const columns = (
      fields: EndMetadata['fields'],
      of: readonly (Readonly<Record<string, Value>> | null)[],
    ): Record<string, Value[]> =>
      Object.fromEntries(fields.map(({ path }) => [path, rows.map((row) => of[row]?.[path] ?? null)]));
    batches.push({
      size: rows.length,
      keys: rows.map((row) => keys[row] ?? ''),
      columns: columns(source.fields, records),
      targets: columns(targetFields, targets),
      targetKeys: rows.map((row) => targetKeys[row] ?? null),
      isLinked: rows.map((row) => outcome === null && (targets[row] ?? null) !== null),
      rowNumbers: rows.map((row) => row + 1),
      operations: rows.map((row) => ((targets[row] ?? null) === null ? 'insert' : 'update')),
      ...(outcome
        ? {
            outcomes: rows.map((row) => ({
              ...outcome,
              errorCode: null,
              createdKey: targetKeys[row] ?? null,
            })),
          }
        : {}),
    });
  }
  return batches;
};

const lengthOf = (value: Value): number => (typeof value === 'string' ? [...value].length : 0);

/**
 * The mappings over the samples, slice by slice so that the page stays alive; null when it was aborted. The same engine
 * as a run, so that what is shown is what will be.
 */
export const computePreview = async (input: PreviewInput, signal: AbortSignal): Promise<Preview | null> => {
  const startedAt = performance.now();
  const base = {
    sourceOptionId: input.source.option.id,
    sourceFields: input.source.fields,
    targetFields: input.targetFields,
    writtenFields: input.writtenFields,
    zone: input.zone,
  };
  const plan = compilePlan({ ...base, mappings: input.mappings });
  const chosenAt = input.mappings.findIndex(({ targetField }) => targetField === input.chosen);
  const traced = compilePlan({ ...base, mappings: input.mappings.filter((_, index) => index === chosenAt) });
  const context: RunContext = { ...input.samples.facts, lookup: input.lookup };
  const counts = new Map(
    plan.targetFields.map((field) => [
      field,
      { ok: 0, empty: 0, error: 0, isMixed: false, longest: 0, values: new Array<Value>() },
    ]),
  );
  const steps = new Map<string, StepColumn & { values: Value[] }>();
  const errors = new Map<number, RecordError>();
  const left = new Set<number>();
  let failedRecords = 0;
  let from = 0;
  for (const batch of batchesOf(input)) {
    await breathe();
    if (signal.aborted) return null;
    const result = await plan.run(batch, context);
    const trace = await traced.runTraced(batch, context);
    for (const failed of result.failed) failedRecords += failed;
    const wrong = new Map<string, Set<number>>();
    for (const error of result.errors) {
      wrong.set(error.targetField, (wrong.get(error.targetField) ?? new Set()).add(error.row));
      if (error.targetField === input.chosen && !errors.has(from + error.row))
        errors.set(from + error.row, { ...error, row: from + error.row });
    }
    for (const [field, count] of counts) {
      const bad = wrong.get(field);
      for (let row = 0; row < batch.size; row += 1) {
        const value = bad?.has(row) ? null : (result.columns[field]?.[row] ?? null);
        count.values.push(value);
        if (bad?.has(row)) count.error += 1;
        else if (value === null || value === '') count.empty += 1;
        else count.ok += 1;
        count.longest = Math.max(count.longest, lengthOf(value));
        if (field === input.chosen && result.left[field]?.[row] === 1) left.add(from + row);
      }
    }
    trace.steps.forEach((step, index) => {
      const id = `${index}:${step.path}:${step.fnId}`;
      const kept = steps.get(id);
      if (kept) kept.values.push(...step.values);
      else {
        const path = step.path.replace('mappings[0]', `mappings[${chosenAt}]`);
        steps.set(id, { ...step, path, values: [...step.values] });
      }
    });
    from += batch.size;
  }
  return {
    size: from,
    counts: new Map(
      [...counts].map(([field, { values, ...count }]) => [
        field,
        { ...count, isMixed: isMixedBase64(values) },
      ]),
    ),
    values: counts.get(input.chosen ?? '')?.values ?? [],
    errors,
    left,
    steps: [...steps.values()],
    failedRecords,
    tookMs: performance.now() - startedAt,
  };
};

/** What lookups answered, kept: typing asks for the same keys again and again. */
export const rememberLookups = (ask: Lookup): Lookup => {
  const titles = new Map<string, LookupAnswer['title']>();
  const known = new Map<string, Map<Scalar, readonly Value[]>>();
  return async (request, keys) => {
    const name = JSON.stringify(request);
    const found = known.get(name) ?? new Map<Scalar, readonly Value[]>();
    known.set(name, found);
    const missing = keys.filter((key) => !found.has(key));
    let title = titles.get(name);
    if (missing.length > 0 || !title) {
      const answers = await ask(request, missing);
      ({ title } = answers);
      missing.forEach((key, index) => found.set(key, answers.values[index] ?? []));
      titles.set(name, title);
    }
    return { title, values: keys.map((key) => found.get(key) ?? []) };
  };
};
