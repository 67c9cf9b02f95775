import type {
  DataType,
  FieldDescriptor,
  SimpleSource,
  Source,
  TransformFn,
  Value,
  ValueType,
} from '@sluice/contract';
import { checkArgs, isConfigured } from './args.ts';
import { templateFields } from './chain.ts';
import { resolveField } from './fields.ts';
import type { FunctionEntry } from './functions/define.ts';
import { functionOf } from './functions/index.ts';
import { macroOf } from './macros.ts';
import { compileTable } from './translation.ts';
import type { MappingProblem } from './types.ts';

type Add = (problem: MappingProblem) => void;

const error = (path: string, code: string, params: Record<string, Value> = {}): MappingProblem => ({
  path,
  severity: 'error',
  code,
  params,
});

/** Does a value of that type fit? What is not known at design time is found out in the run. */
function accepts(inputTypes: readonly ValueType[], incoming: ValueType): boolean {
  if (incoming === 'any' || incoming === 'unknown' || inputTypes.includes(incoming)) return true;
  if (incoming.endsWith('[]'))
    return inputTypes.some((type) => type === 'any[]' || (incoming === 'any[]' && type.endsWith('[]')));
  return inputTypes.includes('any');
}

const itemType = (type: ValueType): ValueType =>
  type.endsWith('[]') ? (type.slice(0, -2) as ValueType) : 'any';

/** The type that a function gives back for what came in. */
function returnTypeOf(entry: FunctionEntry, incoming: ValueType, fn: TransformFn): ValueType {
  switch (entry.returnType) {
    case 'input':
      return incoming;
    case 'item':
      return itemType(incoming);
    case 'list':
      return incoming.endsWith('[]') ? incoming : (`${incoming}[]` as ValueType);
    case 'table':
      return fn.translationTable?.returnType ?? 'any';
    default:
      return entry.returnType;
  }
}

export interface TypeContext {
  sourceFields: readonly FieldDescriptor[];
  targetFields: readonly FieldDescriptor[];
  zone: string;
}

function typeOfConstant(value: Value): ValueType {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? 'any[]' : 'any';
}

/** The type of a source; null where it names nothing yet. */
export function typeOfSource(source: Source, context: TypeContext): ValueType | null {
  switch (source.type) {
    case 'sourceValue':
      return resolveField(context.sourceFields, source.field)?.type ?? null;
    case 'targetValue':
      return resolveField(context.targetFields, source.field)?.type ?? null;
    case 'customValue':
      return typeOfConstant(source.value);
    case 'macro': {
      const macro = macroOf(source.macroId);
      if (!macro?.needsField) return macro?.returnType ?? null;
      return resolveField(context.targetFields, source.field ?? '')?.type ?? null;
    }
    case 'responseErrorMessage':
    case 'multiple':
      return 'string';
  }
}

/**
 * Checks the functions of a chain from left to right (decisions Q-XFORM-03); answers the type at its end. `start` null:
 * the source is not chosen yet, which the first function says.
 */
export function checkChain(
  fns: readonly TransformFn[],
  start: ValueType | null,
  path: string,
  context: TypeContext,
  checkSource: (source: SimpleSource, path: string) => void,
  add: Add,
): ValueType {
  let type: ValueType = start ?? 'any';
  let isReady = start !== null;
  fns.forEach((fn, index) => {
    const at = `${path}.transformFns[${index}]`;
    const entry = functionOf(fn.fnId);
    if (!isReady) add(error(at, 'previousNotConfigured'));
    if (!entry) {
      add(error(at, 'functionUnavailable', { function: fn.fnId }));
      [type, isReady] = ['any', true];
      return;
    }
    if (isReady && !accepts(entry.inputTypes, type)) {
      add(error(at, 'unsupportedInput'));
      add(error(at, 'typeMismatch', { expected: entry.inputTypes.join(' | '), incoming: type }));
    }
    for (const { code, params } of checkArgs(entry, fn, context.zone)) add(error(at, code, params));
    checkFieldArgs(fn, at, context, checkSource, add);
    if (fn.translationTable) checkTable(fn.translationTable, at, context.zone, add);
    isReady = isConfigured(entry, fn);
    type = isReady ? returnTypeOf(entry, type, fn) : 'any';
  });
  return type;
}

function checkFieldArgs(
  fn: TransformFn,
  path: string,
  { sourceFields }: TypeContext,
  checkSource: (source: SimpleSource, path: string) => void,
  add: Add,
): void {
  for (const [name, arg] of Object.entries(fn.args)) {
    const items = Array.isArray(arg) ? arg : [arg];
    items.forEach((item, index) => {
      if (typeof item === 'object' && item !== null && !Array.isArray(item))
        checkSource(item.source, `${path}.args.${name}${Array.isArray(arg) ? `[${index}]` : ''}`);
    });
  }
  if (fn.fnId !== 'template') return;
  for (const field of templateFields(fn))
    if (!resolveField(sourceFields, field)) add(error(path, 'unknownSourceField', { field }));
}

function checkTable(
  table: NonNullable<TransformFn['translationTable']>,
  path: string,
  zone: string,
  add: Add,
): void {
  const at = `${path}.translationTable`;
  for (const { row, code, value } of compileTable(table, zone).problems)
    add(error(`${at}.rows[${row}]`, code, { row: row + 1, value }));
  if (table.notFound === 'default' && (table.defaultValue === null || table.defaultValue === ''))
    add(error(at, 'defaultNeeded'));
  if (table.notFound === 'passthrough' && !canConvert(table.inputType, table.returnType)) {
    const { inputType, returnType } = table;
    add(error(at, 'passthroughTypes', { inputType, returnType }));
  }
}

const numbers: readonly ValueType[] = ['int', 'uint', 'nonFormattableInt', 'float64'];

/** Can any value of the one type be one of the other? Whether all of them are is found out in the run. */
export function canConvert(from: ValueType, to: DataType): boolean {
  if (from.endsWith('[]')) return false;
  if (from === 'any' || from === 'unknown' || from === 'string' || from === to || to === 'string')
    return true;
  if (numbers.includes(from)) return numbers.includes(to) || to === 'bool';
  return (from === 'date' && to === 'datetime') || (from === 'datetime' && (to === 'date' || to === 'time'));
}
