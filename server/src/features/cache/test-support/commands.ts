import fc from 'fast-check';
import type { Changes, User } from './model.ts';

/** `at` are places in the list of rows (or of the ERP's records); beyond its end is the last one. */
export type Command =
  | { kind: 'edit'; by: User; at: number[]; changes: Changes; looked: 'now' | 'before' | 'never' }
  | { kind: 'insert'; by: User; values: Changes }
  | { kind: 'delete' | 'discard'; by: User; at: number[] }
  | { kind: 'undo' | 'redo'; by: User }
  | { kind: 'resolve'; by: User; at: number; choice: (typeof choices)[number] }
  | { kind: 'erpEdit'; at: number; changes: Changes }
  | { kind: 'erpDelete'; at: number }
  | { kind: 'erpAdd'; values: Changes }
  | { kind: 'refresh'; isFull: boolean; between: Command[] }
  | { kind: 'push'; by: User; at: number[] | null; isLost: boolean; after: number; between: Command[] };

const choices = ['keepMine', 'keepMine', 'takeTheirs', 'takeTheirs', 'insertAgain', 'discard'] as const;

// Few values, so that people and the ERP often come to the same one; a name twice breaks a rule of both.
const name = fc.constantFrom('North', 'South', 'East', 'West');
const maximumDiscount = fc.constantFrom(5, 10, 20);
const validTo = fc.constantFrom(null, '2027-01-31');
const record = fc.record({
  code: fc.constantFrom('Z1', 'Z2', 'Z5', 'Z6'),
  name,
  currency: fc.constant('EUR'),
  validFrom: fc.constant('2026-01-01'),
  validTo,
  maximumDiscount,
});
const oneField: fc.Arbitrary<Changes> = fc.record({ maximumDiscount });
const anyField: fc.Arbitrary<Changes> = fc.oneof(
  { weight: 4, arbitrary: oneField },
  { weight: 2, arbitrary: fc.record({ validTo }) },
  { weight: 1, arbitrary: fc.record({ maximumDiscount, validTo }) },
  { weight: 1, arbitrary: fc.record({ name }) },
);
// The ERP refuses a second default list, and a name is mandatory.
const trouble: fc.Arbitrary<Changes> = fc.constantFrom(
  { isDefault: true },
  { isDefault: false },
  { name: null },
);

const kind = <K extends Command['kind']>(value: K) => fc.constant(value);

function stepsOf(by: fc.Arbitrary<User>, place: fc.Arbitrary<number>, change: fc.Arbitrary<Changes>) {
  const places = fc.uniqueArray(place, { minLength: 1, maxLength: 2 });
  const changes = fc.oneof({ weight: 9, arbitrary: change }, { weight: 1, arbitrary: trouble });
  const looked = fc.constantFrom('now' as const, 'now' as const, 'before' as const, 'never' as const);
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: kind('edit'), by, at: places, changes, looked }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('insert'), by, values: record }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('delete'), by, at: places }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('discard'), by, at: places }) },
  );
}

function commandOf(place: fc.Arbitrary<number>, change: fc.Arbitrary<Changes>) {
  const by = fc.constantFrom<User>('ada', 'ben');
  const choice = fc.constantFrom(...choices);
  const people = fc.oneof(
    { weight: 11, arbitrary: stepsOf(by, place, change) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constantFrom('undo' as const, 'undo' as const, 'redo' as const), by }),
    },
    { weight: 2, arbitrary: fc.record({ kind: kind('resolve'), by, at: place, choice }) },
  );
  const erp = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: kind('erpEdit'), at: place, changes: change }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('erpDelete'), at: place }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('erpAdd'), values: record }) },
  );
  const refresh = (between: fc.Arbitrary<Command[]>): fc.Arbitrary<Command> =>
    fc.record({ kind: kind('refresh'), isFull: fc.boolean(), between });
  const at = fc.oneof(fc.constant(null), fc.uniqueArray(place, { minLength: 1, maxLength: 4 }));
  // The ERP does it and nobody hears of it.
  const isLost = fc.constantFrom(false, false, false, true);
  const push = (between: fc.Arbitrary<Command[]>): fc.Arbitrary<Command> =>
    fc.record({ kind: kind('push'), by, at, isLost, after: fc.constantFrom(1, 1, 2), between });
  const nothing = fc.constant<Command[]>([]);
  const few = (inner: fc.Arbitrary<Command>): fc.Arbitrary<Command[]> =>
    fc.oneof(nothing, fc.array(fc.oneof(people, erp, inner), { minLength: 1, maxLength: 3 }));
  const all: fc.Arbitrary<Command> = fc.oneof(
    { weight: 9, arbitrary: people },
    { weight: 4, arbitrary: erp },
    { weight: 4, arbitrary: refresh(few(push(nothing))) },
    { weight: 3, arbitrary: push(few(refresh(nothing))) },
  );
  return { all, people, erp, refresh: refresh(nothing) };
}

const list = (one: fc.Arbitrary<Command>): fc.Arbitrary<Command[]> =>
  fc.array(one, { minLength: 4, maxLength: 14, size: 'max' });
const first = fc.constant(0);
const firstOrLast = fc.constantFrom(0, 99);
const any = fc.nat({ max: 4 });

/** Most of the time on one or two records and one field, where things meet. */
export const commands: fc.Arbitrary<Command[]> = fc.oneof(
  list(commandOf(first, oneField).all),
  list(commandOf(firstOrLast, oneField).all),
  list(commandOf(firstOrLast, anyField).all),
  list(commandOf(any, anyField).all),
);

/** Something pending of both users, with conflicts, and nothing that a push refused or that vanished. */
export const beginnings: fc.Arbitrary<Command[]> = fc
  .array(
    fc.oneof(commandOf(any, anyField).people, commandOf(any, anyField).erp, commandOf(any, anyField).refresh),
    { maxLength: 6, size: 'max' },
  )
  .map((all) => all.filter((one) => one.kind !== 'erpDelete'));

/** What one user does when nobody else does anything. */
export const stepsOfAda: fc.Arbitrary<Command[]> = fc.oneof(
  list(stepsOf(fc.constant<User>('ada'), firstOrLast, anyField)),
  list(stepsOf(fc.constant<User>('ada'), any, anyField)),
);
