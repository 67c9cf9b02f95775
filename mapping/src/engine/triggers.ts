import type {
  FieldDescriptor,
  RecordSelection,
  Scalar,
  Trigger,
  TriggerCondition,
  TriggerOperator,
  Value,
} from '@sluice/contract';
import { convertScalar, textOf } from './convert.ts';
import { resolveField } from './fields.ts';
import { isEmpty, t } from './functions/define.ts';
import type { Column, MappingProblem, Texts } from './types.ts';

interface OperatorEntry {
  id: TriggerOperator;
  label: Texts;
  isNegative: boolean;
}

export const operators: readonly OperatorEntry[] = [
  { id: 'in', label: t('is', 'is'), isNegative: false },
  { id: 'notIn', label: t('is not', 'is niet'), isNegative: true },
  { id: 'contains', label: t('contains', 'bevat'), isNegative: false },
  { id: 'doesNotContain', label: t('does not contain', 'bevat niet'), isNegative: true },
  { id: 'beginsWith', label: t('begins with', 'begint met'), isNegative: false },
  { id: 'endsWith', label: t('ends with', 'eindigt op'), isNegative: false },
];

export interface TriggerResult {
  /** 1 where all conditions hold. */
  mask: Uint8Array;
  /** Per condition, 1 where it holds. */
  conditions: Uint8Array[];
  count: number;
}

export interface CompiledTrigger {
  selection: RecordSelection;
  /** Source fields that are read. */
  fields: readonly string[];
  problems: MappingProblem[];
  /** Which records of a batch meet the conditions. A condition with a problem holds nowhere. */
  evaluate(columns: Readonly<Record<string, Column>>, size: number): TriggerResult;
}

type Test = (value: Value) => boolean;

/**
 * Compiles the conditions of a trigger (decisions Q-TRIG-02): `in` compares by the type of the field (numbers by value,
 * a date-time with the exact moment), the others look at the text without regard to case. An empty field meets negative
 * operators only.
 */
export function compileTrigger(
  trigger: Trigger,
  sourceFields: readonly FieldDescriptor[],
  zone: string,
  path = 'trigger',
): CompiledTrigger {
  const problems: MappingProblem[] = [];
  const tests = trigger.conditions.map((condition, index) =>
    compileCondition(condition, sourceFields, zone, `${path}.conditions[${index}]`, problems),
  );
  return {
    selection: trigger.sourceRecordSelection,
    fields: [...new Set(tests.flatMap((test) => (test ? [test.column] : [])))],
    problems,
    evaluate(columns, size) {
      const mask = new Uint8Array(size).fill(1);
      const conditions = tests.map((condition) => {
        const held = new Uint8Array(size);
        const column = condition ? columns[condition.column] : undefined;
        for (let row = 0; row < size; row += 1) {
          if (condition?.test(condition.into(column?.[row] ?? null))) held[row] = 1;
          else mask[row] = 0;
        }
        return held;
      });
      let count = 0;
      for (const held of mask) count += held;
      return { mask, conditions, count };
    },
  };
}

interface CompiledCondition {
  column: string;
  into: (value: Value) => Value;
  test: Test;
}

function compileCondition(
  condition: TriggerCondition,
  fields: readonly FieldDescriptor[],
  zone: string,
  path: string,
  problems: MappingProblem[],
): CompiledCondition | null {
  const add = (code: string, params: Record<string, Value>): null => {
    problems.push({ path, severity: 'error', code, params });
    return null;
  };
  const found = resolveField(fields, condition.field);
  if (!found) return add('unknownTriggerField', { field: condition.field });
  const operator = operators.find(({ id }) => id === condition.operator);
  if (!operator) return add('unknownOperator', { operator: condition.operator });
  const given = condition.comparison === 'singleValue' ? [condition.value] : condition.values;
  const isTyped = operator.id === 'in' || operator.id === 'notIn';
  if (given.length === 0 || given.some(isEmpty)) return add('missingTriggerValue', {});
  const place = { column: found.column, into: found.into ?? ((value: Value): Value => value) };
  if (!isTyped) return { ...place, test: textTest(operator, given) };
  const keys = new Set<string>();
  for (const value of given) {
    const key = keyOf(value, found.field, zone);
    if (key === null) return add('wrongTriggerValue', { value, field: condition.field });
    keys.add(key);
  }
  const isIn = operator.id === 'in';
  // What is there may be a value that the field's type does not know: it equals nothing.
  const test: Test = (value) => {
    if (Array.isArray(value))
      return value.some((item) => keys.has(keyOf(item, found.field, zone) ?? '?')) === isIn;
    if (isEmpty(value)) return !isIn;
    return keys.has(keyOf(value, found.field, zone) ?? '?') === isIn;
  };
  return { ...place, test };
}

/** One text per value of the type; null for empty and for what is none. */
function keyOf(value: Value, field: FieldDescriptor, zone: string): string | null {
  if (isEmpty(value)) return null;
  const converted = convertScalar(value, field.dataType ?? 'string', zone);
  return converted.isOk ? `=${textOf(converted.value) ?? ''}` : null;
}

function textTest({ id, isNegative }: OperatorEntry, given: readonly Scalar[]): Test {
  const parts = given.map((value) => (textOf(value) ?? '').toLowerCase());
  return (value) => {
    const texts = (Array.isArray(value) ? value : [value]).flatMap(
      (item) => textOf(item)?.toLowerCase() ?? [],
    );
    if (texts.length === 0) return isNegative;
    const isFound = texts.some((text) =>
      parts.some((part) =>
        id === 'beginsWith'
          ? text.startsWith(part)
          : id === 'endsWith'
            ? text.endsWith(part)
            : text.includes(part),
      ),
    );
    return isFound !== isNegative;
  };
}

/** What is known of a source record when records are chosen (decisions Q-TRIG-03). */
export interface RecordState {
  isLinked: boolean;
  /** The mapped source fields differ from those of the last successful run. */
  isChanged: boolean;
  /** Linked, and no longer in a source that was read to its end. */
  isGone: boolean;
}

/** Does the selection take the record? In a manual run linked records count whether changed or not (Q-TRIG-05). */
export function isSelected(selection: RecordSelection, state: RecordState, isManual = false): boolean {
  if (state.isGone) return selection === 'deleted' || selection === 'all';
  const isExisting = state.isLinked && (state.isChanged || isManual);
  switch (selection) {
    case 'new':
      return !state.isLinked;
    case 'existing':
      return isExisting;
    case 'newAndExisting':
    case 'all':
      return !state.isLinked || isExisting;
    case 'deleted':
      return false;
  }
}
