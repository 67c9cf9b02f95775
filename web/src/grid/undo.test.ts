import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  UNDO_LIMIT,
  emptyUndoStack,
  fromJournal,
  nextRedo,
  nextUndo,
  record,
  redone,
  undone,
} from './undo.ts';

describe('undo', () => {
  it('undoing and redoing any steps ends where it began', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.uuid(), { maxLength: 20 }), fc.nat(25), (ids, steps) => {
        const done = ids.reduce(record, emptyUndoStack);
        let now = done;
        for (let i = 0; i < steps; i++) now = undone(now);
        for (let i = 0; i < steps; i++) now = redone(now);
        expect(now).toEqual(done);
      }),
    );
  });

  it('a new step makes undone ones unreachable', () => {
    const stack = record(undone(record(record(emptyUndoStack, 'a'), 'b')), 'c');
    expect(nextUndo(stack)).toBe('c');
    expect(nextRedo(stack)).toBeNull();
  });

  it('remembers a hundred steps', () => {
    const stack = Array.from({ length: 150 }, (_, i) => String(i)).reduce(record, emptyUndoStack);
    expect(stack.done).toHaveLength(UNDO_LIMIT);
    expect(nextUndo(stack)).toBe('149');
  });

  it('takes up the journal after a reload, newest first', () => {
    const stack = fromJournal([
      { editId: 'd', isUndone: true },
      { editId: 'c', isUndone: true },
      { editId: 'b', isUndone: false },
      { editId: 'a', isUndone: false },
    ]);
    expect(nextUndo(stack)).toBe('b');
    expect(nextRedo(stack)).toBe('c');
  });
});
