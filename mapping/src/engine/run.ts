import { filledColumn, newColumn } from './column.ts';
import type { Value } from '@sluice/contract';
import { textOf } from './convert.ts';
import type { CompiledChain, CompiledStep } from './chain.ts';
import type { Step } from './functions/define.ts';
import type { MergePattern } from './merge.ts';
import type { Column, RecordBatch, RecordError, RunContext } from './types.ts';

/** Told of the column after every step, where a trace is wanted. */
export type Recorder = (fnId: string, path: string, values: Column) => void;

/** One mapping over one batch: what failed, what is left alone. */
export class MappingRun {
  readonly failed: Uint8Array;
  left: Uint8Array | null = null;
  readonly errors: RecordError[] = [];
  readonly batch: RecordBatch;
  readonly context: RunContext;
  private readonly targetField: string;

  constructor(batch: RecordBatch, context: RunContext, targetField: string) {
    this.batch = batch;
    this.context = context;
    this.targetField = targetField;
    this.failed = new Uint8Array(batch.size);
  }

  /** The first error of a record counts; one whose field is left alone has none. */
  fail(
    row: number,
    path: string,
    fnIndex: number | null,
    input: Value,
    code: string,
    params: Record<string, Value>,
  ): void {
    if (this.failed[row] === 1 || this.left?.[row] === 1) return;
    this.failed[row] = 1;
    this.errors.push({ row, targetField: this.targetField, path, fnIndex, input, code, params });
  }

  leave(row: number): void {
    this.left ??= new Uint8Array(this.batch.size);
    if (this.failed[row] !== 1) this.left[row] = 1;
  }
}

/** What a function sees of one step. */
class StepRun implements Step {
  readonly size: number;
  private readonly run: MappingRun;
  private readonly step: CompiledStep;
  private readonly input: Column;
  private readonly batch: RecordBatch;
  private readonly offset: number;

  constructor(run: MappingRun, step: CompiledStep, input: Column, batch: RecordBatch, offset: number) {
    this.run = run;
    this.step = step;
    this.input = input;
    this.batch = batch;
    this.offset = offset;
    this.size = batch.size;
  }

  get facts(): RunContext {
    return this.run.context;
  }

  get lookup(): RunContext['lookup'] {
    return this.step.asks ? this.run.context.lookup : undefined;
  }

  fail(row: number, code: string, params: Record<string, Value> = {}): Value {
    const { onError, path, index } = this.step;
    if (onError !== undefined) return onError;
    this.run.fail(row + this.offset, path, index, this.input[row] ?? null, code, params);
    return null;
  }

  leave(row: number): void {
    this.run.leave(row + this.offset);
  }

  operand(id: string): Column {
    return this.step.operands.get(id)?.(this.batch, this.run.context) ?? [];
  }

  operands(id: string): readonly Column[] {
    return (this.step.lists.get(id) ?? []).map((load) => load(this.batch, this.run.context));
  }

  sourceColumn(field: string): Column {
    return this.operand(`field:${field}`);
  }
}

async function runStep(run: MappingRun, step: CompiledStep, input: Column): Promise<Column> {
  let result: Value[] | Promise<Value[]>;
  try {
    result = step.run(input, new StepRun(run, step, input, run.batch, 0));
  } catch {
    result = oneByOne(run, step, input);
  }
  return Array.isArray(result) ? result : await result;
}

/** A function that throws has a fault of ours; still only the records whose values do it fail. */
function oneByOne(run: MappingRun, step: CompiledStep, input: Column): Value[] {
  return input.map((value, row) => {
    const alone = new StepRun(run, step, [value], sliceBatch(run.batch, row), row);
    try {
      const result = step.run([value], alone);
      return Array.isArray(result) ? (result[0] ?? null) : null;
    } catch (error) {
      return alone.fail(0, 'functionFailed', {
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  });
}

function merge(pattern: MergePattern, parts: readonly Column[], size: number): Value[] {
  const { literals, indexes } = pattern;
  const out = newColumn(size);
  for (let row = 0; row < size; row += 1) {
    let text = literals[0] ?? '';
    let isBlank = true;
    for (let place = 0; place < indexes.length; place += 1) {
      const value = textOf(parts[indexes[place] ?? 0]?.[row] ?? null);
      if (value !== null) isBlank = false;
      text += (value ?? '') + (literals[place + 1] ?? '');
    }
    out[row] = isBlank ? null : text;
  }
  return out;
}

/** The column that a chain makes. */
export async function runChain(
  run: MappingRun,
  chain: CompiledChain,
  recorder: Recorder | null,
): Promise<Column> {
  const { size } = run.batch;
  let column: Column;
  if (chain.fault) {
    const { code, params } = chain.fault;
    for (let row = 0; row < size; row += 1) run.fail(row, chain.path, null, null, code, params);
    column = filledColumn(size, null);
  } else if (chain.merge) {
    const parts: Column[] = [];
    for (const part of chain.merge.parts) parts.push(await runChain(run, part, recorder));
    column = merge(chain.merge.pattern, parts, size);
    recorder?.('merge', chain.path, column);
  } else {
    column = chain.load(run.batch, run.context);
    recorder?.('source', chain.path, column);
  }
  for (const step of chain.steps) {
    column = await runStep(run, step, column);
    recorder?.(step.fnId, step.path, column);
  }
  return column;
}

const at = <T>(values: readonly T[] | undefined, row: number): readonly T[] | undefined =>
  values === undefined ? undefined : values.slice(row, row + 1);
const columnsAt = <T>(
  columns: Readonly<Record<string, readonly T[]>>,
  row: number,
): Record<string, readonly T[]> =>
  Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values.slice(row, row + 1)]));

/** One record as a batch. */
export function sliceBatch(batch: RecordBatch, row: number): RecordBatch {
  return {
    size: 1,
    keys: batch.keys.slice(row, row + 1),
    columns: columnsAt(batch.columns, row),
    targets: batch.targets && columnsAt(batch.targets, row),
    targetKeys: at(batch.targetKeys, row),
    rowNumbers: at(batch.rowNumbers, row),
    isLinked: at(batch.isLinked, row),
    operations: at(batch.operations, row),
    outcomes: at(batch.outcomes, row),
  };
}
