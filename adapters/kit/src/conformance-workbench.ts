import { expect } from 'vitest';
import type { FieldDescriptor } from '@sluice/contract';
import type { ConformancePartner } from './conformance-partner.ts';
import type {
  CallBudget,
  CallOptions,
  CollectionDescription,
  ConnectionConfig,
  Key,
  Outcome,
  Page,
  ProbeAnswer,
  ReadQuery,
  ReadRecord,
  Rec,
  Session,
  SessionContext,
  WriteOp,
} from './types.ts';

/** A budget without limits that counts its calls. */
function countingBudget(): CallBudget & { calls: number } {
  return {
    calls: 0,
    acquire(_, signal) {
      signal.throwIfAborted();
      this.calls++;
      return Promise.resolve();
    },
    observe() {},
  };
}

/** What the conformance tests share: the partner, an open session, and short words for the calls. */
export class Workbench {
  readonly budget = countingBudget();
  #partner: ConformancePartner | null = null;
  #session: Session | null = null;
  #description: CollectionDescription | null = null;
  #next = 1;
  readonly #opened: Session[] = [];

  async open(partner: ConformancePartner): Promise<void> {
    this.#partner = partner;
    this.#session = this.openSession(partner.config);
    this.#description = await this.#session.describe(partner.collection, this.options());
  }

  async close(): Promise<void> {
    for (const session of this.#opened) await session.close();
    await this.#partner?.cleanup();
  }

  get partner(): ConformancePartner {
    if (!this.#partner) throw new Error('the partner did not start');
    return this.#partner;
  }
  get session(): Session {
    if (!this.#session) throw new Error('the partner did not start');
    return this.#session;
  }
  get description(): CollectionDescription {
    if (!this.#description) throw new Error('the collection could not be described');
    return this.#description;
  }
  get tellsChanges(): boolean {
    const { changes } = this.description;
    return changes === undefined ? this.session.caps.changes.incremental : changes !== 'none';
  }
  get isAtomic(): boolean {
    return this.session.caps.batch.atomicity === 'perCall';
  }

  openSession(config: ConnectionConfig, requestTimeoutMs = 30_000): Session {
    const context: SessionContext = { budget: this.budget, requestTimeoutMs, now: () => new Date() };
    const session = this.partner.definition.open(config, context);
    this.#opened.push(session);
    return session;
  }

  options(signal = new AbortController().signal, levels = this.partner.levels): CallOptions {
    return { levels, locale: 'EN', callClass: 'interactive', signal };
  }

  fields(of: CollectionDescription = this.description): FieldDescriptor[] {
    return this.partner.fields ? this.partner.fields(of.fields) : of.fields;
  }

  /** A new sample, never given before. */
  sample(): Rec {
    return this.partner.sample(this.#next++);
  }
  change(): Rec {
    return this.partner.change(this.#next++);
  }
  naturalKeyOf(values: Rec): string {
    return String(values[this.partner.naturalKey]);
  }

  insert(values: Rec = this.sample()): WriteOp {
    return { opId: `op-${this.#next++}`, action: 'insert', values };
  }
  update(key: Key, values: Rec, version?: string | null): WriteOp {
    return { opId: `op-${this.#next++}`, action: 'update', key, values, version: version ?? null };
  }
  remove(key: Key, version?: string | null): WriteOp {
    return { opId: `op-${this.#next++}`, action: 'delete', key, version: version ?? null };
  }

  call(session: Session = this.session) {
    const { collection, attributeId } = this.partner;
    return { session, collection, attributeId, fields: this.fields() };
  }

  /** Writes, and holds the answer to the first rule: exactly one outcome per operation. */
  async write(ops: WriteOp[], session: Session = this.session, signal?: AbortSignal): Promise<Outcome[]> {
    const { collection, attributeId, fields } = this.call();
    const outcomes = await session.write({ ...this.options(signal), collection, attributeId, fields, ops });
    expect(outcomes.map((o) => o.opId).toSorted()).toEqual(ops.map((op) => op.opId).toSorted());
    return ops.map((op) => {
      const outcome = outcomes.find((o) => o.opId === op.opId);
      if (!outcome) throw new Error(`no outcome for ${op.opId}`);
      return outcome;
    });
  }

  /** Makes one record that must succeed. */
  async make(values: Rec = this.sample()): Promise<{ key: Key; version: string | null; values: Rec }> {
    const { makeElsewhere } = this.partner;
    if (makeElsewhere) return { key: await makeElsewhere(values), version: null, values };
    const [outcome] = await this.write([this.insert(values)]);
    if (outcome?.state !== 'done') throw new Error(`insert failed: ${JSON.stringify(outcome)}`);
    return { key: outcome.key, version: outcome.version, values };
  }

  readByKeys(keys: Key[]): Promise<ReadRecord[]> {
    const { collection, attributeId, fields } = this.call();
    return this.session.readByKeys({ ...this.options(), collection, attributeId, fields, keys });
  }
  async readOne(key: Key): Promise<ReadRecord> {
    const [record] = await this.readByKeys([key]);
    if (!record) throw new Error(`record ${key} is gone`);
    return record;
  }

  probe(op: WriteOp, sentAt: Date): Promise<ProbeAnswer> {
    const { collection, attributeId, fields } = this.call();
    return this.session.probe({ ...this.options(), collection, attributeId, fields, op, sentAt });
  }

  /** Keys of a read of the collection, narrowed as asked. */
  async keysOf(part: Partial<ReadQuery>): Promise<Key[]> {
    const { collection, attributeId, fields } = this.call();
    const whole = { ...this.options(), collection, attributeId, fields, cursor: null };
    const query = { ...whole, pageSize: this.session.caps.maxPage, ...part };
    const keys: Key[] = [];
    for await (const { records } of this.session.read(query)) keys.push(...records.map(({ key }) => key));
    return keys;
  }

  async pages(session: Session, cursor: string | null, most = Infinity): Promise<Page[]> {
    const { collection, levels, pageSize, attributeId } = this.partner.large;
    const options = this.options(undefined, levels);
    const description = await session.describe(collection, options);
    const query = { ...options, collection, attributeId, fields: this.fields(description), cursor, pageSize };
    const pages: Page[] = [];
    for await (const page of session.read(query)) {
      pages.push(page);
      if (pages.length >= most) break;
    }
    return pages;
  }
}
