import { createHash } from 'node:crypto';
import {
  ExternalSystemError,
  type Key,
  type Outcome,
  type ProbeCall,
  type ReadRecord,
  type WriteCall,
  type WriteOp,
} from '@sluice/adapter-kit';
import { keyOf, pathOf, toRecord } from './collection.ts';
import { failuresOf, isHiddenFailure, recordErrorOf, wordsOf } from './failures.ts';
import { type HttpAnswer, isInDoubt, retryAfterMs } from '@sluice/adapter-kit/http';
import { bodyOf, type HttpClient } from './http.ts';
import { at, type Entity, isEntity, textAt } from './json.ts';
import { fillItem, type OpAnswer, partAnswer, type Prepared } from './batch.ts';
import { probe } from './probe.ts';
import type { Batch, Profile, ProfileCollection } from './profile.ts';
import type { Reader } from './read.ts';
import { toEntity } from './values.ts';

const isSuccess = ({ status }: { status: number }): boolean => status >= 200 && status < 300;

/** Writes operations of one collection. */
export class Writer {
  readonly #http: HttpClient;
  readonly #reader: Reader;
  readonly #profile: Profile;

  constructor(http: HttpClient, reader: Reader, profile: Profile) {
    this.#http = http;
    this.#reader = reader;
    this.#profile = profile;
  }

  async write(collection: ProfileCollection, call: WriteCall): Promise<Outcome[]> {
    const outcomes = new Map<string, Outcome>();
    const ready: Prepared[] = [];
    for (const op of call.ops) {
      const prepared = await this.#prepare(collection, call, op);
      if ('state' in prepared) outcomes.set(op.opId, prepared);
      else ready.push(prepared);
    }
    const batch = collection.batch;
    const sent =
      batch && ready.length > 1 && ready.every(({ headers }) => headers['if-match'] === undefined)
        ? await this.#batch(collection, batch, call, ready)
        : await this.#singly(collection, call, ready);
    for (const outcome of await this.#readBack(collection, call, sent)) outcomes.set(outcome.opId, outcome);
    return call.ops.map(
      ({ opId }) => outcomes.get(opId) ?? { opId, state: 'unknown', reason: 'the service gave no answer' },
    );
  }

  /** The request of an operation, or its outcome where none is needed. */
  async #prepare(collection: ProfileCollection, call: WriteCall, op: WriteOp): Promise<Prepared | Outcome> {
    const { opId, action, key = '', values = {} } = op;
    const version = op.version ?? null;
    const endpoint =
      action === 'insert' ? collection.create : action === 'update' ? collection.update : collection.delete;
    if (!endpoint) {
      const msg = `the profile has no way to ${action === 'insert' ? 'create' : action} records of ${collection.code}`;
      return {
        opId,
        state: 'rejected',
        errors: [{ errCode: 'READ_ONLY', msg, field: null, class: 'forbidden' }],
      };
    }
    const path = action === 'insert' ? endpoint.path : pathOf(collection, endpoint.path, key);
    const headers: Record<string, string> =
      collection.version?.kind === 'etag' && version !== null && action !== 'insert'
        ? { 'if-match': version }
        : {};
    if (action === 'delete')
      return { op, method: endpoint.method ?? 'DELETE', path, headers, body: undefined };
    let body = toEntity(call.fields, values);
    if (action === 'update' && collection.update) {
      const { nested, body: form } = collection.update;
      const roots = new Set(
        Object.keys(values).flatMap((id) => (id.includes('.') ? [id.split('.')[0] ?? ''] : [])),
      );
      if (form === 'whole' || (nested === 'replaced' && roots.size > 0)) {
        // Parts that are not changed would be lost: the live record tells them.
        const live = await this.#reader.one(collection, key, call);
        if (live === null) return { opId, state: 'gone' };
        const kept =
          form === 'whole'
            ? live.entity
            : Object.fromEntries([...roots].map((root) => [root, live.entity[root] ?? {}]));
        body = merge(kept, body);
        // What was read is what is replaced.
        if (collection.version?.kind === 'etag' && version === null && live.etag !== null)
          headers['if-match'] = live.etag;
      }
    }
    if (endpoint.wrap !== undefined) body = { [endpoint.wrap]: body };
    const method = endpoint.method ?? (action === 'insert' ? 'POST' : 'PATCH');
    return { op, method, path, headers, body };
  }

  /** Refused credentials concern the connection, not a record. */
  #checkSignIn(answer: HttpAnswer): void {
    if (isSuccess(answer)) return;
    const words = wordsOf(this.#profile.errors, answer);
    if (words.class === 'auth') throw this.#http.failure(answer, words);
  }

