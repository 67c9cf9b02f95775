import { randomUUID } from 'node:crypto';
import type { BulkCommand } from '@sluice/contract';
import { pendingOperationSchema } from '@sluice/contract';
import { type Api, tableOf } from '@sluice/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { bulkOf, type Shop, startShop } from './test-support/shop.ts';

let shop: Shop;
let path: string;
let known: string[];
let numbers: unknown[];

beforeAll(async () => {
  shop = await startShop(inject('postgresUrl'), { journalEntries: 10, tables: ['customers'] });
  path = shop.table('customers');
  const records = await tableOf(shop.ada, path).find('limit=5&offset=120');
  known = records.map(({ internalId }) => internalId);
  numbers = records.map((record) => record['number']);
});
afterAll(async () => await shop?.stop());

// `SEED=… RUNS=…` repeat a failure or search longer.
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env['RUNS'] ?? 25);
const parameters = { seed, numRuns, endOnFailure: true };
const timeout = 600_000;

type Act =
  | { kind: 'bulk'; at: number[]; command: BulkCommand; isSplit: boolean }
  | { kind: 'edit'; at: number; changes: Record<string, unknown> }
  | { kind: 'insert' };
type Step = Act | { kind: 'undo' | 'redo' };
const isAct = (step: Step): step is Act => step.kind !== 'undo' && step.kind !== 'redo';
type Command = { by: 'ada' | 'ben'; step: Step };

const words = fc.constantFrom('oak', 'Oak tree', 'elm', 'elm oak', '14', null);
const changes = fc.oneof(
  fc.record({ notes: words }),
  fc.record({ paymentTermDays: fc.constantFrom(7, 14, 30, null) }),
  fc.record({ notes: words, website: fc.constantFrom(null, 'https://oak.example', 'broken') }),
);
const command: fc.Arbitrary<BulkCommand> = fc.oneof(
  changes.map((of): BulkCommand => ({ kind: 'set', changes: of })),
  fc
    .constantFrom(
      { operator: 'add' as const, operand: '7' },
      { operator: 'multiply' as const, operand: '0.5' },
      { operator: 'percent' as const, operand: '100', roundTo: '10' },
    )
    .map((calculation): BulkCommand => ({
      kind: 'calculate',
      fields: ['paymentTermDays', 'creditLimit'],
      calculation,
    })),
  fc
    .record({ text: fc.constantFrom('oak', 'elm', '14'), replacement: fc.constantFrom('21', 'ash', '') })
    .map(({ text, replacement }): BulkCommand => ({
      kind: 'replace',
      find: { text, fields: ['notes', 'website', 'paymentTermDays'] },
      replacement,
    })),
  fc.constant<BulkCommand>({ kind: 'delete' }),
  fc.constantFrom<BulkCommand>(
    { kind: 'revert', fields: null },
    { kind: 'revert', fields: ['notes', 'paymentTermDays'] },
  ),
);
const bulkStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('bulk' as const),
  at: fc.uniqueArray(fc.nat({ max: 6 }), { minLength: 1, maxLength: 5 }),
  command,
  isSplit: fc.boolean(),
});
const editStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('edit' as const),
  at: fc.nat({ max: 4 }),
  changes,
});
const work: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: bulkStep },
  { weight: 2, arbitrary: editStep },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'insert' }) },
);
const again: fc.Arbitrary<Step> = fc.constantFrom<Step>({ kind: 'undo' }, { kind: 'undo' }, { kind: 'redo' });
const byAda = (step: fc.Arbitrary<Step>): fc.Arbitrary<Command> =>
  step.map((of) => ({ by: 'ada' as const, step: of }));
const byBen = editStep.map((of): Command => ({ by: 'ben', step: of }));

/** What ada and ben see, without what only counts up. */
async function picture(): Promise<string> {
  const filter = JSON.stringify([{ field: 'number', operator: 'in', values: numbers }]);
  const rows = await tableOf(shop.product.admin, path).find(`filter=${encodeURIComponent(filter)}`);
  const operations = (await tableOf(shop.product.admin, path).pending())
    .map(({ id, action, authoredBy, changes: cells, validationErrors }) => ({
      id,
      action,
      author: authoredBy.fullName,
      cells: cells
        .map((cell) =>
          JSON.stringify([cell.fieldName, cell.oldValue, cell.newValue, cell.authoredBy.fullName]),
        )
        .sort(),
      errors: validationErrors.map(({ field, code }) => `${field} ${code}`).sort(),
    }))
    .sort((a, b) => Number(a.id) - Number(b.id));
  return JSON.stringify({ rows, operations }, null, 1);
}

