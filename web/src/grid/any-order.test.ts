import type { Value } from '@sluice/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editCell, redo, undo } from './actions.ts';
import { GridController } from './controller.ts';
import { fillRange } from './fill.ts';
import { paste } from './paste.ts';
import type { Range } from './selection.ts';
import { COLUMNS, ROWS, Shared, columns } from './test-support/shared.ts';
import { nextUndo } from './undo.ts';

type Command =
  | { kind: 'edit'; row: number; col: number }
  | { kind: 'paste'; row: number; col: number; height: number; width: number }
  | { kind: 'fill'; row: number; col: number; height: number }
  | { kind: 'ben'; row: number; col: number; isTold: boolean }
  | { kind: 'answer'; at: number }
  | { kind: 'undo' | 'redo' | 'refresh' };

const row = fc.nat(ROWS - 1);
const col = fc.nat(COLUMNS - 1);
const edits: fc.Arbitrary<Command>[] = [
  fc.record({ kind: fc.constant('edit'), row, col }),
  fc.record({
    kind: fc.constant('paste'),
    row,
    col,
    height: fc.integer({ min: 1, max: 4 }),
    width: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ kind: fc.constant('fill'), row, col, height: fc.integer({ min: 1, max: 4 }) }),
];
const ben: fc.Arbitrary<Command> = fc.record({ kind: fc.constant('ben'), row, col, isTold: fc.boolean() });
const answer: fc.Arbitrary<Command> = fc.record({ kind: fc.constant('answer'), at: fc.nat(5) });
const others: fc.Arbitrary<Command> = fc.constantFrom(
  { kind: 'undo' },
  { kind: 'undo' },
  { kind: 'redo' },
  { kind: 'refresh' },
);

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** One user at his table, with all that he has under way. */
class Session {
  readonly shared = new Shared();
  readonly grid: GridController;
  private readonly underWay = new Set<Promise<void>>();
  private count = 0;
  /** Which value the user saw in a cell when he changed it, by cell and new value. */
  readonly seen = new Map<string, Value>();
  /** What he saw in a cell last that was not a change of his own on its way. */
  private readonly under = new Map<string, Value>();
  /** What he did to each cell last. */
  readonly wanted = new Map<string, Value>();

  constructor() {
    const { shared } = this;
    let ids = 0;
    this.grid = new GridController({
      source: { loadBlock: ({ offset, limit }) => shared.load(offset, limit) },
      commands: {
        apply: (batch) => shared.apply(batch),
        undo: (editId) => shared.step(editId, 'undo'),
        redo: (editId) => shared.step(editId, 'redo'),
        loadRows: (offset, limit) => shared.load(offset, limit),
        remove: async () => ({ states: new Map(), revisions: new Map(), removedIds: [], refused: 0 }),
        bulk: async () => undefined,
        track: () => ({ isStopped: false, update: () => undefined, end: () => undefined }),
        describeError: String,
        newId: () => `e${++ids}`,
      },
      columns,
      settings: {
        formats: { shortDate: 'dd-mm-yyyy', numberFormat: 'dotSeparated', fullDate: 'long' },
        timeZone: 'UTC',
        displayMode: 'both',
        yes: 'Yes',
        no: 'No',
      },
      translate: (key) => key,
      canInsert: false,
      canUpdate: true,
      canDelete: true,
      rowHeight: 28,
      today: () => '2026-01-01',
    });
  }

  async open(): Promise<void> {
    this.grid.store.view(0, ROWS - 1);
    await this.settle();
  }

  private want(at: number, column: number, value: Value): void {
    if (at >= ROWS || column >= COLUMNS) return;
    const key = `${at},${column}`;
    const { store } = this.grid;
    const local = store.localCell(`r${at}`, `f${column}`);
    // Over a change on its way he sees no more of the other user than he did when he made that change.
    if (local?.state !== 'saving') {
      this.under.set(key, local?.theirs ?? store.valueOf(`r${at}`, `f${column}`) ?? null);
    }
    this.seen.set(`${key},${String(value)}`, this.under.get(key) ?? null);
    this.wanted.set(key, value);
  }

  private follow(work: Promise<void>): void {
    this.underWay.add(work);
    void work.finally(() => this.underWay.delete(work));
  }

