import type { Clock } from './editing.ts';
import {
  type ErpRecord,
  type Field,
  fields,
  hasConflict,
  noValues,
  rebase,
  refusal,
  type Row,
  shown,
  type Values,
  violations,
} from './model.ts';

interface Item {
  row: Row;
  key: string | null;
  action: 'i' | 'u' | 'd';
  values: Partial<Values>;
  before: Partial<Values>;
  version: number | null;
}

type Answer = ErpRecord | 'gone' | 'stale' | 'unique' | 'other' | 'deleted';
type Outcome = 'succeeded' | 'rejected' | 'unknown';

/** One push under way. */
interface Run {
  results: Map<Row, Outcome>;
  again: Item[];
  calls: number;
  isLost: boolean;
  after: number;
  between: () => Promise<void>;
}

/** The half of the model that talks with the ERP: refresh and push, with other commands in the middle of them. */
export class Exchange {
  readonly erp = new Map<string, ErpRecord>();
  readonly rows: Row[];
  readonly #clock: Clock;
  #version = 0;
  /** What pushes settled while a refresh was reading: they know better than what it read. */
  #settled: { rows: Set<Row>; keys: Set<string> } | null = null;
  #onTwin: (twin: Row, row: Row) => void;

  constructor(rows: Row[], clock: Clock, onTwin: (twin: Row, row: Row) => void) {
    this.rows = rows;
    this.#clock = clock;
    this.#onTwin = onTwin;
  }

