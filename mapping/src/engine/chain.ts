import { filledColumn } from './column.ts';
import type {
  FieldDescriptor,
  MappingSource,
  SimpleSource,
  TransformArg,
  TransformFn,
  Value,
  RunFacts,
} from '@sluice/contract';
import { argOf, argsOf, isFieldArg } from './args.ts';
import { convertScalar } from './convert.ts';
import { resolveField } from './fields.ts';
import { functionOf } from './functions/index.ts';
import { parseTemplate } from './functions/text-patterns.ts';
import { mapAll, type ColumnFunction, type FunctionEntry } from './functions/define.ts';
import { macroOf } from './macros.ts';
import { parseMerge, type MergePattern } from './merge.ts';
import type { Column, RecordBatch } from './types.ts';

/** Values of a batch, for a source or an argument. */
type Loader = (batch: RecordBatch, facts: RunFacts) => Column;

export interface CompiledStep {
  fnId: string;
  path: string;
  index: number;
  run: ColumnFunction;
  asks: boolean;
  operands: ReadonlyMap<string, Loader>;
  lists: ReadonlyMap<string, readonly Loader[]>;
  /** What a failing value becomes; undefined = the record fails. */
  onError: Value | undefined;
}

/** One chain: a source and its functions; a merge has chains of its own before them. */
export interface CompiledChain {
  path: string;
  /** A field, macro or merge that is not there: the reason for which every record fails. */
  fault: { code: string; params: Record<string, Value> } | null;
  load: Loader;
  merge: { pattern: MergePattern; parts: readonly CompiledChain[] } | null;
  steps: readonly CompiledStep[];
}

export interface ChainContext {
  sourceFields: readonly FieldDescriptor[];
  targetFields: readonly FieldDescriptor[];
  zone: string;
  /** Collects what is read. */
  readSource: Set<string>;
  readTarget: Set<string>;
}

const empty: Loader = ({ size }) => filledColumn(size, null);
const constant =
  (value: Value): Loader =>
  ({ size }) =>
    filledColumn(size, value);

interface Loaded {
  load: Loader;
  fault: CompiledChain['fault'];
}
const fine = (load: Loader): Loaded => ({ load, fault: null });
const broken = (code: string, params: Record<string, Value>): Loaded => ({
  load: empty,
  fault: { code, params },
});

function compileSource(source: SimpleSource, context: ChainContext): Loaded {
  switch (source.type) {
    case 'sourceValue': {
      const found = resolveField(context.sourceFields, source.field);
      if (!found) return broken('unknownSourceField', { field: source.field });
      context.readSource.add(found.column);
      const { column, into } = found;
      const load: Loader = (batch) => batch.columns[column] ?? empty(batch, {} as RunFacts);
      return fine(into ? (batch, facts) => load(batch, facts).map(into) : load);
    }
    case 'targetValue': {
      const found = resolveField(context.targetFields, source.field);
      if (!found) return broken('unknownTargetField', { field: source.field });
      context.readTarget.add(found.column);
      const { column, into } = found;
      return fine(({ targets, size }) => {
        const values = targets?.[column];
        return Array.from({ length: size }, (_, row) => {
          const value = values?.[row] ?? null;
          return into ? into(value) : value;
        });
      });
    }
    case 'customValue':
      return fine(constant(source.value));
    case 'macro': {
      const macro = macroOf(source.macroId);
      if (!macro) return broken('unknownMacro', { macro: source.macroId });
      const field = source.field ?? '';
      if (macro.id === 'targetValue' && field !== '') context.readTarget.add(field);
      return fine((batch, facts) => macro.column(batch, facts, field));
    }
    case 'responseErrorMessage':
      return fine(({ outcomes, size }) =>
        Array.from({ length: size }, (_, row) => outcomes?.[row]?.errorText ?? null),
      );
  }
}

function compileArg(arg: TransformArg, context: ChainContext): Loaded {
  if (isFieldArg(arg)) return compileSource(arg.source, context);
  return fine(constant(arg));
}

