import type { Condition, Value } from '@sluice/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allOf, anyOf, decide, negate } from './condition.ts';
import { parsePyson, toCondition } from './pyson.ts';
import type { PysonScope } from './pyson.ts';

const scope: PysonScope = {
  fields: new Map([
    ['id', 'integer'],
    ['active', 'boolean'],
    ['name', 'char'],
    ['type', 'selection'],
    ['amount', 'numeric'],
    ['date', 'date'],
    ['party', 'many2one'],
    ['lines', 'one2many'],
  ]),
  context: { company: 3, language: 'nl' },
};

const field = (name: string, d: unknown = '') => ({ __class__: 'Eval', v: name, d });
const not = (v: unknown) => ({ __class__: 'Not', v });
const bool = (v: unknown) => ({ __class__: 'Bool', v });
const and = (...s: unknown[]) => ({ __class__: 'And', s });
const or = (...s: unknown[]) => ({ __class__: 'Or', s });
const equal = (s1: unknown, s2: unknown) => ({ __class__: 'Equal', s1, s2 });
const greater = (s1: unknown, s2: unknown, e = false) => ({ __class__: 'Greater', s1, s2, e });
const less = (s1: unknown, s2: unknown, e = false) => ({ __class__: 'Less', s1, s2, e });
const choice = (c: unknown, t: unknown, e: unknown) => ({ __class__: 'If', c, t, e });
const inside = (k: unknown, v: unknown) => ({ __class__: 'In', k, v });
const get = (v: unknown, k: unknown, d: unknown = '') => ({ __class__: 'Get', v, k, d });
const length = (v: unknown) => ({ __class__: 'Len', v });

const isActive: Condition = { op: 'isTrue', field: 'active' };
const isNew: Condition = { op: 'isEmpty', field: 'id' };

describe('PYSON becomes conditions', () => {
  it.each<[string, unknown, Condition]>([
    ['a constant', true, true],
    ['an empty list', [], false],
    ['a boolean field', field('active', true), isActive],
    ['its opposite', not(field('active')), { op: 'not', of: isActive }],
    ['its opposite twice', not(not(field('active'))), isActive],
    ['a text field', bool(field('name')), { op: 'not', of: { op: 'isEmpty', field: 'name' } }],
    ['a link', field('party'), { op: 'not', of: { op: 'isEmpty', field: 'party' } }],
    [
      'a number, which is also false when it is 0',
      field('amount'),
      {
        op: 'not',
        of: {
          op: 'or',
          of: [
            { op: 'isEmpty', field: 'amount' },
            { op: 'equals', field: 'amount', value: 0 },
          ],
        },
      },
    ],
    ['equality', equal(field('type'), 'goods'), { op: 'equals', field: 'type', value: 'goods' }],
    ['equality, turned', equal('goods', field('type')), { op: 'equals', field: 'type', value: 'goods' }],
    ['equality with nothing', equal(field('party', null), null), { op: 'isEmpty', field: 'party' }],
    ['equality with false', equal(field('active'), false), { op: 'not', of: isActive }],
    ['equality of two fields', equal(field('name'), field('type')), 'unknown'],
    ['an expression equal to true', equal(bool(field('active')), true), isActive],
    [
      'a choice among values',
      inside(field('type'), ['goods', 'assets']),
      { op: 'in', field: 'type', values: ['goods', 'assets'] },
    ],
    [
      'a choice that allows nothing too',
      inside(field('type'), ['goods', null]),
      {
        op: 'or',
        of: [
          { op: 'in', field: 'type', values: ['goods'] },
          { op: 'isEmpty', field: 'type' },
        ],
      },
    ],
    ['a choice among none', inside(field('type'), []), false],
    ['a constant in a list', inside('a', ['a', 'b']), true],
    ['a value in a list field', inside(5, field('lines', [])), 'unknown'],
    ['a key of the context', inside('company', field('context', {})), true],
    ['a value of the context', bool(get(field('context', {}), 'company')), true],
    ['a missing value of the context', bool(get(field('context', {}), 'employee', 0)), false],
    ['a comparison', greater(field('amount'), 5), { op: 'greaterThan', field: 'amount', value: 5 }],
    ['a comparison, turned', greater(5, field('amount')), { op: 'lessThan', field: 'amount', value: 5 }],
    [
      'a comparison or equality',
      less(field('amount'), 5, true),
      {
        op: 'or',
        of: [
          { op: 'lessThan', field: 'amount', value: 5 },
          { op: 'equals', field: 'amount', value: 5 },
        ],
      },
    ],
    ['a comparison with nothing', greater(field('amount'), null), false],
    ['a comparison of dates', greater(field('date'), { __class__: 'Date' }), 'unknown'],
    ['a saved record', greater(field('id', 0), 0), { op: 'not', of: isNew }],
    ['a new record', less(field('id', -1), 0), isNew],
    ['some id', greater(field('id', 0), 7), 'unknown'],
    [
      'a list with something in it',
      greater(length(field('lines')), 0),
      { op: 'not', of: { op: 'isEmpty', field: 'lines' } },
    ],
    ['a list with two lines', equal(length(field('lines')), 2), 'unknown'],
    ['a field of a parent', field('_parent_party.active'), 'unknown'],
    ['a field that is not read', field('code_readonly', true), 'unknown'],
    ['today', { __class__: 'Date', y: null }, 'unknown'],
    ['something from a newer Tryton', { __class__: 'Modulo', v: 3 }, 'unknown'],
    ['something undecidable, when the rest decides', and(field('_parent_x.y'), false), false],
    [
      'something undecidable beside a condition',
      or(field('_parent_x.y'), field('active')),
      { op: 'or', of: ['unknown', isActive] },
    ],
    [
      'either of two expressions',
      choice(field('active'), equal(field('type'), 'a'), true),
      {
        op: 'or',
        of: [
          { op: 'and', of: [isActive, { op: 'equals', field: 'type', value: 'a' }] },
          { op: 'not', of: isActive },
        ],
      },
    ],
    ['either of two values, compared', equal(choice(field('active'), 'a', 'b'), 'a'), isActive],
    ['a broken operator', { __class__: 'And', s: 'x' }, 'unknown'],
  ])('%s', (_, expression, expected) => {
    expect(toCondition(expression, scope)).toEqual(expected);
  });

  it('takes unreadable JSON for undecidable', () => {
    expect(toCondition(parsePyson('{"__class__": '), scope)).toBe('unknown');
    expect(toCondition(parsePyson('{"__class__": "Eval", "v": "active", "d": true}'), scope)).toEqual(
      isActive,
    );
  });
});

