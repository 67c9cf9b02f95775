import { inspect, isDeepStrictEqual } from 'node:util';
import type { PendingOperation } from '@sluice/contract';
import type { Command } from './commands.ts';
import { Editing } from './editing.ts';
import { Exchange } from './exchange.ts';
import {
  type Changes,
  type Field,
  isConflict,
  baseIn,
  noValues,
  refusal,
  type Row,
  shown,
  stateOf,
  type User,
  type Values,
  violations,
} from './model.ts';
import { byId, differing, idOf, isOther, listsOf, listsOfRows, plain, sorted, valuesOf } from './reading.ts';
import { personOf, type Resource, type World } from './world.ts';

const minute = 60_000;
const actions = { i: 'add', u: 'update', d: 'delete' } as const;

/** Runs commands on the product and on the model, and demands after each that both say the same. */
export class Runner {
  readonly #world: World;
  readonly #rows: Row[] = [];
  readonly #editing: Editing;
  readonly #exchange: Exchange;
  /** The seeded price lists: nobody touches them, so nothing may. */
  #bystanders: string | null = null;
  /** What was seen of each row's revision, and when. */
  readonly #seen = new Map<string, { revision: number; at: number }[]>();
  readonly #done: Command[] = [];

  constructor(world: World) {
    this.#world = world;
    this.#editing = new Editing(this.#rows, world.clock);
    this.#exchange = new Exchange(this.#rows, world.clock, (twin, row) => this.#editing.rename(twin, row));
  }

  /** Everything of earlier runs is dropped; eight records of our own stand in the ERP and in the table. */
  async begin(): Promise<void> {
    const world = this.#world;
    for (
      let operations = await world.operations();
      operations.length > 0;
      operations = await world.operations()
    )
      await personOf(world, 'ada').discard(listsOf(operations));
    for (const code of (await world.erpRecords()).keys())
      if (!code.startsWith('PL')) await world.erp('DELETE', `PriceLists('${code}')`);
    for (let n = 1; n <= 4; n += 1) {
      const values: Changes = {
        code: `Z${n}`,
        name: `List ${n}`,
        currency: 'EUR',
        validFrom: '2026-01-01',
        maximumDiscount: 10,
      };
      await world.erp('POST', 'PriceLists', values);
      this.#exchange.erpWrite({ ...noValues, isDefault: false, ...values });
    }
    world.clock.now += 5 * minute;
    await world.refresh(true, async () => undefined);
    await this.#exchange.refresh(true, async () => undefined);
    this.#bystanders = null;
    await this.check();
  }

  async run(command: Command): Promise<void> {
    // Longer than what an incremental refresh asks for on top: it must not find changes by luck.
    this.#world.clock.now += 3 * minute;
    this.#done.push(command);
    await this.#execute(command);
    await this.check();
  }

