import { newColumn } from './column.ts';
import type { FieldDescriptor, Mapping, Value } from '@sluice/contract';
import { isSameValue, leafFields } from '../values.ts';
import { compileChain, type ChainContext, type CompiledChain } from './chain.ts';
import { convertToField } from './convert.ts';
import { compileRules } from './rules.ts';
import { MappingRun, runChain, sliceBatch, type Recorder } from './run.ts';
import type {
  Column,
  FieldTrace,
  Plan,
  PlanInput,
  PlanResult,
  RecordBatch,
  RunContext,
  StepColumn,
} from './types.ts';

interface CompiledMapping {
  mapping: Mapping;
  path: string;
  chain: CompiledChain;
  field: FieldDescriptor | undefined;
  rules: ReturnType<typeof compileRules>;
}

/**
 * Compiles mappings for the records of one source collection; what is wrong with them fails each record at its place
 * (`checkMappings` says it before). A plan has no state: several batches may run at once.
 */
export function compilePlan(input: PlanInput): Plan {
  const context: ChainContext = {
    sourceFields: input.sourceFields,
    targetFields: input.targetFields,
    zone: input.zone,
    readSource: new Set(),
    readTarget: new Set(),
  };
  const fields = new Map(
    leafFields(input.writtenFields ?? input.targetFields).map((field) => [field.id, field]),
  );
  const compiled = input.mappings.flatMap((mapping, index): CompiledMapping[] => {
    const at = mapping.mappingSources.findIndex((entry) => entry.sourceOptionId === input.sourceOptionId);
    const entry = mapping.mappingSources[at];
    if (!entry) return [];
    const path = `${input.path ?? 'mappings'}[${index}]`;
    const field = fields.get(mapping.targetField);
    const chain = compileChain(entry, `${path}.mappingSources[${at}]`, context);
    return [{ mapping, path, chain, field, rules: field ? compileRules(field) : null }];
  });
  const unique = compiled.filter(({ mapping }) => mapping.isUnique);

  const plan: Plan = {
    targetFields: compiled.map(({ mapping }) => mapping.targetField),
    uniqueFields: unique.map(({ mapping }) => mapping.targetField),
    sourceFields: [...context.readSource],
    readTargetFields: [...context.readTarget],
    run: async (batch, run) => await execute(compiled, batch, inZone(run, input.zone), null),
    matchKeys: async (batch, run) => await execute(unique, batch, inZone(run, input.zone), null),
    runTraced: async (batch, run) => {
      const steps: StepColumn[] = [];
      const result = await execute(compiled, batch, inZone(run, input.zone), steps);
      return { result, steps };
    },
    trace: async (batch, row, run) => {
      const traced = await plan.runTraced(sliceBatch(batch, row), run);
      return tracesOf(traced, sliceBatch(batch, row), 0, row);
    },
  };
  return plan;
}

const inZone = (context: RunContext, zone: string): RunContext => ({ ...context, zone });

/** What a traced run says of one record. `shownRow` is the row that its errors name. */
export function tracesOf(
  { result, steps }: { result: PlanResult; steps: readonly StepColumn[] },
  batch: RecordBatch,
  row: number,
  shownRow = row,
): FieldTrace[] {
  return Object.keys(result.columns).map((targetField) => {
    const error = result.errors.find((item) => item.row === row && item.targetField === targetField);
    return {
      targetField,
      value: result.columns[targetField]?.[row] ?? null,
      oldValue: batch.targets?.[targetField]?.[row] ?? null,
      isLeft: result.left[targetField]?.[row] === 1,
      steps: steps
        .filter((step) => step.targetField === targetField)
        .map(({ fnId, path, values }) => ({ fnId, path, value: values[row] ?? null })),
      error: error ? { ...error, row: shownRow } : null,
    };
  });
}