/** A function that does not exist fails every record, at its place. */
const failing =
  (code: string, params: Record<string, Value>): ColumnFunction =>
  (input, step) =>
    mapAll((_, row) => step.fail(row, code, params))(input, step);

function compileStep(fn: TransformFn, path: string, index: number, context: ChainContext): CompiledStep {
  const entry = functionOf(fn.fnId);
  const operands = new Map<string, Loader>();
  const lists = new Map<string, readonly Loader[]>();
  const base = { fnId: fn.fnId, path, index, asks: entry?.asks ?? false, operands, lists };
  if (!entry)
    return { ...base, run: failing('functionUnavailable', { function: fn.fnId }), onError: undefined };
  let fault: Loaded['fault'] = null;
  for (const parameter of entry.parameters) {
    if (!parameter.canBeField) continue;
    const arg = argOf(parameter, fn);
    const items = parameter.list === 'values' ? (Array.isArray(arg) ? arg : []) : [arg];
    const loaded = items.map((item) => compileArg(item, context));
    fault ??= loaded.find((item) => item.fault !== null)?.fault ?? null;
    if (parameter.list === 'values')
      lists.set(
        parameter.id,
        loaded.map((item) => item.load),
      );
    else operands.set(parameter.id, loaded[0]?.load ?? empty);
  }
  if (entry.id === 'template')
    for (const field of templateFields(fn)) {
      const loaded = compileSource({ type: 'sourceValue', field }, context);
      fault ??= loaded.fault;
      operands.set(`field:${field}`, loaded.load);
    }
  const run = fault ? failing(fault.code, fault.params) : entry.apply(argsOf(entry, fn, context.zone));
  return { ...base, run, onError: onErrorOf(entry, fn, context.zone) };
}

/** Names of the source fields in the text of the function `template`. */
export function templateFields(fn: TransformFn): string[] {
  const text = fn.args.template;
  const names = typeof text === 'string' ? (parseTemplate(text)?.names ?? []) : [];
  return [...new Set(names)].filter((name) => name !== 'value');
}

function onErrorOf(entry: FunctionEntry, fn: TransformFn, zone: string): Value | undefined {
  const given = fn.args.onError;
  const takesIt = entry.parameters.some((parameter) => parameter.id === 'onError');
  if (!takesIt || given === undefined || given === null || given === 'error' || typeof given === 'object')
    return undefined;
  if (given === 'empty' || given === '') return null;
  const converted = convertScalar(given, dataTypeOf(entry), zone);
  return converted.isOk ? converted.value : undefined;
}

/** The data type that a replacement value must have; text where that is open. */
function dataTypeOf(entry: FunctionEntry): NonNullable<FieldDescriptor['dataType']> {
  const scalars = ['bool', 'int', 'uint', 'float64', 'uuid', 'date', 'datetime', 'time'] as const;
  return scalars.find((type) => type === entry.returnType) ?? 'string';
}

function compileSteps(fns: readonly TransformFn[], path: string, context: ChainContext): CompiledStep[] {
  return fns.map((fn, index) => compileStep(fn, `${path}.transformFns[${index}]`, index, context));
}

/** Compiles what one mapping does with the records of one source. */
export function compileChain(
  { source, transformFns }: Pick<MappingSource, 'source' | 'transformFns'>,
  path: string,
  context: ChainContext,
): CompiledChain {
  const steps = compileSteps(transformFns, path, context);
  if (source.type !== 'multiple') return { path, ...compileSource(source, context), merge: null, steps };
  const parts = source.mergeSources.map((part, index) =>
    compileChain(part, `${path}.source.mergeSources[${index}]`, context),
  );
  const parsed = parseMerge(source.mergeString, parts.length);
  if (!parsed.isOk) {
    const { fault } = broken(parsed.code, { name: parsed.name });
    return { path, fault, load: empty, merge: null, steps };
  }
  return { path, fault: null, load: empty, merge: { pattern: parsed.pattern, parts }, steps };
}