/** Cells that are pending by Ben, with their values. */
async function bensCells(): Promise<Map<string, unknown>> {
  const operations = z.array(pendingOperationSchema).parse(await tableOf(shop.product.admin, path).pending());
  return new Map(
    operations.flatMap(({ id, changes: cells }) =>
      cells
        .filter(({ authoredBy }) => authoredBy.fullName === 'Ben Bos')
        .map(({ fieldName, newValue }) => [`${id} ${fieldName}`, newValue] as const),
    ),
  );
}

/** One run: the steps of Ada that can be undone and redone, by the journal's rules. */
class Run {
  readonly done: string[] = [];
  readonly undone: string[] = [];
  readonly inserted: string[] = [];

  async begin(): Promise<void> {
    const operations = await tableOf(shop.product.admin, path).pending();
    const ids = (action: string): string[] =>
      operations.filter((one) => one.action === action).map(({ id }) => id);
    // A delete may hide changes, which come back when it is discarded.
    for (let round = 0; round < 2; round += 1) {
      const lists = {
        insert: ids('add'),
        update: [...ids('update'), ...ids('delete')],
        delete: ids('delete'),
      };
      await shop.product.admin.call('DELETE', `${path}/push`, lists);
    }
  }

  async run({ by, step }: Command): Promise<void> {
    const api = shop[by];
    if (!isAct(step)) {
      await this.replay(step.kind);
      return;
    }
    const editId = await this.act(api, step);
    if (by === 'ada' && editId !== undefined) {
      this.undone.length = 0;
      if (editId !== null && this.done.at(-1) !== editId) this.done.push(editId);
    }
  }

  async replay(direction: 'undo' | 'redo'): Promise<void> {
    const [from, to] = direction === 'undo' ? [this.done, this.undone] : [this.undone, this.done];
    const editId = from.pop();
    if (editId === undefined) return;
    const answer = await shop.ada.call('POST', `${path}/edits/${editId}/${direction}`);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    to.push(editId);
  }

  /** The step that it became; null = nothing changed, undefined = it was refused. */
  private async act(api: Api, step: Act): Promise<string | null | undefined> {
    const answered = z.object({ editId: z.string().nullable() });
    const there = [...known, ...this.inserted];
    const pick = (at: number): string => there[Math.min(at, there.length - 1)] ?? '';
    if (step.kind === 'insert') {
      const reply = await tableOf(api, path).insert([{ name: 'New one', notes: 'oak' }]);
      this.inserted.push(reply.resources[0]?.internalId ?? '');
      return reply.editId;
    }
    if (step.kind === 'edit') {
      const id = known[step.at] ?? '';
      const answer = await api.call('PATCH', path, [{ id, changes: step.changes }]);
      return answer.status === 200 ? answered.parse(answer.body).editId : undefined;
    }
    // A command in two calls is one step.
    const all = [...new Set(step.at.map(pick))];
    const parts = step.isSplit ? [all.slice(0, 2), all.slice(2)] : [all];
    const editId = randomUUID();
    let changedRecords = 0;
    for (const ids of parts) {
      const answer = await bulkOf(api, path).call({ ids }, step.command, 0, editId);
      // A replacement that does not fit: nothing of that part is changed.
      if (answer.status === 422) continue;
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      changedRecords += z.object({ changedRecords: z.number() }).parse(answer.body).changedRecords;
    }
    return changedRecords > 0 ? editId : null;
  }
}

