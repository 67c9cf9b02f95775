import type { Condition, Scalar } from '@sluice/contract';
import { allOf, anyOf, negate } from './condition.ts';

/**
 * What PYSON is translated against. `fields`: Tryton's type of every field of the record, by name; `context`:
 * what the calls of this session carry (company, language).
 */
export interface PysonScope {
  fields: ReadonlyMap<string, string>;
  context: Readonly<Record<string, unknown>>;
}

/** A part of an expression: known now, the value of a field, true or false by a condition, or not decidable here. */
type Term =
  | { kind: 'constant'; value: unknown }
  | { kind: 'field'; name: string; type: string }
  | { kind: 'length'; of: string }
  | { kind: 'condition'; condition: Condition }
  | { kind: 'choice'; condition: Condition; whenTrue: Term; whenFalse: Term }
  | { kind: 'unknown' };

const unknown: Term = { kind: 'unknown' };
const numericTypes = new Set(['integer', 'bigint', 'float', 'numeric']);

/** Parses the JSON in which Tryton sends expressions; what is no JSON is an expression that cannot be decided. */
export function parsePyson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return { __class__: 'Unreadable' };
  }
}

/**
 * A PYSON expression as a condition over the record. Whatever it needs beyond the record's own fields (fields of
 * a parent, today, other users) becomes `unknown`, which never blocks anybody: Tryton has the last word.
 */
