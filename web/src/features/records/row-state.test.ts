import type { PendingOperation } from '@sluice/contract';
import { fieldOf } from '@sluice/contract/test-support';
import { describe, expect, it } from 'vitest';
import { columnsOf, rowStateOf, valueAtPath } from './row-state.ts';

const me = { internalId: 'me', fullName: 'Sanne Meijer' };
const other = { internalId: 'other', fullName: 'Fenna de Boer' };
const texts = {
  changedThere: 'changed there',
  gone: 'gone',
  unknownOutcome: 'unknown',
  byRun: ({ connector, number }: { connector: string; number: number }) => `run ${number} of ${connector}`,
};

const operation = (change: Partial<PendingOperation>): PendingOperation => ({
  id: '1',
  action: 'update',
  revision: 1,
  state: 'pending',
  authoredBy: me,
  createdAt: '2026-11-21T10:00:00Z',
  updatedAt: '2026-11-21T10:00:00Z',
  origin: { type: 'user', actionId: null, runId: null },
  changes: [],
  validationErrors: [],
  pushErrors: [],
  isGone: false,
  isOutcomeUnknown: false,
  pushId: null,
  ...change,
});

const change = (
  fieldName: string,
  authoredBy: typeof me,
  theirs?: string,
): PendingOperation['changes'][number] => ({
  action: 'update',
  id: '1',
  fieldName,
  oldValue: 'old',
  newValue: 'new',
  authoredBy,
  authoredAt: '2026-11-21T10:00:00Z',
  ...(theirs === undefined ? {} : { theirs }),
});

describe('marks of a record', () => {
  it('what a run of a connector changed says so at the record and its cells; what a person changed after it does not', () => {
    const run = { connector: 'Web shop', action: 'Vendors', number: 3 };
    const change = (fieldName: string, authoredBy: typeof me) => ({
      action: 'update' as const,
      id: '1',
      fieldName,
      oldValue: 'a',
      newValue: 'b',
      authoredBy,
      authoredAt: '2026-11-21T10:00:00Z',
    });
    const state = rowStateOf(
      operation({
        authoredBy: other,
        origin: { type: 'connector', actionId: 'a', runId: 'r', run },
        changes: [change('name', other), change('city', me)],
      }),
      undefined,
      'me',
      texts,
    );
    expect(state?.origin).toBe('run 3 of Web shop');
    expect(state?.cells.get('name')?.origin).toBe('run 3 of Web shop');
    expect(state?.cells.get('city')?.origin).toBeUndefined();
  });

  it('[PEND-10] any own change makes the record mine, foreign cells keep their author', () => {
    const state = rowStateOf(
      operation({ authoredBy: other, changes: [change('name', other), change('city', me)] }),
      undefined,
      'me',
      texts,
    );
    expect(state).toMatchObject({ bar: 'you', sign: null });
    expect(state?.cells.get('name')).toMatchObject({ mark: 'others', author: { initials: 'FB' } });
    expect(state?.cells.get('city')?.mark).toBe('you');
  });

  it("a record that only others changed carries their bar and the author's initials", () => {
    const state = rowStateOf(
      operation({ authoredBy: other, changes: [change('name', other)] }),
      undefined,
      'me',
      texts,
    );
    expect(state).toMatchObject({ bar: 'others', author: { name: 'Fenna de Boer' } });
  });

  it('being pushed wins over all, rejected over invalid', () => {
    expect(rowStateOf(operation({ state: 'beingPushed' }), undefined, 'me', texts)).toMatchObject({
      bar: 'pushing',
      sign: 'pushing',
    });
    expect(rowStateOf(operation({ state: 'rejected' }), undefined, 'me', texts)?.sign).toBe('rejected');
  });

  it('a conflict shows what the external system holds, whatever else is wrong with the cell', () => {
    const state = rowStateOf(
      operation({
        state: 'conflict',
        changes: [change('name', me, 'theirs')],
        validationErrors: [{ field: 'name', code: 4102, params: { max: 2 }, message: 'too long' }],
      }),
      undefined,
      'me',
      texts,
    );
    expect(state?.cells.get('name')).toMatchObject({
      mark: 'conflict',
      theirs: 'theirs',
      message: 'changed there',
    });
  });

  it("the external system's words stand at the field they belong to, else at the record", () => {
    const state = rowStateOf(
      operation({
        state: 'rejected',
        changes: [change('name', me)],
        pushErrors: [
          { errCode: 'E1', msg: 'too high', field: 'name', at: '' },
          { errCode: 'E2', msg: 'blocked', field: null, at: '' },
        ],
      }),
      undefined,
      'me',
      texts,
    );
    expect(state?.cells.get('name')).toMatchObject({ mark: 'rejected', message: 'too high' });
    expect(state?.message).toBe('blocked');
  });

  it('[PEND-10] errors in received data show where nothing else does', () => {
    const received = [{ field: 'since', code: null, raw: '2026-02-31', message: 'no date' }];
    expect(rowStateOf(undefined, received, 'me', texts)).toMatchObject({ bar: null, sign: 'received' });
    expect(rowStateOf(operation({ changes: [change('name', me)] }), received, 'me', texts)).toMatchObject({
      bar: 'you',
      sign: 'received',
    });
    expect(rowStateOf(undefined, undefined, 'me', texts)).toBeNull();
  });
});

describe('columns', () => {
  it('nested elements become columns with their parents as heading', () => {
    const columns = columnsOf(
      [
        fieldOf('name'),
        fieldOf('address', {
          name: 'Address',
          kind: 'nestedElements',
          children: [fieldOf('address.city')],
        }),
      ],
      true,
    );
    expect(columns.map(({ id, group, index }) => [id, group, index])).toEqual([
      ['name', null, 0],
      ['address.city', 'Address', 1],
    ]);
    expect(valueAtPath({ address: { city: 'Delft' } }, 'address.city')).toBe('Delft');
    expect(valueAtPath({ 'address.city': 'Delft' }, 'address.city')).toBe('Delft');
  });
});