describe('bulk commands and their undo', () => {
  it(
    '[GRID-14] [GRID-15] undo of all that one user did gives back the start, and redo of all of it the end',
    { timeout },
    async () => {
      const beginning = fc.array(fc.oneof(byAda(editStep), byBen), { maxLength: 4 });
      const steps = fc.array(byAda(work), { minLength: 2, maxLength: 8, size: 'max' });
      const property = fc.asyncProperty(beginning, steps, async (before, after) => {
        const run = new Run();
        await run.begin();
        for (const one of before) await run.run(one);
        run.done.length = 0;
        const start = await picture();
        for (const one of after) await run.run(one);
        const end = await picture();
        const count = run.done.length;
        for (let n = 0; n < count; n += 1) await run.replay('undo');
        expect(await picture()).toBe(start);
        for (let n = 0; n < count; n += 1) await run.replay('redo');
        expect(await picture()).toBe(end);
      });
      await fc.assert(property, parameters);
    },
  );

  it(
    "[GRID-15] whatever one user does in bulk, undoes and does again, nothing of the other's is lost",
    { timeout },
    async () => {
      const any = fc.oneof(
        { weight: 4, arbitrary: byAda(work) },
        { weight: 3, arbitrary: byBen },
        { weight: 2, arbitrary: byAda(again) },
      );
      const property = fc.asyncProperty(
        fc.array(any, { minLength: 4, maxLength: 12, size: 'max' }),
        async (list) => {
          const run = new Run();
          await run.begin();
          for (const one of list) {
            const before = await bensCells();
            await run.run(one);
            if (one.by === 'ada') expect(await bensCells()).toEqual(before);
          }
          const before = await bensCells();
          while (run.done.length > 0) await run.replay('undo');
          expect(await bensCells()).toEqual(before);
          const operations = await tableOf(shop.product.admin, path).pending();
          const adas = operations.flatMap(({ changes: cells }) =>
            cells.filter(({ authoredBy }) => authoredBy.fullName === 'Ada Smit'),
          );
          expect(adas).toEqual([]);
        },
      );
      await fc.assert(property, parameters);
    },
  );

  it('[GRID-14] one step that edits, deletes, takes that back and deletes again is undone whole and done again whole', async () => {
    const command: Record<string, BulkCommand> = {
      set: { kind: 'set', changes: { notes: 'in one step' } },
      delete: { kind: 'delete' },
      revert: { kind: 'revert', fields: null },
    };
    // What the random steps before have left pending is not in the way.
    await new Run().begin();
    const added = await tableOf(shop.ada, path).insert([{ name: 'Added before' }]);
    const ids = [...known.slice(0, 2), added.resources[0]?.internalId ?? ''];
    await tableOf(shop.ada, path).patch([{ id: ids[1] ?? '', changes: { notes: 'pending before' } }]);
    for (const names of [
      ['delete', 'revert'],
      ['set', 'delete', 'revert'],
      ['delete', 'revert', 'delete'],
      ['delete', 'revert', 'set'],
      ['set', 'delete'],
    ]) {
      const editId = randomUUID();
      const start = await plainState();
      for (const name of names)
        await bulkOf(shop.ada, path).run({ ids }, command[name] ?? { kind: 'delete' }, editId);
      const end = await plainState();
      const undone = await shop.ada.call('POST', `${path}/edits/${editId}/undo`);
      expect(undone, names.join()).toMatchObject({ status: 200, body: { kept: [] } });
      expect(await plainState(), names.join()).toEqual(start);
      const redone = await shop.ada.call('POST', `${path}/edits/${editId}/redo`);
      expect(redone, names.join()).toMatchObject({ status: 200, body: { kept: [] } });
      expect(await plainState(), names.join()).toEqual(end);
      await shop.ada.call('POST', `${path}/edits/${editId}/undo`);
    }
  });

  it('[GRID-14] a step over more than a thousand records is answered without them, and names those that come and go', async () => {
    await new Run().begin();
    const count = 1001;
    const records = Array.from({ length: count }, (_, n) => ({ name: `One of many ${n}` }));
    const { editId, resources } = await tableOf(shop.ada, path).insert(records);
    const ids = resources.map(({ internalId }) => internalId).toSorted();
    const replay = async (direction: 'undo' | 'redo') =>
      stepReply.parse((await shop.ada.call('POST', `${path}/edits/${editId}/${direction}`)).body);
    const undone = await replay('undo');
    expect(undone).toMatchObject({ isReloadNeeded: false, returnedIds: [] });
    expect(undone.removedIds.toSorted()).toEqual(ids);
    expect(await tableOf(shop.ada, path).pending()).toEqual([]);
    const redone = await replay('redo');
    expect(redone).toMatchObject({ isReloadNeeded: true, resources: [], removedIds: [] });
    expect(redone.returnedIds.toSorted()).toEqual(ids);
    const operations = await tableOf(shop.ada, path).pending();
    expect(operations.map(({ id }) => id).toSorted()).toEqual(ids);
    await replay('undo');
  });
});

const stepReply = z.object({
  resources: z.array(z.unknown()),
  isReloadNeeded: z.boolean(),
  removedIds: z.array(z.string()),
  returnedIds: z.array(z.string()),
});

/** What is pending, by record, without what every write changes. */
async function plainState() {
  const operations = await tableOf(shop.ada, path).pending();
  return operations
    .map(({ id, action, changes: cells }) => ({
      id,
      action,
      cells: cells.map(({ fieldName, oldValue, newValue }) => [fieldName, oldValue, newValue]),
    }))
    .sort((a, b) => a.id.localeCompare(b.id));
}
