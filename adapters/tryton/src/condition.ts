import type { Condition, Value } from '@sluice/contract';

/** `and` of conditions, shortened: false wins, true vanishes, what is undecided stays. */
export function allOf(conditions: readonly Condition[]): Condition {
  if (conditions.includes(false)) return false;
  const rest = conditions.filter((condition) => condition !== true);
  if (rest.every((condition) => condition === 'unknown')) return rest.length === 0 ? true : 'unknown';
  return rest.length === 1 ? (rest[0] ?? true) : { op: 'and', of: rest };
}

/** `or` of conditions, shortened: true wins, false vanishes, what is undecided stays. */
export function anyOf(conditions: readonly Condition[]): Condition {
  if (conditions.includes(true)) return true;
  const rest = conditions.filter((condition) => condition !== false);
  if (rest.every((condition) => condition === 'unknown')) return rest.length === 0 ? false : 'unknown';
  return rest.length === 1 ? (rest[0] ?? false) : { op: 'or', of: rest };
}

export function negate(condition: Condition): Condition {
  if (typeof condition === 'boolean') return !condition;
  if (condition === 'unknown') return 'unknown';
  return condition.op === 'not' ? condition.of : { op: 'not', of: condition };
}

/**
 * Decides a condition over a record, in three values. A field that is absent counts as empty; comparisons with
 * an empty field are false, as they are in Tryton.
 */
export function decide(condition: Condition, values: Record<string, Value>): boolean | 'unknown' {
  if (typeof condition === 'boolean' || condition === 'unknown') return condition;
  if (!('field' in condition)) {
    if (condition.op === 'not') {
      const inner = decide(condition.of, values);
      return inner === 'unknown' ? 'unknown' : !inner;
    }
    const parts = condition.of.map((part) => decide(part, values));
    const winner = condition.op === 'or';
    if (parts.includes(winner)) return winner;
    return parts.includes('unknown') ? 'unknown' : !winner;
  }
  const value = values[condition.field] ?? null;
  switch (condition.op) {
    case 'isTrue':
      return value === true;
    case 'isEmpty':
      return value === null || value === '' || (Array.isArray(value) && value.length === 0);
    case 'equals':
      return value === condition.value;
    case 'notEquals':
      return value !== condition.value;
    case 'in':
      return condition.values.some((candidate) => candidate === value);
    case 'greaterThan':
      return compare(value, condition.value, (difference) => difference > 0);
    case 'lessThan':
      return compare(value, condition.value, (difference) => difference < 0);
  }
}

function compare(left: Value, right: Value, test: (difference: number) => boolean): boolean {
  if (left === null || right === null || left === '') return false;
  const difference = Number(left) - Number(right);
  return Number.isNaN(difference) ? false : test(difference);
}