async function execute(
  compiled: readonly CompiledMapping[],
  batch: RecordBatch,
  context: RunContext,
  steps: StepColumn[] | null,
): Promise<PlanResult> {
  const result: PlanResult = {
    size: batch.size,
    columns: {},
    left: {},
    errors: [],
    failed: new Uint8Array(batch.size),
  };
  const runs: MappingRun[] = [];
  for (const { mapping, path, chain, field } of compiled) {
    const { targetField } = mapping;
    const run = new MappingRun(batch, context, targetField);
    if (mapping.ignoreOnLaterRuns)
      for (let row = 0; row < batch.size; row += 1) if (batch.isLinked?.[row] === true) run.leave(row);
    const record: Recorder | null =
      steps && ((fnId, place, values) => steps.push({ targetField, fnId, path: place, values }));
    let column = await runChain(run, chain, record);
    if (mapping.defaultValue !== null && mapping.defaultValue !== '') {
      column = withDefault(column, mapping.defaultValue);
      record?.('default', path, column);
    }
    const converted = convertColumn(run, field, column, path, chain, targetField);
    record?.('convert', path, converted);
    if (mapping.isUnique)
      for (let row = 0; row < batch.size; row += 1)
        if (converted[row] === null) run.fail(row, path, null, null, 'emptyKey', {});
    result.columns[targetField] = converted;
    if (run.left) result.left[targetField] = run.left;
    runs.push(run);
  }
  compiled.forEach((mapping, index) => {
    const run = runs[index];
    if (run) checkRules(mapping, run, result, batch);
  });
  for (const run of runs)
    for (const error of run.errors) {
      result.errors.push(error);
      result.failed[error.row] = 1;
    }
  return result;
}

function withDefault(column: Column, value: Value): Column {
  const out = newColumn(column.length);
  for (let row = 0; row < column.length; row += 1) {
    const given = column[row] ?? null;
    out[row] = given === null || given === '' ? value : given;
  }
  return out;
}

/** The type of a value that needs no conversion at all, by what `typeof` says. */
function plainTypeOf(field: FieldDescriptor): 'string' | 'number' | 'boolean' | null {
  if (field.kind !== 'field') return null;
  if (field.dataType === 'string' || field.dataType === undefined) return 'string';
  if (field.dataType === 'float64') return 'number';
  return field.dataType === 'bool' ? 'boolean' : null;
}

function convertColumn(
  run: MappingRun,
  field: FieldDescriptor | undefined,
  column: Column,
  path: string,
  chain: CompiledChain,
  targetField: string,
): Value[] {
  const { size } = run.batch;
  const out = newColumn(size);
  if (!field) {
    for (let row = 0; row < size; row += 1)
      run.fail(row, path, null, null, 'unknownTargetField', { field: targetField });
    return out.fill(null);
  }
  const plainType = plainTypeOf(field);
  for (let row = 0; row < size; row += 1) {
    const value = column[row] ?? null;
    if (value === null || value === '' || run.failed[row] === 1 || run.left?.[row] === 1) out[row] = null;
    else if (typeof value === plainType && (typeof value !== 'string' || !value.includes('\u0000')))
      out[row] = value;
    else {
      const converted = convertToField(field, value, run.context.zone);
      if (!converted.isOk) run.fail(row, chain.path, null, value, converted.code, {});
      out[row] = converted.isOk ? converted.value : null;
    }
  }
  return out;
}

function checkRules(
  { field, rules, path, mapping }: CompiledMapping,
  run: MappingRun,
  result: PlanResult,
  batch: RecordBatch,
): void {
  const column = result.columns[mapping.targetField];
  if (!field || !rules || !column) return;
  for (let row = 0; row < batch.size; row += 1) {
    const value = column[row] ?? null;
    if (run.failed[row] === 1 || run.left?.[row] === 1 || rules.isSurelyFine(value)) continue;
    const isNew = (batch.targetKeys?.[row] ?? null) === null;
    const [violation] = rules.check(value, (id) => valueOf(id, row, result, batch), isNew);
    if (!violation) continue;
    const params = {
      ...violation.params,
      rule: violation.code,
      field: violation.params.field ?? violation.field,
    };
    run.fail(row, path, null, value, 'rule', params);
  }
}

/** The record as it will be: mapped values, otherwise those of the target; undefined = not known here. */
function valueOf(id: string, row: number, result: PlanResult, batch: RecordBatch): Value | undefined {
  const column = result.columns[id];
  return column && result.left[id]?.[row] !== 1 ? column[row] : batch.targets?.[id]?.[row];
}

/**
 * Target fields of a record whose mapped value differs from the current one (decisions Q-MAP-10). `current` undefined =
 * a new record: all mapped values that are not empty.
 */
export function changesOf(
  result: PlanResult,
  row: number,
  current: ((field: string) => Value | undefined) | undefined,
): Record<string, Value> {
  const changes: Record<string, Value> = {};
  for (const [field, column] of Object.entries(result.columns)) {
    if (result.left[field]?.[row] === 1) continue;
    const value = column[row] ?? null;
    if (current ? !isSameValue(value, current(field) ?? null) : value !== null) changes[field] = value;
  }
  return changes;
}