  #rowOf(key: string): Row | undefined {
    return this.rows.find((row) => row.key === key);
  }

  #remove(row: Row): void {
    if (this.rows.includes(row)) this.rows.splice(this.rows.indexOf(row), 1);
  }

  erpWrite(values: Values): ErpRecord {
    const record = { values: { ...values }, version: ++this.#version };
    this.erp.set(String(values.code), record);
    return record;
  }

  async refresh(isFull: boolean, between: () => Promise<void>): Promise<void> {
    const read = new Map([...this.erp].map(([code, { values, version }]) => [code, { values, version }]));
    this.#settled = { rows: new Set(), keys: new Set() };
    await between();
    const settled = this.#settled;
    this.#settled = null;
    const isLeftAlone = (row: Row): boolean => row.isBeingPushed || settled.rows.has(row);
    for (const [key, record] of read) {
      const row = this.#rowOf(key);
      if (settled.keys.has(key) || (row && isLeftAlone(row))) continue;
      if (row) rebase(row, record, this.#clock.now);
      else
        this.rows.push({
          id: null,
          key,
          base: { ...record.values },
          version: record.version,
          operation: null,
          isBeingPushed: false,
        });
    }
    if (!isFull) return;
    for (const row of this.rows.slice())
      if (row.key !== null && !read.has(row.key) && !isLeftAlone(row)) this.#vanish(row);
  }

  #vanish(row: Row): void {
    if (row.operation?.action === 'u') row.operation.isGone = true;
    else this.#remove(row);
  }

  choose(rows: readonly Row[]): { chosen: Row[]; skipped: Map<Row, string> } {
    const skipped = new Map<Row, string>();
    for (const row of rows) {
      if (row.isBeingPushed) skipped.set(row, 'beingPushed');
      else if (hasConflict(row) || row.operation?.isGone) skipped.set(row, 'conflict');
      else if (violations(this.rows, row).length > 0) skipped.set(row, 'validationErrors');
      else if (row.operation?.isUnknown) skipped.set(row, 'outcomeUnknown');
    }
    return { chosen: rows.filter((row) => !skipped.has(row)), skipped };
  }

  /**
   * `between` runs when the ERP has done the call of that number and its answer is not known yet. `isLost`: the
   * answer of the first call never comes, and what became of it is looked up afterwards.
   */
  async push(
    chosen: readonly Row[],
    { isLost, after, between }: { isLost: boolean; after: number; between: () => Promise<void> },
  ): Promise<Map<Row, Outcome>> {
    const run: Run = { results: new Map(), again: [], calls: 0, isLost, after, between };
    const items = chosen.map((row) => this.#itemOf(row));
    await this.#pass(run, items);
    // What another record stood in the way of is tried once more, where nobody has touched it since.
    const second = run.again.splice(0).filter(({ row, action }) => {
      const { operation } = row;
      const isUntouched = operation?.isRejected && operation.action === action && !operation.isGone;
      return this.rows.includes(row) && isUntouched && !hasConflict(row);
    });
    if ([...run.results.values()].includes('succeeded')) await this.#pass(run, second);
    return run.results;
  }

  #itemOf(row: Row): Item {
    const { operation } = row;
    const cells = [...(operation?.cells ?? [])];
    const action = operation?.action ?? 'u';
    const values: Partial<Values> =
      action === 'i'
        ? shown(row)
        : Object.fromEntries(action === 'u' ? cells.map(([field, { value }]) => [field, value]) : []);
    const before = Object.fromEntries(cells.map(([field, { old }]) => [field, old]));
    return { row, key: row.key, action, values, before, version: row.version };
  }

  async #pass(run: Run, items: readonly Item[]): Promise<void> {
    for (const { row } of items) {
      row.isBeingPushed = true;
      if (row.operation) row.operation.isRejected = false;
    }
    for (const action of ['i', 'u', 'd'] as const) {
      const group = items.filter((item) => item.action === action);
      // A row may have been settled by an insert of its key; what a lost call has not done is sent again.
      for (let open = group; open.length > 0;) {
        await this.#call(run, open);
        open = group.filter(({ row }) => row.isBeingPushed);
      }
    }
  }

  async #call(run: Run, items: readonly Item[]): Promise<void> {
    const open = items.filter(({ row }) => row.isBeingPushed);
    const versioned = open.filter(({ action, version }) => action === 'i' || version !== null);
    const compared = this.#compare(
      run,
      open.filter((item) => !versioned.includes(item)),
    );
    const ready = open.flatMap((item) => (versioned.includes(item) ? item : (compared.get(item) ?? [])));
    if (ready.length === 0) return;
    const known = new Set(this.rows);
    const answers = ready.map((item) => ({ item, answer: this.#write(item) }));
    run.calls += 1;
    if (run.calls === run.after) await run.between();
    if (run.isLost && run.calls === 1) {
      for (const item of ready) this.#probe(run, item, known);
      return;
    }
    for (const { item, answer } of answers) this.#settle(run, item, answer, known);
    const stale = answers.flatMap(({ item, answer }) => (answer === 'stale' ? [item] : []));
    for (const item of stale.filter(({ action }) => action === 'd')) this.#refuseDelete(run, item);
    const updates = stale.filter(({ action }) => action === 'u');
    if (updates.length > 0)
      await this.#call(
        run,
        updates.map((item) => ({ ...item, version: null })),
      );
  }

  /** What the ERP does with one operation. */
  #write({ action, key, values, version }: Item): Answer {
    if (action === 'i') {
      const record: Values = { ...noValues, isDefault: false, ...withoutNulls(values) };
      return refusal(this.erp, record, null) ?? this.erpWrite(record);
    }
    const found = this.erp.get(String(key));
    if (!found) return action === 'd' ? 'deleted' : 'gone';
    if (found.version !== version) return 'stale';
    if (action === 'd') {
      this.erp.delete(String(key));
      return 'deleted';
    }
    const record = { ...found.values, ...values };
    return refusal(this.erp, record, found.values) ?? this.erpWrite(record);
  }

  #settle(run: Run, item: Item, answer: Answer, known: ReadonlySet<Row>): void {
    const { row } = item;
    if (answer === 'stale') return;
    if (answer === 'unique' || answer === 'other') {
      this.#refuse(run, row);
      if (answer === 'unique') run.again.push(item);
    } else if (answer === 'gone') {
      this.#refuse(run, row);
      if (row.operation) row.operation.isGone = true;
    } else {
      this.#note(run, row, 'succeeded');
      if (answer === 'deleted') this.#remove(row);
      else this.#succeed(run, row, answer, known);
    }
  }

  /** The live records are looked at first: only where the pushed fields are as the user saw them they are written. */
  #compare(run: Run, items: readonly Item[]): Map<Item, Item> {
    const fit = new Map<Item, Item>();
    for (const item of items) {
      const live = this.erp.get(String(item.key));
      const pushed = fields.filter((field) => field in item.values);
      const isWanted = (field: Field): boolean => live?.values[field] === item.values[field];
      const isMoved = (field: Field): boolean => live?.values[field] !== item.before[field];
      if (!live) this.#settle(run, item, item.action === 'd' ? 'deleted' : 'gone', new Set());
      else if (item.action === 'u' && pushed.every(isWanted)) this.#settle(run, item, live, new Set());
      else if (pushed.some((field) => isMoved(field) && !isWanted(field))) {
        this.#refuse(run, item.row);
        rebase(item.row, live, this.#clock.now);
      } else fit.set(item, { ...item, version: live.version });
    }
    return fit;
  }

  /** A delete of a record that somebody has changed is for people to decide. */
  #refuseDelete(run: Run, item: Item): void {
    const live = this.erp.get(String(item.key));
    if (!live) {
      this.#settle(run, item, 'deleted', new Set());
      return;
    }
    this.#refuse(run, item.row);
    rebase(item.row, live, this.#clock.now);
  }

  /** Was it done? What was not stays to be sent again. */
  #probe(run: Run, { row, action, key, values }: Item, known: ReadonlySet<Row>): void {
    const live = this.erp.get(String(action === 'i' ? values.code : key));
    if (action === 'd') {
      if (!live) this.#settle(run, { row, action, key, values, before: {}, version: 0 }, 'deleted', known);
      return;
    }
    const written = fields.filter((field) =>
      action === 'i' ? (values[field] ?? null) !== null : field in values,
    );
    const isHeld = live !== undefined && written.every((field) => live.values[field] === values[field]);
    if (action === 'u') {
      if (!isHeld) return;
      this.#note(run, row, 'succeeded');
      // Only these fields are known to be so, not the version of all of them.
      Object.assign(row, { operation: null, base: { ...noValues, ...row.base, ...values }, version: null });
      return;
    }
    if (!live || this.rows.some((other) => other.key === live.values.code && known.has(other))) return;
    if (isHeld) {
      this.#note(run, row, 'succeeded');
      this.#succeed(run, row, live, known);
    } else {
      this.#note(run, row, 'unknown');
      if (row.operation) Object.assign(row.operation, { isUnknown: true, isRejected: true });
    }
  }

  #succeed(run: Run, row: Row, record: ErpRecord, known: ReadonlySet<Row>): void {
    const key = String(record.values.code);
    const twin = this.rows.find((other) => other !== row && other.key === key);
    Object.assign(row, { key, operation: null, base: { ...record.values }, version: record.version });
    this.#settled?.keys.add(key);
    if (!twin) return;
    if (known.has(twin)) {
      this.#losesKey(run, twin);
      return;
    }
    // A refresh was faster than the answer, and people may have worked on what it brought.
    if (twin.operation)
      Object.assign(row, { base: twin.base, version: twin.version, operation: twin.operation });
    this.#remove(twin);
    this.#onTwin(twin, row);
  }

  /** A record that had the key before must have been gone from the ERP: what was pending on it is kept. */
  #losesKey(run: Run, row: Row): void {
    const isUpdate = row.operation?.action === 'u';
    if (row.isBeingPushed && isUpdate) this.#refuse(run, row);
    else if (row.isBeingPushed) this.#note(run, row, 'succeeded');
    row.key = null;
    if (isUpdate && row.operation) row.operation.isGone = true;
    else this.#remove(row);
  }

  #refuse(run: Run, row: Row): void {
    this.#note(run, row, 'rejected');
    if (row.operation) row.operation.isRejected = true;
  }

  #note(run: Run, row: Row, outcome: Outcome): void {
    run.results.set(row, outcome);
    row.isBeingPushed = false;
    this.#settled?.rows.add(row);
    if (row.key !== null) this.#settled?.keys.add(row.key);
  }
}

function withoutNulls(values: Partial<Values>): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