  #idempotency(opIds: readonly string[], isBatch: boolean): Record<string, string> {
    const how = this.#profile.idempotency;
    if (!how || (isBatch && !how.isForBatches)) return {};
    const [only] = opIds;
    const id =
      opIds.length === 1 && only !== undefined
        ? only
        : createHash('sha256').update(opIds.join('\n')).digest('base64url');
    return { [how.header.toLowerCase()]: id };
  }

  async #batch(
    collection: ProfileCollection,
    batch: Batch,
    call: WriteCall,
    prepared: readonly Prepared[],
  ): Promise<Outcome[]> {
    const items = prepared.map((one, index) => fillItem(batch.item, one, String(index)));
    const inDoubt = (reason: string): Outcome[] =>
      prepared.map(({ op: { opId } }) => ({ opId, state: 'unknown', reason }));
    try {
      const answer = await this.#http.send({
        method: 'POST',
        path: batch.path,
        headers: this.#idempotency(
          prepared.map(({ op }) => op.opId),
          true,
        ),
        body: batch.requests === '' ? items : { [batch.requests]: items },
        ...callOf(call),
      });
      if (!isSuccess(answer)) {
        this.#checkSignIn(answer);
        return await this.#outcomesOf(
          collection,
          call,
          prepared,
          prepared.map(() => wholeAnswer(answer)),
        );
      }
      const list = at(bodyOf(answer), batch.answers);
      const answers: unknown[] | null = Array.isArray(list) ? list : null;
      if (!answers) return inDoubt('the answer of the batch is no list');
      // Without ids the place tells whose answer it is, and only if there are as many.
      if (batch.answerId === undefined && answers.length !== prepared.length)
        return inDoubt(`${prepared.length} operations were sent, ${answers.length} were answered`);
      const of = (index: number): unknown =>
        batch.answerId === undefined
          ? answers[index]
          : answers.find((one) => textAt(one, batch.answerId ?? '') === String(index));
      return await this.#outcomesOf(
        collection,
        call,
        prepared,
        prepared.map((_, index) => partAnswer(batch, of(index))),
      );
    } catch (error) {
      if (error instanceof ExternalSystemError && isInDoubt(error)) return inDoubt(error.message);
      throw error;
    }
  }

  async #outcomesOf(
    collection: ProfileCollection,
    call: WriteCall,
    prepared: readonly Prepared[],
    answers: readonly (OpAnswer | null)[],
  ): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const [index, { op }] of prepared.entries()) {
      const answer = answers[index] ?? null;
      outcomes.push(
        answer
          ? await this.#outcomeOf(collection, call, op, answer)
          : { opId: op.opId, state: 'unknown', reason: 'the service did not answer this operation' },
      );
    }
    return outcomes;
  }

  /** One request per operation. After a failure of the line the rest is not sent. */
  async #singly(
    collection: ProfileCollection,
    call: WriteCall,
    prepared: readonly Prepared[],
  ): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const { op, method, path, headers, body } of prepared) {
      const { opId } = op;
      let failed: ExternalSystemError;
      try {
        const answer = await this.#http.send({
          method,
          path,
          headers: { ...this.#idempotency([opId], false), ...headers },
          ...(body === undefined ? {} : { body }),
          ...callOf(call),
        });
        this.#checkSignIn(answer);
        const outcome = await this.#outcomeOf(collection, call, op, wholeAnswer(answer));
        outcomes.push(outcome);
        if (outcome.state !== 'notSent') continue;
        failed = this.#http.failure(
          { ...answer, status: 429 },
          { code: '', message: outcome.reason, class: 'rate' },
        );
      } catch (error) {
        if (!(error instanceof ExternalSystemError)) throw error;
        // Nothing was done at all: that concerns the call, not its records.
        if (outcomes.length === 0 && !isInDoubt(error)) throw error;
        const reason = error.message;
        outcomes.push({ opId, state: isInDoubt(error) ? 'unknown' : 'notSent', reason });
        failed = error;
      }
      for (const { op: rest } of prepared.slice(outcomes.length))
        outcomes.push({
          opId: rest.opId,
          state: 'notSent',
          reason: failed.message,
          ...(failed.retryAfterMs === null ? {} : { retryAfterMs: failed.retryAfterMs }),
        });
      break;
    }
    return outcomes;
  }

  async #outcomeOf(
    collection: ProfileCollection,
    call: WriteCall,
    op: WriteOp,
    { status, headers, body }: OpAnswer,
  ): Promise<Outcome> {
    const { opId, action } = op;
    const { errors } = this.#profile;
    if (status >= 200 && status < 300 && !isHiddenFailure(errors, body))
      return this.#done(collection, call, op, headers, body);
    const failures = failuresOf(errors, call.fields, status < 300 ? 400 : status, body);
    const [first] = failures;
    const reason = first?.message ?? `HTTP ${status}`;
    const is = (kind: string): boolean => failures.some((failure) => failure.class === kind);
    if (is('rate')) {
      const retry = retryAfterMs(headers['retry-after'], this.#http.now());
      return { opId, state: 'notSent', reason, ...(retry === undefined ? {} : { retryAfterMs: retry }) };
    }
    if (is('duplicate')) return await this.#afterDuplicate(collection, call, op, reason);
    const isRuled = failures.some(({ class: kind }) => kind !== 'other');
    if ((status >= 500 || status === 408 || (status >= 300 && status < 400)) && !isRuled)
      return { opId, state: 'unknown', reason };
    if (is('stale')) return { opId, state: 'stale' };
    if (is('notFound') && action === 'delete')
      return { opId, state: 'done', key: op.key ?? '', version: null };
    if (is('notFound') && action === 'update') return { opId, state: 'gone' };
    return { opId, state: 'rejected', errors: failures.map(recordErrorOf) };
  }

  #done(
    collection: ProfileCollection,
    { fields }: WriteCall,
    op: WriteOp,
    headers: Record<string, string>,
    body: unknown,
  ): Outcome {
    const { opId } = op;
    const endpoint =
      op.action === 'insert'
        ? collection.create
        : op.action === 'update'
          ? collection.update
          : collection.delete;
    const answer = at(body, endpoint?.answer ?? '');
    const given = op.values ?? {};
    // Keys that people give are those that were sent.
    const own = collection.keyFields.every((id) => given[id] !== undefined && given[id] !== null)
      ? keyOf(collection, toEntity(fields, given))
      : null;
    const plain = typeof answer === 'string' || typeof answer === 'number' ? String(answer) : null;
    const key: Key | null =
      op.action === 'insert'
        ? (keyOf(collection, answer) ?? plain ?? own ?? keyOfLocation(collection, headers['location']))
        : (op.key ?? null);
    if (key === null || key === '')
      return { opId, state: 'unknown', reason: 'the service accepted the record but gave no key' };
    const etag = headers['etag'] ?? null;
    const record = isEntity(answer) ? toRecord(collection, fields, answer, etag) : null;
    const version = record?.version ?? (collection.version?.kind === 'etag' ? etag : null);
    // Only an answer that holds what was sent tells what became of it; others are read back.
    const isWhole =
      record !== null && isEntity(answer) && Object.keys(given).every((id) => at(answer, id) !== undefined);
    return { opId, state: 'done', key, version, ...(isWhole ? { values: record.values } : {}) };
  }

  /** The service has done this before and does not say with what result: the record tells. */
  async #afterDuplicate(
    collection: ProfileCollection,
    call: WriteCall,
    op: WriteOp,
    reason: string,
  ): Promise<Outcome> {
    const { opId } = op;
    try {
      const asked: ProbeCall = { ...call, op, sentAt: this.#http.now() };
      const answer = await probe(this.#reader, collection, asked, this.#profile.limits.pageSize);
      if (answer.state === 'applied')
        return { opId, state: 'done', key: answer.key, version: answer.version };
      const [only, ...others] = answer.state === 'candidates' ? answer.records : [];
      if (only && others.length === 0)
        return { opId, state: 'done', key: only.key, version: only.version, values: only.values };
    } catch (error) {
      if (!(error instanceof ExternalSystemError)) throw error;
    }
    return { opId, state: 'unknown', reason };
  }

  /** What the service left out or changed without a word shows only in the live record. */
  async #readBack(
    collection: ProfileCollection,
    call: WriteCall,
    outcomes: readonly Outcome[],
  ): Promise<Outcome[]> {
    const silent = new Set(
      outcomes.flatMap((outcome) => {
        const op = call.ops.find(({ opId }) => opId === outcome.opId);
        return outcome.state === 'done' && outcome.values === undefined && op?.action !== 'delete'
          ? [outcome.key]
          : [];
      }),
    );
    if (silent.size === 0 || (!collection.one && !collection.many)) return [...outcomes];
    let live: ReadRecord[];
    try {
      live = await this.#reader.byKeys(collection, call.fields, [...silent], call);
    } catch (error) {
      // The work is done, whatever becomes of looking at it.
      if (!(error instanceof ExternalSystemError)) throw error;
      return [...outcomes];
    }
    return outcomes.map((outcome) => {
      const record =
        outcome.state === 'done' && silent.has(outcome.key)
          ? live.find(({ key }) => key === outcome.key)
          : null;
      return record && outcome.state === 'done'
        ? { ...outcome, version: record.version ?? outcome.version, values: record.values }
        : outcome;
    });
  }
}

const callOf = ({ callClass, signal, locale }: WriteCall) => ({ callClass, signal, locale });

function wholeAnswer(answer: HttpAnswer): OpAnswer {
  try {
    return { ...answer, body: bodyOf(answer) };
  } catch {
    return { ...answer, body: null };
  }
}

const merge = (live: Entity, change: Entity): Entity => {
  const merged: Entity = { ...live };
  for (const [name, value] of Object.entries(change)) {
    const before = merged[name];
    merged[name] =
      isEntity(before) && isEntity(value) && !JSON.isRawJSON(value) ? merge(before, value) : value;
  }
  return merged;
};

/** The last part of a Location header, where one field is the key. */
const keyOfLocation = (collection: ProfileCollection, location: string | undefined): Key | null => {
  const last =
    collection.keyFields.length === 1
      ? location
          ?.replace(/[?#].*$/, '')
          .split('/')
          .at(-1)
      : undefined;
  return last ? decodeURIComponent(last) : null;
};
