import { describe, expect, it } from 'vitest';
import { failuresByCell } from './local-cells.ts';
import { GRANULE } from './granules.ts';
import { GridStore } from './store.ts';
import type { GridSource, RowBlock, RowState } from './types.ts';
import { waitForStore } from './wait-for-store.ts';

const fields = new Map([
  ['name', 0],
  ['city', 1],
]);

const blockOf = (offset: number, limit: number, total: number, snapshot = 's1'): RowBlock => {
  const count = Math.max(0, Math.min(limit, total - offset));
  const ids = Array.from({ length: count }, (_, i) => `r${offset + i}`);
  return {
    offset,
    ids,
    revisions: ids.map(() => 0),
    columns: [ids.map((id) => `name ${id}`), ids.map((id) => `city ${id}`)],
    states: new Map(),
    snapshot,
    snapshotChanged: false,
    total,
  };
};

/** A source that answers when it is told to. */
const heldSource = (total: number) => {
  const asked: { offset: number; limit: number; signal: AbortSignal; answer: () => void }[] = [];
  const source: GridSource = {
    loadBlock: ({ offset, limit, signal }) =>
      new Promise((resolve) => {
        asked.push({ offset, limit, signal, answer: () => resolve(blockOf(offset, limit, total)) });
      }),
  };
  return { source, asked };
};

const isFresh = (store: GridStore): boolean => store.isFresh;

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** What is looked at has been painted by then, and more is read ahead. */
const painted = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150));

/** Answers everything until nothing more is asked. */
const drain = async (asked: { answer: () => void }[]): Promise<void> => {
  for (let i = 0; i < 50 && asked.length > 0; i++) {
    asked.shift()?.answer();
    await settled();
  }
};

const stateOf = (mark: 'you'): RowState => ({
  action: 'update',
  bar: 'you',
  sign: null,
  cells: new Map([['name', { mark, message: null }]]),
});