  async run(command: Command): Promise<void> {
    const { grid, shared } = this;
    switch (command.kind) {
      case 'edit': {
        const value = `typed ${++this.count}`;
        this.want(command.row, command.col, value);
        this.follow(editCell(grid, { row: command.row, col: command.col }, value));
        break;
      }
      case 'paste': {
        const lines = Array.from({ length: command.height }, (_, r) =>
          Array.from({ length: command.width }, (__, c) => {
            const value = `pasted ${++this.count}`;
            this.want(command.row + r, command.col + c, value);
            return value;
          }).join('\t'),
        );
        grid.selectAt({ row: command.row, col: command.col });
        this.follow(paste(grid, lines.join('\n')));
        break;
      }
      case 'fill': {
        const { row: top, col: left } = command;
        const bottom = Math.min(ROWS - 1, top + command.height);
        if (bottom === top) break;
        const value = grid.store.valueAt(top, `f${left}`) ?? null;
        for (let at = top + 1; at <= bottom; at++) this.want(at, left, value);
        const source: Range = { kind: 'cells', top, bottom: top, left, right: left };
        this.follow(fillRange(grid, source, { ...source, top: top + 1, bottom }, 'copy'));
        break;
      }
      case 'ben':
        shared.ben(command.row, command.col, `ben ${++this.count}`);
        this.wanted.delete(`${command.row},${command.col}`);
        if (command.isTold) grid.store.applyPatches([shared.patch(command.row)]);
        break;
      case 'answer':
        shared.answer(command.at);
        break;
      case 'undo':
        this.follow(undo(grid));
        break;
      case 'redo':
        this.follow(redo(grid));
        break;
      case 'refresh':
        grid.store.markStale();
        break;
    }
    await turn();
  }

  /** Until nothing is asked and nothing is under way. */
  async settle(): Promise<void> {
    do {
      while (this.shared.isAsked) {
        this.shared.answer(0);
        await turn();
      }
      await turn();
    } while (this.underWay.size > 0 || this.shared.isAsked);
  }

  /** What the table shows once it has been read anew; refused cells given up. */
  async shown(): Promise<(Value | undefined)[][]> {
    const { store } = this.grid;
    store.markStale();
    await this.settle();
    return Array.from({ length: ROWS }, (_, at) =>
      columns.map(({ id }) => {
        const local = store.localCell(`r${at}`, id);
        expect(local?.state).not.toBe('saving');
        if (local) store.dropLocal(`r${at}`, id);
        return store.valueAt(at, id);
      }),
    );
  }

  get stored(): Value[][] {
    return this.shared.cells.map((line) => line.map(({ value }) => value));
  }
}

// `SEED=… RUNS=…` repeat a failure or search longer.
const parameters = {
  seed: Number(process.env['SEED'] ?? Date.now() % 2 ** 31),
  numRuns: Number(process.env['RUNS'] ?? 2000),
};

describe('edits, pastes, fills, undo, redo, refreshes and another user, answered in any order', () => {
  it('[GRID-14] [KEY-01] undoing all ends at the start with what the other user did; the table shows what is stored', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(...edits, ben, answer, answer, others), { maxLength: 40 }),
        async (commands) => {
          const session = new Session();
          await session.open();
          for (const command of commands) await session.run(command);
          await session.settle();
          expect(await session.shown()).toEqual(session.stored);
          while (nextUndo(session.grid.undoStack) !== null) {
            await session.run({ kind: 'undo' });
            await session.settle();
          }
          expect(session.stored).toEqual(session.shared.withoutMe);
          expect(await session.shown()).toEqual(session.stored);
        },
      ),
      parameters,
    );
  });

  it("nothing of the other user is overwritten unseen, and of one's own the last change stands", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(...edits, ben, answer, answer), { maxLength: 40 }),
        async (commands) => {
          const session = new Session();
          session.shared.onOverwrite = (at, column, cell, value) => {
            expect(session.seen.get(`${at},${column},${String(value)}`)).toBe(cell.value);
          };
          await session.open();
          for (const command of commands) await session.run(command);
          await session.settle();
          for (const [key, value] of session.wanted) {
            const [at = 0, column = 0] = key.split(',').map(Number);
            const local = session.grid.store.localCell(`r${at}`, `f${column}`);
            if (local?.state !== 'failed') expect(session.shared.at(at, column).value).toBe(value);
          }
        },
      ),
      parameters,
    );
  });
});
