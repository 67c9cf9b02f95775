import { newColumn } from '../column.ts';
import type {
  FnGroup,
  ReturnType,
  Scalar,
  TransformArg,
  TranslationTable,
  Value,
  ValueType,
  RunFacts,
} from '@sluice/contract';
import type { Column, Lookup, LookupRequest, Texts } from '../types.ts';

/** EN and NL. */
export const t = (EN: string, NL: string): Texts => ({ EN, NL });

export interface Parameter {
  id: string;
  label: Texts;
  dataType: ValueType;
  isMandatory: boolean;
  defaultValue: Scalar | Scalar[];
  options: readonly { value: Scalar; label: Texts }[] | null;
  canBeField: boolean;
  list: 'values' | 'pairs' | null;
  /** The argument is chosen from what a system has: a collection, or a field of the one chosen before it. */
  picks: { what: 'collection' | 'field'; system: LookupRequest['system'] } | null;
}

export interface Example {
  input: Value;
  args: Record<string, TransformArg>;
  output: Value;
}

/** What a function may use while it runs over a batch. */
export interface Step {
  size: number;
  facts: RunFacts;
  lookup: Lookup | undefined;
  /**
   * Marks the record as failed at this step, unless `onError` of the step says otherwise; answers the value to go on
   * with. Of a record that failed before nothing is noted.
   */
  fail(row: number, code: string, params?: Record<string, Value>): Value;
  /** The target field is left as it is in this record. */
  leave(row: number): void;
  /** Values of a parameter that may be a field. */
  operand(id: string): Column;
  /** Values of a parameter that is a list. */
  operands(id: string): readonly Column[];
  /** Values of a field of the source record. */
  sourceColumn(field: string): Column;
}

/** A column in, a column out. */
export type ColumnFunction = (input: Column, step: Step) => Value[] | Promise<Value[]>;

/** Constant arguments of one step, defaults applied. Of arguments that are fields there is nothing here. */
export interface Args {
  /** '' where there is none. */
  text(id: string): string;
  /** Null where there is none or it is no number. */
  number(id: string): number | null;
  flag(id: string): boolean;
  value(id: string): TransformArg;
  /** Constants of a list; fields in it are left out. */
  values(id: string): readonly Scalar[];
  pairs(id: string): readonly (readonly [Scalar, Scalar])[];
  /** Was it given at all? */
  has(id: string): boolean;
  table: TranslationTable | undefined;
  /** Of the plan: IANA name. */
  zone: string;
}

export interface ArgProblem {
  code: string;
  params: Record<string, Value>;
}

/** One transform function: what the editor, the type check, the documentation and the tests are made from. */
export interface FunctionEntry {
  id: string;
  group: FnGroup;
  label: Texts;
  help: Texts;
  parameters: readonly Parameter[];
  inputTypes: readonly ValueType[];
  returnType: ReturnType;
  /** Gets empty values too. The others give back empty for empty without being asked. */
  handlesEmpty: boolean;
  hasTranslationTable: boolean;
  /** Asks cached collections: only such a function is given `lookup`, as its answer depends on when it is asked. */
  asks: boolean;
  examples: readonly Example[];
  /** Called once when a plan is compiled. */
  apply(args: Args): ColumnFunction;
  /** Faults of constant arguments that their types do not show. */
  check?: ((args: Args) => ArgProblem | null) | undefined;
}

interface Definition {
  id: string;
  label: Texts;
  help: Texts;
  in: readonly ValueType[];
  out: ReturnType;
  parameters?: readonly Parameter[];
  /** Adds the parameter `onError`. */
  canFail?: boolean;
  handlesEmpty?: boolean;
  hasTranslationTable?: boolean;
  asks?: boolean;
  examples: readonly Example[];
  apply: (args: Args) => ColumnFunction;
  check?: (args: Args) => ArgProblem | null;
}