describe('store', () => {
  it('asks for one small block first, then for a thousand rows around it', async () => {
    const { source, asked } = heldSource(100_000);
    const store = new GridStore(source, fields);
    store.view(0, 30);
    expect(asked.map(({ offset, limit }) => [offset, limit])).toEqual([[0, GRANULE]]);
    asked.shift()?.answer();
    await settled();
    expect(store.rowCount).toBe(100_000);
    expect(store.valueAt(7, 'city')).toBe('city r7');
    expect(asked).toEqual([]);
    await painted();
    expect(asked.map(({ offset, limit }) => [offset, limit])).toEqual([[GRANULE, 1000]]);
  });

  it('what changes while it is read anew is not covered by the older answer', async () => {
    const { source, asked } = heldSource(50);
    const store = new GridStore(source, fields);
    store.view(0, 30);
    asked.shift()?.answer();
    await painted();
    store.markStale();
    store.applyPatches([{ id: 'r7', revision: 1, values: ['new', 'city'], state: null }]);
    expect(asked).toHaveLength(1);
    // The answer was made before the change, so that the rows are asked for once more, and only once.
    asked.shift()?.answer();
    await settled();
    expect(asked).toHaveLength(1);
    asked.shift()?.answer();
    await painted();
    expect(asked).toEqual([]);
  });

  it('rows that are out of date while they are read are read again', async () => {
    const { source, asked } = heldSource(50);
    const store = new GridStore(source, fields);
    store.view(0, 30);
    store.markStale();
    expect(asked).toHaveLength(1);
    asked.shift()?.answer();
    await settled();
    expect(store.rowCount).toBe(50);
    expect(asked).toHaveLength(1);
    asked.shift()?.answer();
    await painted();
    expect(asked).toEqual([]);
  });

  it('tells when what is looked at is up to date again, or cannot be read', async () => {
    const { source, asked } = heldSource(50);
    const store = new GridStore(source, fields);
    store.view(0, 30);
    asked.shift()?.answer();
    await painted();
    await waitForStore(store, isFresh);
    store.markStale();
    let isOver = false;
    const fresh = waitForStore(store, isFresh).then(() => (isOver = true));
    // Changed meanwhile: the answer that is under way is too old.
    store.markStale();
    asked.shift()?.answer();
    await settled();
    expect(isOver).toBe(false);
    asked.shift()?.answer();
    await fresh;

    const broken = new GridStore({ loadBlock: () => Promise.reject(new Error('gone')) }, fields);
    broken.view(0, 30);
    await expect(waitForStore(broken, isFresh)).rejects.toThrow('gone');
  });

  it('a far jump gives up what is not looked at any more', async () => {
    const { source, asked } = heldSource(1_000_000);
    const store = new GridStore(source, fields);
    store.view(0, 30);
    asked.shift()?.answer();
    await painted();
    const [prefetch] = asked;
    expect(prefetch?.signal.aborted).toBe(false);
    store.view(900_000, 900_030);
    expect(prefetch?.signal.aborted).toBe(true);
    expect(asked.at(-1)?.offset).toBe(900_000);
    expect(store.rowAt(900_010)).toBeNull();
    asked.at(-1)?.answer();
    await settled();
    expect(store.rowAt(900_010)?.id).toBe('r900010');
  });

  it('keeps a bounded number of values however far one scrolls', async () => {
    const { source, asked } = heldSource(1_000_000);
    const store = new GridStore(source, fields, { maxValues: GRANULE * 2 * 12 });
    for (let row = 0; row < 60_000; row += 700) {
      store.view(row, row + 30);
      await drain(asked);
    }
    let loaded = 0;
    for (let row = 0; row < 61_000; row += GRANULE) if (store.rowAt(row)) loaded++;
    // What is near the window stays whatever the bound: one request's worth on both sides.
    expect(loaded).toBeLessThanOrEqual(24);
    expect(store.rowAt(59_500)?.id).toBe('r59500');
  });

  it('what is stored as it was sent becomes the value, marked with the old one; a value as before gets no mark', () => {
    const store = new GridStore(heldSource(10).source, fields);
    store.accept(blockOf(0, 10, 10));
    const before = store.valueAt(3, 'name') ?? null;
    const edits = [
      { rowId: 'r3', fieldId: 'name', value: 'new' },
      { rowId: 'r4', fieldId: 'name', value: store.valueAt(4, 'name') ?? null },
      { rowId: 'r5', fieldId: 'name', value: 'not stored' },
    ];
    const stored = new Map([
      ['r3', 7],
      ['r4', 7],
    ]);
    store.commit(edits, stored, '2026-01-01T00:00:00Z');
    expect(store.valueAt(3, 'name')).toBe('new');
    expect(store.rowAt(3)?.revision).toBe(7);
    expect(store.cellState('r3', 'name')).toMatchObject({ mark: 'you', oldValue: before });
    expect(store.stateOf('r3')).toMatchObject({ action: 'update', bar: 'you', sign: null });
    expect(store.stateOf('r4')).toBeNull();
    expect(store.valueAt(5, 'name')).not.toBe('not stored');
    // Changed once more: what the external system holds is still what it was.
    store.commit(
      [{ rowId: 'r3', fieldId: 'name', value: 'newer' }],
      new Map([['r3', 8]]),
      '2026-01-02T00:00:00Z',
    );
    expect(store.cellState('r3', 'name')).toMatchObject({ oldValue: before });
  });

  it('a new record that the live message tells of before the answer does stands there once', () => {
    const store = new GridStore(heldSource(10).source, fields);
    store.accept(blockOf(0, 10, 10));
    store.addTop([{ id: 'draft', revision: 0, values: ['x', null], isDraft: true }]);
    const patch = { id: 'n1', revision: 1, values: ['x', null], state: null };
    store.applyPatches([patch], true);
    store.settleDraft('draft', patch);
    expect(store.topRows.map((row) => row.id)).toEqual(['n1']);
    expect(store.rowCount).toBe(11);
  });

  it('shows an edit at once, and marks it when the server refuses it', () => {
    const store = new GridStore(heldSource(10).source, fields);
    store.accept(blockOf(0, 10, 10));
    const edit = { rowId: 'r3', fieldId: 'name', value: 'new' };
    store.setLocal([edit]);
    expect(store.valueAt(3, 'name')).toBe('new');
    expect(store.localCell('r3', 'name')?.state).toBe('saving');
    store.settleLocal(
      [edit],
      failuresByCell([{ rowId: 'r3', fieldId: 'name', message: 'no', theirs: 'other' }]),
    );
    expect(store.localCell('r3', 'name')).toMatchObject({
      value: 'new',
      state: 'failed',
      message: 'no',
      theirs: 'other',
    });
    store.dropLocal('r3', 'name');
    expect(store.valueAt(3, 'name')).toBe('name r3');
  });

  it('the answer to an earlier edit does not settle a later one of the same cell', () => {
    const store = new GridStore(heldSource(10).source, fields);
    store.accept(blockOf(0, 10, 10));
    const first = { rowId: 'r3', fieldId: 'name', value: 'a' };
    store.setLocal([first]);
    store.setLocal([{ ...first, value: 'ab' }]);
    store.settleLocal([first], failuresByCell([]));
    expect(store.valueAt(3, 'name')).toBe('ab');
  });

  it('patches rows by id, and a value being edited is not overwritten', () => {
    const store = new GridStore(heldSource(10).source, fields);
    store.accept(blockOf(0, 10, 10));
    store.setLocal([{ rowId: 'r2', fieldId: 'city', value: 'mine' }]);
    store.applyPatches([{ id: 'r2', revision: 4, values: ['theirs', 'theirs'], state: stateOf('you') }]);
    expect(store.valueAt(2, 'name')).toBe('theirs');
    expect(store.valueAt(2, 'city')).toBe('mine');
    expect(store.rowAt(2)).toMatchObject({ revision: 4, state: { bar: 'you' } });
  });

  it('new rows stand at the top, and drafts survive another order', () => {
    const store = new GridStore(heldSource(10).source, fields);
    store.accept(blockOf(0, 10, 10));
    store.addTop([{ id: 'd1', revision: 0, values: [null, null], isDraft: true }], 'start');
    store.applyPatches([{ id: 'n1', revision: 1, values: ['added', ''], state: stateOf('you') }], true);
    expect(store.rowCount).toBe(12);
    expect(store.rowAt(0)?.isDraft).toBe(true);
    expect(store.positionOf('r0')).toBe(2);
    store.settleDraft('d1', { id: 'n2', revision: 1, values: ['first', ''], state: null });
    expect(store.rowAt(0)).toMatchObject({ id: 'n2', isDraft: false });
    store.addTop([{ id: 'd2', revision: 0, values: [null, null], isDraft: true }], 'start');
    store.reset();
    expect(store.topRows.map((row) => row.id)).toEqual(['d2']);
  });

  it('another snapshot of the same view keeps the window where it is, and nobody chooses all until it is counted', async () => {
    const { source, asked } = heldSource(5000);
    const store = new GridStore(source, fields);
    store.view(0, 20);
    await drain(asked);
    store.view(3000, 3040);
    await drain(asked);
    expect([store.rowCount, store.total, store.idAt(3010)]).toEqual([5000, 5000, 'r3010']);
    store.renew();
    expect([store.rowCount, store.total, store.currentSnapshot]).toEqual([5000, null, null]);
    expect(store.rowAt(3010)).toBeNull();
    await painted();
    await drain(asked);
    expect([store.rowCount, store.total, store.idAt(3010)]).toEqual([5000, 5000, 'r3010']);
    // A page comes before the count: until then nobody knows how many there are, and then everybody is told.
    store.renew();
    const told: string[] = [];
    store.subscribe((change) => told.push(change));
    store.accept({ ...blockOf(3000, 100, 5000, 's2'), total: null });
    expect([store.total, told.includes('total')]).toEqual([null, false]);
    store.accept(blockOf(0, 100, 5000, 's2'));
    expect([store.total, told.includes('total')]).toEqual([5000, true]);
  });

  it('a removed record leaves its place empty until the next snapshot', () => {
    const store = new GridStore(heldSource(10).source, fields);
    store.accept(blockOf(0, 10, 10));
    store.removeRows(['r4']);
    expect(store.rowAt(4)).toBeNull();
    expect(store.isGap(4)).toBe(true);
    expect(store.rowAt(5)?.id).toBe('r5');
  });

  it('stale rows stay in sight while they are fetched again', async () => {
    const { source, asked } = heldSource(100);
    const store = new GridStore(source, fields);
    store.view(0, 20);
    await drain(asked);
    store.markStale();
    expect(store.rowAt(3)?.id).toBe('r3');
    expect(asked).toHaveLength(1);
  });
});
