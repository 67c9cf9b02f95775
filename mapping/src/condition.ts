import type { Condition, Scalar, Value } from '@sluice/contract';

/** Evaluates a condition over a record (field id -> value); null when it cannot be decided here. */
export function evaluate(
  condition: Condition,
  valueOf: (field: string) => Value | undefined,
): boolean | null {
  if (typeof condition === 'boolean') return condition;
  if (condition === 'unknown') return null;
  switch (condition.op) {
    case 'and':
      return condition.of.reduce<boolean | null>((all, part) => {
        if (all === false) return false;
        const next = evaluate(part, valueOf);
        return next === false ? false : all === null ? null : next;
      }, true);
    case 'or':
      return condition.of.reduce<boolean | null>((any, part) => {
        if (any === true) return true;
        const next = evaluate(part, valueOf);
        return next === true ? true : any === null ? null : next;
      }, false);
    case 'not': {
      const inner = evaluate(condition.of, valueOf);
      return inner === null ? null : !inner;
    }
    default: {
      const value = valueOf(condition.field);
      if (value === undefined) return null;
      return compare(condition, value);
    }
  }
}

type Comparison = Exclude<Condition, boolean | 'unknown' | { op: 'and' | 'or' | 'not' }>;

function compare(condition: Comparison, value: Value): boolean | null {
  const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
  switch (condition.op) {
    case 'isEmpty':
      return isEmpty;
    case 'isTrue':
      return !isEmpty && value !== false && value !== 0;
    case 'equals':
      return value === condition.value;
    case 'notEquals':
      return value !== condition.value;
    case 'in':
      return typeof value !== 'object' || value === null ? condition.values.includes(value as Scalar) : null;
    case 'greaterThan':
    case 'lessThan': {
      if (value === null || condition.value === null || typeof value === 'object') return null;
      const [left, right] =
        typeof value === 'number'
          ? [value, Number(condition.value)]
          : [String(value), String(condition.value)];
      return condition.op === 'greaterThan' ? left > right : left < right;
    }
  }
}

/** Fields that a condition looks at. */
export function fieldsOf(condition: Condition | undefined): string[] {
  if (condition === undefined || typeof condition === 'boolean' || condition === 'unknown') return [];
  if (condition.op === 'and' || condition.op === 'or') return condition.of.flatMap((part) => fieldsOf(part));
  if (condition.op === 'not') return fieldsOf(condition.of);
  return 'field' in condition ? [condition.field] : [];
}