export function toCondition(expression: unknown, scope: PysonScope): Condition {
  return truth(evaluate(expression, scope));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function evaluate(node: unknown, scope: PysonScope): Term {
  if (Array.isArray(node)) {
    const items = node.map((item) => evaluate(item, scope));
    const values = items.flatMap((item) => (item.kind === 'constant' ? [item.value] : []));
    return values.length === items.length ? { kind: 'constant', value: values } : unknown;
  }
  if (!isObject(node)) return { kind: 'constant', value: node };
  const inner = (key: string) => evaluate(node[key] ?? null, scope);
  switch (node['__class__']) {
    case undefined:
      return Object.values(node).every((value) => evaluate(value, scope).kind === 'constant')
        ? { kind: 'constant', value: node }
        : unknown;
    case 'Eval':
      return evaluateName(node['v'], scope);
    case 'Not':
      return { kind: 'condition', condition: negate(truth(inner('v'))) };
    case 'Bool':
      return { kind: 'condition', condition: truth(inner('v')) };
    case 'And':
      return { kind: 'condition', condition: allOf(statements(node, scope)) };
    case 'Or':
      return { kind: 'condition', condition: anyOf(statements(node, scope)) };
    case 'Equal':
      return lift(inner('s1'), inner('s2'), equality);
    case 'Greater':
      return lift(inner('s1'), inner('s2'), (left, right) => order('greaterThan', left, right, inner('e')));
    case 'Less':
      return lift(inner('s1'), inner('s2'), (left, right) => order('lessThan', left, right, inner('e')));
    case 'If':
      return choose(truth(inner('c')), inner('t'), inner('e'));
    case 'Get':
      return evaluateGet(inner('v'), inner('k'), inner('d'));
    case 'In':
      return lift(inner('k'), inner('v'), membership);
    case 'Len':
      return evaluateLength(inner('v'));
    default:
      return unknown;
  }
}

function statements(node: Record<string, unknown>, scope: PysonScope): Condition[] {
  const list = node['s'];
  return Array.isArray(list) ? list.map((item) => truth(evaluate(item, scope))) : ['unknown'];
}

function evaluateName(name: unknown, scope: PysonScope): Term {
  if (typeof name !== 'string') return unknown;
  if (name === 'context') return { kind: 'constant', value: scope.context };
  const type = scope.fields.get(name);
  // A name that is no field has its default in Tryton's client, but may have a value in its server.
  return type === undefined ? unknown : { kind: 'field', name, type };
}

function choose(condition: Condition, whenTrue: Term, whenFalse: Term): Term {
  if (condition === true) return whenTrue;
  if (condition === false) return whenFalse;
  return { kind: 'choice', condition, whenTrue, whenFalse };
}

function evaluateGet(container: Term, key: Term, fallback: Term): Term {
  if (container.kind !== 'constant' || key.kind !== 'constant') return unknown;
  if (!isObject(container.value) || typeof key.value !== 'string') return unknown;
  return Object.hasOwn(container.value, key.value)
    ? { kind: 'constant', value: container.value[key.value] }
    : fallback;
}

function evaluateLength(term: Term): Term {
  if (term.kind === 'field') return { kind: 'length', of: term.name };
  if (term.kind !== 'constant') return unknown;
  const { value } = term;
  if (typeof value === 'string' || Array.isArray(value)) return { kind: 'constant', value: value.length };
  return isObject(value) ? { kind: 'constant', value: Object.keys(value).length } : unknown;
}

/** Whether Python takes the term for true. */
function truth(term: Term): Condition {
  switch (term.kind) {
    case 'constant':
      return isTruthy(term.value);
    case 'condition':
      return term.condition;
    case 'length':
      return negate({ op: 'isEmpty', field: term.of });
    case 'choice':
      return anyOf([
        allOf([term.condition, truth(term.whenTrue)]),
        allOf([negate(term.condition), truth(term.whenFalse)]),
      ]);
    case 'field':
      return fieldTruth(term.name, term.type);
    case 'unknown':
      return 'unknown';
  }
}

function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

function fieldTruth(name: string, type: string): Condition {
  // An unsaved record has a negative id in Tryton's client and none here.
  if (name === 'id') return 'unknown';
  if (type === 'boolean') return { op: 'isTrue', field: name };
  const isEmpty: Condition = { op: 'isEmpty', field: name };
  if (!numericTypes.has(type)) return negate(isEmpty);
  return negate(anyOf([isEmpty, { op: 'equals', field: name, value: 0 }]));
}

/** Applies a comparison to both branches of a choice. */
function lift(left: Term, right: Term, compare: (left: Term, right: Term) => Condition): Term {
  if (left.kind === 'choice') {
    return choose(left.condition, lift(left.whenTrue, right, compare), lift(left.whenFalse, right, compare));
  }
  if (right.kind === 'choice') {
    return choose(right.condition, lift(left, right.whenTrue, compare), lift(left, right.whenFalse, compare));
  }
  return { kind: 'condition', condition: compare(left, right) };
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function equality(left: Term, right: Term): Condition {
  if (left.kind === 'constant' && right.kind !== 'constant') return equality(right, left);
  if (right.kind !== 'constant' || !isScalar(right.value)) return 'unknown';
  const { value } = right;
  switch (left.kind) {
    case 'constant':
      return isScalar(left.value) ? left.value === value : 'unknown';
    case 'condition':
      return typeof value === 'boolean' ? (value ? left.condition : negate(left.condition)) : 'unknown';
    case 'length':
      return value === 0 ? { op: 'isEmpty', field: left.of } : 'unknown';
    case 'field':
      return fieldEquality(left.name, left.type, value);
    default:
      return 'unknown';
  }
}

function fieldEquality(name: string, type: string, value: Scalar): Condition {
  if (value === null) return { op: 'isEmpty', field: name };
  // Empty text and no text are one thing here.
  if (value === '') return { op: 'isEmpty', field: name };
  if (value === false && type === 'boolean') return negate({ op: 'isTrue', field: name });
  return { op: 'equals', field: name, value };
}

type Order = 'greaterThan' | 'lessThan';

function order(operator: Order, left: Term, right: Term, orEqual: Term): Condition {
  if (orEqual.kind !== 'constant') return 'unknown';
  const isEqualAllowed = isTruthy(orEqual.value);
  if (left.kind === 'constant' && right.kind === 'constant') {
    return orderConstants(operator, left.value, right.value, isEqualAllowed);
  }
  if (left.kind === 'constant') {
    return order(operator === 'greaterThan' ? 'lessThan' : 'greaterThan', right, left, orEqual);
  }
  if (right.kind !== 'constant') return 'unknown';
  const { value } = right;
  if (value === null) return false;
  if (typeof value !== 'number') return 'unknown';
  if (left.kind === 'length') return orderLength(operator, left.of, value, isEqualAllowed);
  if (left.kind !== 'field') return 'unknown';
  if (left.name === 'id') return orderId(operator, value, isEqualAllowed);
  if (!numericTypes.has(left.type)) return 'unknown';
  const strict: Condition = { op: operator, field: left.name, value };
  return isEqualAllowed ? anyOf([strict, { op: 'equals', field: left.name, value }]) : strict;
}

function orderConstants(operator: Order, left: unknown, right: unknown, isEqualAllowed: boolean): Condition {
  if (left === null || right === null) return false;
  if (typeof left !== 'number' || typeof right !== 'number') return 'unknown';
  if (left === right) return isEqualAllowed;
  return operator === 'greaterThan' ? left > right : left < right;
}

/** Only "some" and "none" can be told of a list. */
function orderLength(operator: Order, field: string, value: number, isEqualAllowed: boolean): Condition {
  const isEmpty: Condition = { op: 'isEmpty', field };
  const least = isEqualAllowed ? value : value + 1;
  if (operator === 'greaterThan') return least <= 0 ? true : least === 1 ? negate(isEmpty) : 'unknown';
  const most = isEqualAllowed ? value : value - 1;
  return most < 0 ? false : most === 0 ? isEmpty : 'unknown';
}

/** `id > 0` and the like ask whether the record is saved; here an unsaved record has no id. */
function orderId(operator: Order, value: number, isEqualAllowed: boolean): Condition {
  const isNew: Condition = { op: 'isEmpty', field: 'id' };
  if (operator === 'greaterThan') {
    return value === 0 || value === -1 || (value === 1 && isEqualAllowed) ? negate(isNew) : 'unknown';
  }
  return value === 0 || (value === 1 && !isEqualAllowed) ? isNew : 'unknown';
}

function membership(key: Term, container: Term): Condition {
  if (container.kind !== 'constant') return 'unknown';
  const candidates: unknown = isObject(container.value) ? Object.keys(container.value) : container.value;
  if (!isTruthy(candidates)) return false;
  if (!Array.isArray(candidates) || !candidates.every(isScalar)) return 'unknown';
  if (key.kind === 'constant') return candidates.some((candidate) => candidate === key.value);
  if (key.kind !== 'field') return 'unknown';
  const isEmptyText = (candidate: Scalar) => candidate === null || candidate === '';
  const values = candidates.filter((candidate) => !isEmptyText(candidate));
  return anyOf([
    values.length === 0 ? false : { op: 'in', field: key.name, values },
    candidates.some(isEmptyText) ? { op: 'isEmpty', field: key.name } : false,
  ]);
}
