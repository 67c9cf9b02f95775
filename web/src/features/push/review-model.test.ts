import type { PendingChange, PendingOperation } from '@sluice/contract';
import { describe, expect, it } from 'vitest';
import {
  authorGroups,
  conflictsOf,
  fieldGroups,
  foldedFrom,
  reviewItems,
  sectionOf,
} from './review-model.ts';
import { mendedIds, resultLines } from './results-model.ts';
import { type PendingRecord, heldBy, isTickedAtFirst } from './selection.ts';

const ada = { internalId: '1', fullName: 'Ada' };
const ben = { internalId: '2', fullName: 'Ben' };
const at = '2026-11-21T12:00:00Z';

const change = (
  id: string,
  fieldName: string,
  by = ada,
  more: Partial<PendingChange> = {},
): PendingChange => ({
  action: 'update',
  id,
  fieldName,
  oldValue: 'a',
  newValue: 'b',
  authoredBy: by,
  authoredAt: at,
  ...more,
});

const record = (id: string, more: Partial<PendingOperation> = {}): PendingRecord => ({
  key: `C${id}`,
  label: `Customer ${id}`,
  operation: {
    id,
    action: 'update',
    revision: 1,
    state: 'pending',
    authoredBy: ada,
    createdAt: at,
    updatedAt: at,
    origin: { type: 'user', actionId: null, runId: null },
    changes: [change(id, 'name')],
    validationErrors: [],
    pushErrors: [],
    isGone: false,
    isOutcomeUnknown: false,
    pushId: null,
    ...more,
  },
});

const invalid = record('1', { state: 'invalid' });
const conflict = record('2', { state: 'conflict', changes: [change('2', 'name', ada, { theirs: 'c' })] });
const rejected = record('3', { state: 'rejected' });
const ready = record('4');

describe('the lines of the review', () => {
  it('[PEND-14] put problems first: broken rules, conflicts, refused, then what is ready', () => {
    const items = reviewItems([ready, rejected, conflict, invalid], 'record', new Map());
    expect(items.map((item) => (item.kind === 'section' ? item.section : item.key))).toEqual([
      'invalid',
      '1',
      'decide',
      '2',
      'rejected',
      '3',
      'ready',
      '4',
    ]);
    expect(reviewItems([ready], 'record', new Map()).map((item) => item.kind)).toEqual(['record']);
  });
  it('group by field, new and deleted records apart, the most changed field first', () => {
    const both = record('5', { changes: [change('5', 'city'), change('5', 'name')] });
    const groups = fieldGroups([
      ready,
      both,
      record('6', { action: 'add' }),
      record('7', { action: 'delete' }),
    ]);
    expect(groups.map(({ kind, name, count }) => [kind, name, count])).toEqual([
      ['field', 'name', 2],
      ['field', 'city', 1],
      ['new', '', 1],
      ['deleted', '', 1],
    ]);
  });
  it('[PEND-18] group by author: a record of two people stands with both', () => {
    const shared = record('8', { changes: [change('8', 'name'), change('8', 'city', ben)] });
    expect(authorGroups([ready, shared]).map(({ name, records }) => [name, records.length])).toEqual([
      ['Ada', 2],
      ['Ben', 1],
    ]);
  });
  it('fold groups by themselves only when there are many lines', () => {
    const many = Array.from({ length: foldedFrom + 1 }, (_, i) => record(`m${i}`));
    expect(reviewItems(many, 'field', new Map())).toHaveLength(1);
    expect(reviewItems(many, 'field', new Map([['field name', true]]))).toHaveLength(many.length + 1);
    expect(reviewItems([ready], 'field', new Map())).toHaveLength(2);
  });
  it('never list a key twice', () => {
    const shared = record('8', { changes: [change('8', 'name'), change('8', 'city', ben)] });
    for (const grouping of ['record', 'field', 'author'] as const) {
      const keys = reviewItems([invalid, conflict, rejected, ready, shared], grouping, new Map()).map(
        (item) => item.key,
      );
      expect(new Set(keys).size).toBe(keys.length);
    }
  });
  it('name all conflicts, or those of one field', () => {
    const two = record('9', {
      state: 'conflict',
      changes: [change('9', 'name', ada, { theirs: 'x' }), change('9', 'city', ada, { theirs: null })],
    });
    expect(conflictsOf([conflict, two, ready])).toHaveLength(3);
    expect(conflictsOf([conflict, two, ready], 'city')).toEqual([{ id: '9', field: 'city' }]);
  });
  it('a vanished record has to be decided, whatever else is true of it', () => {
    expect(sectionOf(record('1', { isGone: true, state: 'invalid' }))).toBe('decide');
  });
});

describe('the results of a push', () => {
  const result = (id: string, outcome: 'succeeded' | 'rejected') => ({
    id,
    newId: null,
    key: null,
    label: null,
    action: 'update' as const,
    outcome,
    errCode: null,
    msg: outcome === 'rejected' ? 'No' : null,
    fieldErrors: [],
  });
  it('[PEND-17] list what did not go first, with why, and know what has been mended since', () => {
    const lines = resultLines(
      {
        results: [result('4', 'succeeded'), result('3', 'rejected'), result('5', 'rejected')],
        skipped: [{ id: '1', reason: 'validationErrors' }],
      },
      [record('3'), record('5', { state: 'rejected' }), invalid],
    );
    expect(lines.map(({ id, outcome, now, reason }) => [id, outcome, now, reason])).toEqual([
      ['3', 'rejected', 'mended', null],
      ['5', 'rejected', 'asItWas', null],
      ['1', 'skipped', 'asItWas', 'validationErrors'],
      ['4', 'succeeded', 'none', null],
    ]);
    expect(mendedIds(lines)).toEqual(['3']);
  });
});

describe('what holds a record back', () => {
  it('a conflict that a push found waits for a decision, like one that a refresh found', () => {
    const moved = record('9', {
      state: 'rejected',
      changes: [change('9', 'name', ada, { theirs: 'c' })],
      pushErrors: [{ errCode: 'CHANGED_IN_EXTERNAL_SYSTEM', msg: 'moved', field: 'name', at }],
    });
    expect([heldBy(moved), isTickedAtFirst(moved)]).toEqual(['conflict', false]);
    const refused = record('9', { state: 'rejected' });
    expect([heldBy(refused), isTickedAtFirst(refused)]).toEqual([null, false]);
  });
});
