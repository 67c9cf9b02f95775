import type { Clock } from './editing.ts';
import {
  type ErpRecord,
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
  action: 'i' | 'u' | 'd';
  values: Partial<Values>;
  before: Partial<Values>;
  version: number;
  /** Rows that were there when it was sent. */
  known: ReadonlySet<Row>;
}

type Answer = ErpRecord | 'gone' | 'stale' | 'unique' | 'other' | 'deleted';

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
    }
    return { chosen: rows.filter((row) => !skipped.has(row)), skipped };
  }

  /** `between` runs when the ERP has done the first call and its answer is not known yet. */
  async push(chosen: readonly Row[], between: () => Promise<void>): Promise<Map<Row, string>> {
    const items = chosen.map((row) => this.#itemOf(row));
    const results = new Map<Row, string>();
    let isFirst = true;
    const once = async (): Promise<void> => {
      if (isFirst) await between();
      isFirst = false;
    };
    const again: Item[] = [];
    const pass = async (part: readonly Item[]): Promise<void> => {
      for (const { row } of part) {
        row.isBeingPushed = true;
        if (row.operation) row.operation.isRejected = false;
      }
      for (const action of ['i', 'u', 'd'] as const)
        await this.#send(
          part.filter((item) => item.action === action),
          results,
          again,
          once,
        );
    };
    await pass(items);
    // What another record stood in the way of is tried once more.
    const second = again.splice(0);
    if ([...results.values()].includes('succeeded')) await pass(second);
    return results;
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
    return { row, action, values, before, version: row.version, known: new Set() };
  }

  async #send(
    items: readonly Item[],
    results: Map<Row, string>,
    again: Item[],
    between: () => Promise<void>,
  ): Promise<void> {
    const known = new Set(this.rows);
    // A row may have been settled by an insert of its key.
    const open = items.filter(({ row }) => row.isBeingPushed);
    const answers = open.map((item) => ({
      item: { ...item, known },
      answer: this.#write(item, item.version),
    }));
    if (open.length > 0) await between();
    for (const { item, answer } of answers) this.#settleAnswer(item, answer, results, again);
    for (const { item, answer } of answers) if (answer === 'stale') this.#settleStale(item, results, again);
  }

  /** What the ERP does with one operation. */
  #write(item: Item, version: number | null): Answer {
    if (item.action === 'i') {
      const values: Values = { ...noValues, isDefault: false, ...withoutNulls(item.values) };
      return refusal(this.erp, values, null) ?? this.erpWrite(values);
    }
    const key = String(item.row.key);
    const found = this.erp.get(key);
    if (!found) return item.action === 'd' ? 'deleted' : 'gone';
    if (version !== null && found.version !== version) return 'stale';
    if (item.action === 'd') {
      this.erp.delete(key);
      return 'deleted';
    }
    const values = { ...found.values, ...item.values };
    return refusal(this.erp, values, found.values) ?? this.erpWrite(values);
  }

  #settleAnswer(item: Item, answer: Answer, results: Map<Row, string>, again: Item[]): void {
    const { row } = item;
    if (answer === 'stale') return;
    if (answer === 'unique' || answer === 'other') {
      this.#refuse(row, results);
      if (answer === 'unique') again.push(item);
    } else if (answer === 'gone') {
      this.#refuse(row, results);
      if (row.operation) row.operation.isGone = true;
    } else {
      this.#note(row, results, 'succeeded');
      if (answer === 'deleted') this.#remove(row);
      else this.#succeed(item, answer, results);
    }
  }

  #succeed({ row, known }: Item, record: ErpRecord, results: Map<Row, string>): void {
    const key = String(record.values.code);
    const twin = this.rows.find((other) => other !== row && other.key === key);
    Object.assign(row, { key, operation: null, base: { ...record.values }, version: record.version });
    this.#settled?.keys.add(key);
    if (!twin) return;
    if (known.has(twin)) {
      this.#losesKey(twin, results);
      return;
    }
    // A refresh was faster than the answer, and people may have worked on what it brought.
    if (twin.operation)
      Object.assign(row, { base: twin.base, version: twin.version, operation: twin.operation });
    this.#remove(twin);
    this.#onTwin(twin, row);
  }

  /** A record that had the key before must have been gone from the ERP: what was pending on it is kept. */
  #losesKey(row: Row, results: Map<Row, string>): void {
    const isUpdate = row.operation?.action === 'u';
    if (row.isBeingPushed && isUpdate) this.#refuse(row, results);
    else if (row.isBeingPushed) this.#note(row, results, 'succeeded');
    row.key = null;
    if (isUpdate && row.operation) row.operation.isGone = true;
    else this.#remove(row);
  }

  #refuse(row: Row, results: Map<Row, string>): void {
    this.#note(row, results, 'rejected');
    if (row.operation) row.operation.isRejected = true;
  }

  #note(row: Row, results: Map<Row, string>, outcome: 'succeeded' | 'rejected'): void {
    results.set(row, outcome);
    row.isBeingPushed = false;
    this.#settled?.rows.add(row);
    if (row.key !== null) this.#settled?.keys.add(row.key);
  }

  /** Somebody wrote the record meanwhile: only where the pushed fields are as the user saw them it is sent again. */
  #settleStale(item: Item, results: Map<Row, string>, again: Item[]): void {
    const { row } = item;
    const live = this.erp.get(String(row.key));
    if (!live) {
      this.#settleAnswer(item, item.action === 'd' ? 'deleted' : 'gone', results, again);
      return;
    }
    const pushed = fields.filter((field) => field in item.values);
    const isMoved = pushed.some(
      (field) => live.values[field] !== item.before[field] && live.values[field] !== item.values[field],
    );
    if (item.action === 'd' || isMoved) {
      this.#refuse(row, results);
      rebase(row, live, this.#clock.now);
    } else if (pushed.every((field) => live.values[field] === item.values[field])) {
      this.#note(row, results, 'succeeded');
      this.#succeed(item, live, results);
    } else this.#settleAnswer(item, this.#write(item, live.version), results, again);
  }
}

function withoutNulls(values: Partial<Values>): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
