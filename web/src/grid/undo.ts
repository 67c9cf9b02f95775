/** Most steps that can be taken back. */
export const UNDO_LIMIT = 100;

/**
 * The user's own steps on one table, by their ids in the server's edit journal: what to undo next and what to redo.
 * The journal does the work; this only remembers the order.
 */
export interface UndoStack {
  done: readonly string[];
  undone: readonly string[];
}

export const emptyUndoStack: UndoStack = { done: [], undone: [] };

/** A new step makes what was undone before it unreachable. */
export const record = (stack: UndoStack, editId: string): UndoStack => ({
  done: [...stack.done.filter((id) => id !== editId), editId].slice(-UNDO_LIMIT),
  undone: [],
});

export const nextUndo = (stack: UndoStack): string | null => stack.done.at(-1) ?? null;
export const nextRedo = (stack: UndoStack): string | null => stack.undone.at(-1) ?? null;

export const undone = (stack: UndoStack): UndoStack => {
  const id = nextUndo(stack);
  return id === null ? stack : { done: stack.done.slice(0, -1), undone: [...stack.undone, id] };
};

export const redone = (stack: UndoStack): UndoStack => {
  const id = nextRedo(stack);
  return id === null ? stack : { done: [...stack.done, id], undone: stack.undone.slice(0, -1) };
};

/** The stack as the journal tells it, newest step first. */
export const fromJournal = (edits: readonly { editId: string; isUndone: boolean }[]): UndoStack => {
  const firstDone = edits.findIndex((edit) => !edit.isUndone);
  const tail = firstDone < 0 ? edits : edits.slice(0, firstDone);
  return {
    done: edits
      .filter((edit) => !edit.isUndone)
      .map((edit) => edit.editId)
      .toReversed()
      .slice(-UNDO_LIMIT),
    undone: tail.map((edit) => edit.editId),
  };
};
