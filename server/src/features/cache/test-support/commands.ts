import fc from 'fast-check';
import type { Changes, User } from './model.ts';

/** `at` are places in the list of rows (or of the ERP's records), counted round. */
export type Command =
  | { kind: 'edit'; by: User; at: number[]; changes: Changes; looked: 'now' | 'before' | 'never' }
  | { kind: 'insert'; by: User; values: Changes }
  | { kind: 'delete' | 'discard'; by: User; at: number[] }
  | { kind: 'undo' | 'redo'; by: User }
  | { kind: 'resolve'; by: User; at: number; choice: 'keepMine' | 'takeTheirs' | 'insertAgain' | 'discard' }
  | { kind: 'erpEdit'; at: number; changes: Changes }
  | { kind: 'erpDelete'; at: number }
  | { kind: 'erpAdd'; values: Changes }
  | { kind: 'refresh'; isFull: boolean; between: Command[] }
  | { kind: 'push'; by: User; at: number[] | null; between: Command[] };

const user = fc.constantFrom<User>('ada', 'ben');
const place = fc.nat({ max: 4 });
const places = fc.uniqueArray(place, { minLength: 1, maxLength: 2 });
// Few values, so that people and the ERP often come to the same one; a name twice breaks a rule of both.
const name = fc.constantFrom('North', 'South', 'East', 'West');
const maximumDiscount = fc.constantFrom(5, 10, 20);
const validTo = fc.constantFrom(null, '2027-01-31');
const code = fc.constantFrom('Z1', 'Z2', 'Z5', 'Z6');

const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ maximumDiscount }) },
  { weight: 2, arbitrary: fc.record({ validTo }) },
  { weight: 1, arbitrary: fc.record({ maximumDiscount, validTo }) },
  { weight: 1, arbitrary: fc.record({ name }) },
);
const userChange = fc.oneof(
  { weight: 12, arbitrary: change },
  // The ERP refuses a second default list, and a name is mandatory.
  { weight: 1, arbitrary: fc.record({ isDefault: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ name: null }) },
);
const record = fc.record({
  code,
  name,
  currency: fc.constant('EUR'),
  validFrom: fc.constant('2026-01-01'),
  validTo,
  maximumDiscount,
});

const edit = fc.record({
  kind: fc.constant('edit' as const),
  by: user,
  at: fc.uniqueArray(place, { minLength: 1, maxLength: 2 }),
  changes: userChange,
  looked: fc.constantFrom('now' as const, 'now' as const, 'before' as const, 'never' as const),
});
const insert = fc.record({ kind: fc.constant('insert' as const), by: user, values: record });
const remove = fc.record({ kind: fc.constant('delete' as const), by: user, at: places });
const discard = fc.record({ kind: fc.constant('discard' as const), by: user, at: places });
const replay = fc.record({
  kind: fc.constantFrom('undo' as const, 'undo' as const, 'redo' as const),
  by: user,
});
const resolve = fc.record({
  kind: fc.constant('resolve' as const),
  by: user,
  at: place,
  choice: fc.constantFrom(
    'keepMine' as const,
    'takeTheirs' as const,
    'insertAgain' as const,
    'discard' as const,
  ),
});
const erp = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('erpEdit' as const), at: place, changes: change }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erpDelete' as const), at: place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erpAdd' as const), values: record }) },
);

const people = fc.oneof(
  { weight: 6, arbitrary: edit },
  { weight: 2, arbitrary: insert },
  { weight: 2, arbitrary: remove },
  { weight: 1, arbitrary: discard },
  { weight: 3, arbitrary: replay },
  { weight: 2, arbitrary: resolve },
);
const refresh = (between: fc.Arbitrary<Command[]>): fc.Arbitrary<Command> =>
  fc.record({ kind: fc.constant('refresh' as const), isFull: fc.boolean(), between });
const chosen = fc.oneof(fc.constant(null), fc.uniqueArray(place, { minLength: 1, maxLength: 4 }));
const push = (between: fc.Arbitrary<Command[]>): fc.Arbitrary<Command> =>
  fc.record({
    kind: fc.constant('push' as const),
    by: user,
    at: chosen,
    between,
  });

const nothing = fc.constant<Command[]>([]);
const few = (inner: fc.Arbitrary<Command>): fc.Arbitrary<Command[]> =>
  fc.oneof(nothing, fc.array(fc.oneof(people, erp, inner), { maxLength: 3 }));

export const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 10, arbitrary: people },
  { weight: 4, arbitrary: erp },
  { weight: 4, arbitrary: refresh(few(push(nothing))) },
  { weight: 3, arbitrary: push(few(refresh(nothing))) },
);