/** What Tryton's own evaluator makes of an expression, for the parts of PYSON that the generator uses. */
function evaluate(node: unknown, record: Record<string, Value>): unknown {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return node;
  const of = (key: string): unknown => evaluate(Reflect.get(node, key), record);
  const list = (): unknown[] => {
    const items: unknown = Reflect.get(node, 's');
    return Array.isArray(items) ? items.map((item) => evaluate(item, record)) : [];
  };
  switch (Reflect.get(node, '__class__')) {
    case 'Eval':
      return record[String(Reflect.get(node, 'v'))];
    case 'Not':
      return !isTruthy(of('v'));
    case 'Bool':
      return isTruthy(of('v'));
    case 'And':
      return list().every(isTruthy);
    case 'Or':
      return list().some(isTruthy);
    case 'Equal':
      return of('s1') === of('s2');
    case 'If':
      return isTruthy(of('c')) ? of('t') : of('e');
    case 'In': {
      const values = of('v');
      return Array.isArray(values) && values.includes(of('k'));
    }
    default: {
      const [left, right] = [of('s1'), of('s2')];
      if (left === null || right === null) return false;
      const difference = Number(left) - Number(right);
      if (difference === 0) return isTruthy(of('e'));
      return Reflect.get(node, '__class__') === 'Greater' ? difference > 0 : difference < 0;
    }
  }
}

function isTruthy(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

const records = fc.record({
  id: fc.constant(null),
  active: fc.boolean(),
  name: fc.constantFrom(null, 'a', 'b'),
  type: fc.constantFrom(null, 'a', 'b'),
  amount: fc.constantFrom(null, -1, 0, 1, 2),
  party: fc.constantFrom(null, 1, 2),
  lines: fc.constantFrom<Value[]>([], [1]),
  date: fc.constant(null),
});

const { expression } = fc.letrec<{ expression: unknown }>((tie) => {
  const inner = tie('expression');
  return {
    expression: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.boolean(),
      fc.constantFrom('active', 'name', 'type', 'amount', 'party', 'lines').map((name) => field(name)),
      fc
        .tuple(fc.constantFrom('name', 'type'), fc.constantFrom(null, 'a', 'b'))
        .map(([name, value]) => equal(field(name), value)),
      fc
        .tuple(fc.constantFrom(greater, less), fc.constantFrom(-1, 0, 1), fc.boolean(), fc.boolean())
        .map(([compare, value, orEqual, isTurned]) =>
          isTurned ? compare(value, field('amount'), orEqual) : compare(field('amount'), value, orEqual),
        ),
      fc.subarray<string | null>(['a', 'b', null]).map((values) => inside(field('type'), values)),
      inner.map(not),
      inner.map(bool),
      fc.tuple(inner, inner).map(([left, right]) => and(left, right)),
      fc.tuple(inner, inner).map(([left, right]) => or(left, right)),
      fc.tuple(inner, inner, inner).map(([c, t, e]) => choice(c, t, e)),
    ),
  };
});

describe('conditions from PYSON', () => {
  it('say what Tryton says, for every expression over fields of the record', () => {
    fc.assert(
      fc.property(expression, records, (node, record) => {
        const decided = decide(toCondition(node, scope), record);
        expect(decided).toBe(isTruthy(evaluate(node, record)));
      }),
      { numRuns: 500 },
    );
  });

  it('never say anything wrong when a part cannot be decided', () => {
    const hidden: PysonScope = { ...scope, fields: new Map([['active', 'boolean']]) };
    fc.assert(
      fc.property(expression, records, (node, record) => {
        const decided = decide(toCondition(node, hidden), record);
        if (decided !== 'unknown') expect(decided).toBe(isTruthy(evaluate(node, record)));
      }),
      { numRuns: 500 },
    );
  });

  it('come from any JSON without a failure', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void toCondition(value, scope)));
  });
});

describe('shortening', () => {
  it('keeps the meaning of and, or and not', () => {
    const leaf = fc.constantFrom<Condition>(true, false, 'unknown', isActive, {
      op: 'isEmpty',
      field: 'name',
    });
    fc.assert(
      fc.property(fc.array(leaf, { maxLength: 4 }), records, (parts, record) => {
        expect(decide(allOf(parts), record)).toBe(decide({ op: 'and', of: parts }, record));
        expect(decide(anyOf(parts), record)).toBe(decide({ op: 'or', of: parts }, record));
        const [first = true] = parts;
        expect(decide(negate(first), record)).toBe(decide({ op: 'not', of: first }, record));
      }),
    );
  });
});
