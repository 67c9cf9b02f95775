import type { Scalar, SimpleSource, TransformArg, TransformFn, Value } from '@sluice/contract';
import { convertScalar } from './convert.ts';
import type { ArgProblem, Args, FunctionEntry, Parameter } from './functions/define.ts';

export function isFieldArg(arg: TransformArg | undefined): arg is { source: SimpleSource } {
  return typeof arg === 'object' && arg !== null && !Array.isArray(arg);
}

const isConstant = (arg: TransformArg): arg is Scalar => arg === null || typeof arg !== 'object';
const isUnset = (arg: TransformArg | undefined): boolean => arg === undefined || arg === null || arg === '';

/** The argument as given, or the parameter's default. */
export function argOf(parameter: Parameter, fn: TransformFn): TransformArg {
  const given = fn.args[parameter.id];
  return given === undefined || given === null ? parameter.defaultValue : given;
}

/** Constant arguments of a step, with the defaults of its function. */
export function argsOf(entry: FunctionEntry, fn: TransformFn, zone: string): Args {
  const values = new Map(entry.parameters.map((parameter) => [parameter.id, argOf(parameter, fn)]));
  const value = (id: string): TransformArg => values.get(id) ?? null;
  const list = (id: string): readonly TransformArg[] => {
    const given = value(id);
    return Array.isArray(given) ? given : given === null ? [] : [given];
  };
  return {
    value,
    has: (id) => !isUnset(values.get(id)),
    text: (id) => {
      const given = value(id);
      return isConstant(given) && given !== null ? String(given) : '';
    },
    number: (id) => {
      const given = value(id);
      const converted = isConstant(given) ? convertScalar(given, 'float64', zone) : null;
      return converted?.isOk && converted.value !== null ? Number(converted.value) : null;
    },
    flag: (id) => value(id) === true || value(id) === 'true',
    values: (id) => list(id).filter(isConstant),
    pairs: (id) =>
      list(id).flatMap((pair) =>
        Array.isArray(pair) && pair.length === 2 && pair.every(isConstant)
          ? [[pair[0] ?? null, pair[1] ?? null] as const]
          : [],
      ),
    table: fn.translationTable,
    zone,
  };
}

/** Are all mandatory arguments there? A step without them makes the next one say so too (XFORM-04). */
export const isConfigured = (entry: FunctionEntry, fn: TransformFn): boolean =>
  entry.parameters.every((parameter) => !parameter.isMandatory || !isUnset(fn.args[parameter.id])) &&
  (!entry.hasTranslationTable || fn.translationTable !== undefined);

/** What is wrong with the arguments of a step: which, and how. */
export function checkArgs(entry: FunctionEntry, fn: TransformFn, zone: string): ArgProblem[] {
  const problems: ArgProblem[] = [];
  const known = new Set(entry.parameters.map((parameter) => parameter.id));
  for (const name of Object.keys(fn.args))
    if (!known.has(name)) problems.push({ code: 'unknownArg', params: { name } });
  for (const parameter of entry.parameters) {
    const given = fn.args[parameter.id];
    if (isUnset(given)) {
      if (parameter.isMandatory) problems.push({ code: 'missingArg', params: { name: parameter.id } });
      continue;
    }
    const fault = checkArg(parameter, given ?? null, zone);
    if (fault) problems.push({ code: fault, params: { name: parameter.id, value: shown(given ?? null) } });
  }
  if (entry.hasTranslationTable && !fn.translationTable) problems.push({ code: 'missingTable', params: {} });
  if (problems.length === 0) {
    const found = entry.check?.(argsOf(entry, fn, zone));
    if (found) problems.push(found);
  }
  return problems;
}

const shown = (arg: TransformArg): Value => (isConstant(arg) ? arg : JSON.stringify(arg));

function checkArg(parameter: Parameter, arg: TransformArg, zone: string): string | null {
  if (parameter.list === 'pairs') {
    const isPairs =
      Array.isArray(arg) &&
      arg.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isConstant));
    return isPairs ? null : 'argNotPairs';
  }
  if (parameter.list === 'values') {
    if (!Array.isArray(arg)) return 'argNotList';
    return arg.map((item) => checkOne(parameter, item, zone)).find((code) => code !== null) ?? null;
  }
  return checkOne(parameter, arg, zone);
}

function checkOne(parameter: Parameter, arg: TransformArg, zone: string): string | null {
  if (isFieldArg(arg)) return parameter.canBeField ? null : 'argNotConstant';
  if (Array.isArray(arg)) return 'argWrongType';
  if (parameter.options && !parameter.options.some((option) => option.value === arg)) return 'argNotOption';
  const type = parameter.dataType;
  if (type === 'any' || type.endsWith('[]')) return null;
  // A date parameter takes a date-time too: functions of dates take both.
  const isFine = convertScalar(arg, type as 'string', zone).isOk;
  return isFine || (type === 'date' && convertScalar(arg, 'datetime', zone).isOk) ? null : 'argWrongType';
}