export function define(group: FnGroup, definition: Definition): FunctionEntry {
  const parameters = [...(definition.parameters ?? [])];
  if (definition.canFail) parameters.push(onError);
  return {
    id: definition.id,
    group,
    label: definition.label,
    help: definition.help,
    parameters,
    inputTypes: definition.in,
    returnType: definition.out,
    handlesEmpty: definition.handlesEmpty ?? false,
    hasTranslationTable: definition.hasTranslationTable ?? false,
    asks: definition.asks ?? false,
    examples: definition.examples,
    apply: definition.apply,
    check: definition.check,
  };
}

export const example = (input: Value, args: Record<string, TransformArg>, output: Value): Example => ({
  input,
  args,
  output,
});

interface ParameterOptions {
  default?: Scalar | Scalar[];
  canBeField?: boolean;
  options?: readonly [value: Scalar, label: Texts][];
  list?: 'values' | 'pairs';
  picks?: Parameter['picks'];
}

/** A parameter without a default is mandatory. */
export function parameter(
  id: string,
  dataType: ValueType,
  label: Texts,
  options: ParameterOptions = {},
): Parameter {
  return {
    id,
    label,
    dataType,
    isMandatory: options.default === undefined,
    defaultValue: options.default ?? null,
    options: options.options?.map(([value, name]) => ({ value, label: name })) ?? null,
    canBeField: options.canBeField ?? false,
    list: options.list ?? null,
    picks: options.picks ?? null,
  };
}

const onError = parameter(
  'onError',
  'string',
  t("If it fails: 'error', 'empty' or a value", "Als het mislukt: 'error', 'empty' of een waarde"),
  { default: 'error' },
);

/** Types by what people call them. */
export const textTypes: readonly ValueType[] = ['string', 'uuid', 'unknown'];
export const numberTypes: readonly ValueType[] = ['float64', 'int', 'uint', 'nonFormattableInt'];
export const dateTypes: readonly ValueType[] = ['date', 'datetime'];
export const anyType: readonly ValueType[] = ['any'];
export const anyOrList: readonly ValueType[] = ['any', 'any[]'];
export const listTypes: readonly ValueType[] = ['any[]'];

export const isEmpty = (value: Value | undefined): value is null | '' | undefined =>
  value === null || value === '' || value === undefined;

/** Text is composed (NFC) only where a character above U+02FF could combine with the one before it. */
export const composed = (text: string): string =>
  /[\u0300-\uffff]/.test(text) ? text.normalize('NFC') : text;

/** One text at a time, composed; anything else fails. Empty stays empty. */
export function mapText(compute: (text: string, row: number, step: Step) => Value): ColumnFunction {
  return (input, step) => {
    const out = newColumn(step.size);
    for (let row = 0; row < step.size; row += 1) {
      const value = input[row];
      if (value === null || value === undefined || value === '') out[row] = null;
      else if (typeof value !== 'string') out[row] = step.fail(row, 'notText');
      else out[row] = compute(composed(value), row, step);
    }
    return out;
  };
}

/** One value at a time, whatever its type. Empty stays empty. */
export function mapValue(compute: (value: Value, row: number, step: Step) => Value): ColumnFunction {
  return (input, step) => {
    const out = newColumn(step.size);
    for (let row = 0; row < step.size; row += 1) {
      const value = input[row] ?? null;
      out[row] = value === null || value === '' ? null : compute(value, row, step);
    }
    return out;
  };
}

/** One value at a time, the empty ones too (as null). */
export function mapAll(compute: (value: Value, row: number, step: Step) => Value): ColumnFunction {
  return (input, step) => {
    const out = newColumn(step.size);
    for (let row = 0; row < step.size; row += 1) {
      const value = input[row];
      out[row] = compute(value === undefined || value === '' ? null : value, row, step);
    }
    return out;
  };
}

/** One list at a time. */
export function mapList(compute: (list: readonly Value[], row: number, step: Step) => Value): ColumnFunction {
  return mapValue((value, row, step) =>
    Array.isArray(value) ? compute(value, row, step) : step.fail(row, 'notAList'),
  );
}