  #pick(at: number): Row | undefined {
    return this.#rows[Math.min(at, this.#rows.length - 1)];
  }

  #pickAll(at: readonly number[]): Row[] {
    return [...new Set(at.flatMap((one) => this.#pick(one) ?? []))];
  }

  async #execute(command: Command): Promise<void> {
    switch (command.kind) {
      case 'edit':
        return await this.#edit(command);
      case 'insert': {
        const { id, editId } = await personOf(this.#world, command.by).insert(command.values);
        this.#editing.insert(command.by, command.values, editId, id);
        return;
      }
      case 'delete': {
        const rows = this.#pickAll(command.at);
        const { editId } = await personOf(this.#world, command.by).remove(rows.map(idOf));
        this.#editing.remove(command.by, rows, editId);
        return;
      }
      case 'discard': {
        const rows = this.#pickAll(command.at).filter(({ operation }) => operation);
        const { editId } = await personOf(this.#world, command.by).discard(listsOfRows(rows));
        this.#editing.discard(command.by, rows, editId ?? '');
        return;
      }
      case 'undo':
      case 'redo':
        await this.replay(command.by, command.kind);
        return;
      case 'resolve': {
        const row = this.#pick(command.at);
        if (!row?.operation) return;
        const status = await personOf(this.#world, command.by).resolve(idOf(row), command.choice);
        this.#demand('status of resolve', row.isBeingPushed ? 409 : 200, status);
        if (!row.isBeingPushed) this.#editing.resolve(command.by, row, command.choice);
        return;
      }
      case 'erpEdit':
      case 'erpDelete':
      case 'erpAdd':
        return await this.#erp(command);
      case 'refresh': {
        const between = async (): Promise<void> => await this.#runAll(command.between);
        let isDone = false;
        // The model's refresh drives: the product's reads, then waits for the commands in between.
        await this.#world.refresh(command.isFull, async () => {
          await this.#exchange.refresh(command.isFull, between);
          isDone = true;
        });
        this.#demand('refresh', true, isDone);
        return;
      }
      case 'push':
        await this.#push(command);
    }
  }

  async #runAll(commands: readonly Command[]): Promise<void> {
    for (const command of commands) await this.run(command);
  }

  async #edit({ by, at, changes, looked }: Extract<Command, { kind: 'edit' }>): Promise<void> {
    const rows = this.#pickAll(at);
    if (rows.length === 0) return;
    const view = (row: Row) => {
      const seen = this.#seen.get(idOf(row)) ?? [];
      return looked === 'never' ? undefined : seen.at(looked === 'now' ? -1 : -2);
    };
    const body = rows.map((row) => {
      const seen = view(row);
      return { id: idOf(row), ...(seen ? { revision: seen.revision } : {}) };
    });
    const { status, editId } = await personOf(this.#world, by).edit(body, changes);
    const wanted = Object.keys(changes) as Field[];
    const expected = this.#editing.editStatus(by, rows, wanted, (row) => view(row)?.at ?? 0);
    this.#demand('status of the edit', expected, status);
    if (expected === 200) this.#editing.edit(by, rows, changes, editId);
  }

  /** Undo or redo of the last step of a user; false when there is none. */
  async replay(by: User, direction: 'undo' | 'redo'): Promise<boolean> {
    const steps = this.#editing.steps[by].filter(({ cells, rows }) => cells.length + rows.length > 0);
    const step =
      direction === 'undo'
        ? steps.findLast(({ isUndone }) => !isUndone)
        : steps.find(({ isUndone }) => isUndone);
    if (!step) return false;
    const status = await personOf(this.#world, by).replay(step.editId, direction);
    this.#demand(`status of ${direction}`, 200, status);
    this.#editing[direction](by, step);
    return true;
  }

  async #erp(command: Extract<Command, { kind: 'erpEdit' | 'erpDelete' | 'erpAdd' }>): Promise<void> {
    const { erp } = this.#exchange;
    if (command.kind === 'erpAdd') {
      const values: Values = { ...noValues, isDefault: false, ...command.values };
      if (refusal(erp, values, null)) return;
      this.#demand('ERP adds', 201, await this.#world.erp('POST', 'PriceLists', command.values));
      this.#exchange.erpWrite(values);
      return;
    }
    const codes = [...erp.keys()];
    const code = codes[Math.min(command.at, codes.length - 1)];
    const found = code === undefined ? undefined : erp.get(code);
    if (code === undefined || !found) return;
    if (command.kind === 'erpDelete') {
      this.#demand('ERP deletes', 204, await this.#world.erp('DELETE', `PriceLists('${code}')`));
      erp.delete(code);
      return;
    }
    const values = { ...found.values, ...command.changes };
    if (refusal(erp, values, found.values)) return;
    const status = await this.#world.erp('PATCH', `PriceLists('${code}')`, command.changes);
    this.#demand('ERP edits', 200, status);
    this.#exchange.erpWrite(values);
  }

  async #push({ by, at, isLost, after, between }: Extract<Command, { kind: 'push' }>): Promise<void> {
    const picked = at === null ? [...this.#rows] : this.#pickAll(at);
    const rows = picked.filter(({ operation }) => operation);
    if (rows.length === 0) return;
    const { chosen, skipped } = this.#exchange.choose(rows);
    const started = await this.#world.startPush(by, listsOfRows(rows));
    const { internalId, skipped: actual, finishedAt } = started.changePushAction;
    this.#demand(
      'skipped records',
      Object.fromEntries([...skipped].map(([row, reason]) => [idOf(row), reason])),
      Object.fromEntries(actual.map(({ id, reason }) => [id, reason])),
    );
    this.#demand('push without records', chosen.length === 0, finishedAt !== null);
    if (chosen.length === 0) return;
    // Inserts, updates, deletes; each in the order of the rows.
    const order = { i: 0, u: 1, d: 2 };
    const place = (row: Row): number => order[row.operation?.action ?? 'u'];
    chosen.sort((a, b) => place(a) - place(b) || Number(a.id) - Number(b.id));
    const ids = new Map(chosen.map((row) => [row, idOf(row)]));
    const results = new Map<Row, string>();
    let isModelled = false;
    const model = async (commands: readonly Command[]): Promise<void> => {
      const run = async (): Promise<void> => await this.#runAll(commands);
      isModelled = true;
      for (const [row, outcome] of await this.#exchange.push(chosen, { isLost, after, between: run }))
        results.set(row, outcome);
    };
    const ended = await this.#world.runPush(internalId, {
      isLost,
      after,
      between: async () => await model(between),
    });
    // It took fewer calls than that: then nothing came in between.
    if (!isModelled) await model([]);
    const { results: outcomes } = ended.changePushAction;
    this.#demand(
      'outcomes',
      Object.fromEntries([...results].map(([row, outcome]) => [ids.get(row), outcome])),
      Object.fromEntries(outcomes.map(({ id, outcome }) => [id, outcome])),
    );
    this.#demand('push has ended', true, ended.changePushAction.finishedAt !== null);
  }

  async check(): Promise<void> {
    const [resources, operations, records, strayFlags] = await Promise.all([
      this.#world.resources(),
      this.#world.operations(),
      this.#world.erpRecords(),
      this.#world.strayFlags(),
    ]);
    this.#bind(resources);
    this.#look(operations);
    const own = resources.filter(({ code }) => !isOther(code));
    this.#demand(
      'values shown',
      byId(this.#rows.map((row) => [idOf(row), shown(row)])),
      byId(own.map((resource) => [resource.internalId, valuesOf(resource)])),
    );
    this.#demand(
      'pending operations',
      byId(this.#rows.flatMap((row) => (row.operation ? [[idOf(row), this.#expected(row)]] : []))),
      byId(operations.map((operation) => [operation.id, plain(operation)])),
    );
    const { erp } = this.#exchange;
    this.#demand(
      'what the ERP holds',
      byId([...erp].map(([code, { values }]) => [code, values])),
      byId([...records].flatMap(([code, e]) => (isOther(code) ? [] : [[code, valuesOf(e)]]))),
    );
    this.#demand('rows with a wrong flag', 0, strayFlags);
    const others = [
      byId(resources.flatMap((r) => (isOther(r.code) ? [[r.internalId, r]] : []))),
      byId([...records].filter(([code]) => isOther(code))),
    ];
    this.#bystanders ??= JSON.stringify(others);
    this.#demand('records that nobody touched', this.#bystanders, JSON.stringify(others));
  }

  /** Rows that a refresh brought get their ids from the table. */
  #bind(resources: readonly Resource[]): void {
    const known = new Set(this.#rows.map(({ id }) => id));
    for (const row of this.#rows.filter(({ id }) => id === null)) {
      const found = resources.find(({ internalId, code }) => code === row.key && !known.has(internalId));
      if (!found) continue;
      row.id = found.internalId;
      known.add(found.internalId);
    }
  }

  #look(operations: readonly PendingOperation[]): void {
    for (const { id, revision } of operations) {
      const seen = this.#seen.get(id) ?? [];
      this.#seen.set(id, [...seen, { revision, at: this.#world.clock.now }]);
    }
  }

  #expected(row: Row) {
    const { operation } = row;
    const cells = [...(operation?.cells ?? [])].map(([field, cell]) => [
      field,
      {
        old: cell.old,
        new: cell.value,
        author: cell.author,
        ...(isConflict(row, field) ? { theirs: baseIn(row, field) } : {}),
      },
    ]);
    return {
      action: actions[operation?.action ?? 'u'],
      state: stateOf(this.#rows, row),
      isGone: operation?.isGone ?? false,
      isUnknown: operation?.isUnknown ?? false,
      author: operation?.action === 'u' ? null : operation?.author,
      changes: sorted(cells),
      errors: violations(this.#rows, row),
    };
  }

  #demand(what: string, expected: unknown, actual: unknown): void {
    if (isDeepStrictEqual(expected, actual)) return;
    const [wanted, found] = [differing(expected, actual), differing(actual, expected)];
    const shownAs = (value: unknown): string => inspect(value, { depth: 8, breakLength: 120 });
    throw new Error(
      `${what}: expected\n${shownAs(wanted)}\nbut found\n${shownAs(found)}\nafter\n${this.#done
        .map((command) => `  ${JSON.stringify(command)}`)
        .join('\n')}`,
    );
  }

  /** How many steps of a user can be undone. */
  countSteps(by: User): number {
    const steps = this.#editing.steps[by].filter(({ isUndone }) => !isUndone);
    return steps.filter(({ cells, rows }) => cells.length + rows.length > 0).length;
  }

  /** Everything that people see, to be compared with another time. */
  async picture(): Promise<string> {
    const [resources, operations] = await Promise.all([this.#world.resources(), this.#world.operations()]);
    const seen = {
      resources: byId(resources.map((resource) => [resource.internalId, resource])),
      operations: byId(operations.map((operation) => [operation.id, plain(operation)])),
    };
    return inspect(seen, { depth: 8, maxArrayLength: null, maxStringLength: null });
  }
}
