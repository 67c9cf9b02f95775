import { setImmediate } from 'node:timers/promises';
import { ExternalSystemError, type Outcome, type WriteCall, type WriteOp } from '@sluice/adapter-kit';
import { type HttpAnswer, isInDoubt, retryAfterMs } from '@sluice/adapter-kit/http';
import { Batches, batchCall, batchSchema } from './batches.ts';
import { attributeOf } from './describe.ts';
import { errorLines, type HttpClient, protocolError } from './http.ts';
import { readError } from './json.ts';
import { pathOf } from './keys.ts';
import { outcomeOf, type OpAnswer } from './outcomes.ts';
import { readOne } from './read.ts';
import type { Collection } from './service.ts';
import { toEntity } from './values.ts';

interface Prepared {
  op: WriteOp;
  method: 'POST' | 'PATCH' | 'DELETE';
  path: string;
  headers: Record<string, string>;
  body: unknown;
}

/** What became of the operations of one request or several. `failed`: why nothing more is to be sent after them. */
interface Sent {
  outcomes: Outcome[];
  failed: ExternalSystemError | null;
}

/** One call to `write`. `refusals`: requests that were refused for being too large. */
interface Sending {
  collection: Collection;
  call: WriteCall;
  refusals: number;
}

function prepare(
  collection: Collection,
  call: WriteCall,
  op: WriteOp,
  readOnly: ReadonlySet<string>,
): Prepared {
  const { model, type, set } = collection;
  const json = { 'content-type': 'application/json' };
  if (op.action === 'insert') {
    const attribute = attributeOf(set)?.property;
    const given =
      attribute !== undefined && call.attributeId !== undefined ? { [attribute]: call.attributeId } : {};
    const body = toEntity(model, type, { ...given, ...writable(op, readOnly) });
    const headers = { ...json, prefer: 'return=representation' };
    return { op, method: 'POST', path: encodeURIComponent(set.name), headers, body };
  }
  const path = pathOf(model, type, set.name, op.key ?? '');
  const version = op.version ?? null;
  if (op.action === 'delete') {
    const headers: Record<string, string> = version === null ? {} : { 'if-match': version };
    return { op, method: 'DELETE', path, headers, body: undefined };
  }
  // Without If-Match, a PATCH of a record that is gone would make a new one.
  const headers = { ...json, prefer: 'return=representation', 'if-match': version ?? '*' };
  return { op, method: 'PATCH', path, headers, body: toEntity(model, type, writable(op, readOnly)) };
}

const readOnlyOf = ({ fields }: WriteCall): Set<string> =>
  new Set(fields.filter((field) => field.isReadOnly).map(({ id }) => id));

/** Read-only fields are the system's own: they are not sent. */
function writable(op: WriteOp, readOnly: ReadonlySet<string>): NonNullable<WriteOp['values']> {
  return Object.fromEntries(Object.entries(op.values ?? {}).filter(([id]) => !readOnly.has(id)));
}

/** Writes operations of one collection, by `$batch` where the service takes it. */
export class Writer {
  readonly #http: HttpClient;
  readonly #batches: Batches;
  readonly #now: () => Date;

  constructor(http: HttpClient, now: () => Date) {
    this.#http = http;
    this.#batches = new Batches(http, now);
    this.#now = now;
  }

  /** Operations that one call should have at most. */
  get most(): number {
    return this.#batches.most;
  }

  /** Operations of this call in one request; 1: each in a request of its own. Sends nothing that changes anything. */
  async sizeFor(collection: Collection, call: WriteCall): Promise<number> {
    return await this.#batches.sizeFor(collection, call);
  }

  async write(collection: Collection, call: WriteCall, size: number): Promise<Outcome[]> {
    const readOnly = readOnlyOf(call);
    const prepared = call.ops.map((op) => prepare(collection, call, op, readOnly));
    const { outcomes } = await this.#inRequests({ collection, call, refusals: 0 }, prepared, size, true);
    return Promise.all(
      outcomes.map(async (outcome, i) => {
        const op = call.ops[i];
        const isUnversioned = op !== undefined && op.action !== 'insert' && (op.version ?? null) === null;
        return isUnversioned && outcome.state === 'stale'
          ? await this.#withVersion(collection, call, op)
          : outcome;
      }),
    );
  }

  /**
   * A change without a version was refused for the lack of one: by a system that wants one always, that does not know
   * `If-Match: *`, or that says so of a record that is gone. The live record tells which.
   */
  async #withVersion(collection: Collection, call: WriteCall, op: WriteOp): Promise<Outcome> {
    const { opId, key = '' } = op;
    const { model, type, set } = collection;
    try {
      const record = await readOne(this.#http, collection, call, pathOf(model, type, set.name, key));
      if (!record)
        return op.action === 'delete' ? { opId, state: 'done', key, version: null } : { opId, state: 'gone' };
      if (record.version === null) return { opId, state: 'stale' };
      const again = prepare(collection, call, { ...op, version: record.version }, readOnlyOf(call));
      const { outcomes } = await this.#inRequests({ collection, call, refusals: 0 }, [again], 1, true);
      return outcomes[0] ?? { opId, state: 'stale' };
    } catch (error) {
      if (!(error instanceof ExternalSystemError)) throw error;
      return { opId, state: 'notSent', reason: error.message };
    }
  }

  /**
   * In requests of so many operations, one behind the other; after a failure of the line the rest is not sent.
   * `isLast`: nothing of the call comes after these. Throws what left nothing done at all.
   */
  async #inRequests(
    sending: Sending,
    prepared: readonly Prepared[],
    size: number,
    isLast: boolean,
  ): Promise<Sent> {
    const outcomes: Outcome[] = [];
    while (outcomes.length < prepared.length) {
      const some = prepared.slice(outcomes.length, outcomes.length + size);
      const rest = prepared.slice(outcomes.length + some.length);
      let sent: Sent;
      try {
        const [only] = some;
        sent =
          size === 1 && only
            ? await this.#one(sending, only)
            : await this.#batch(sending, some, isLast && rest.length === 0);
      } catch (error) {
        if (!(error instanceof ExternalSystemError)) throw error;
        // Nothing was done at all: that concerns the call, not its records.
        if (outcomes.length === 0 && !isInDoubt(error)) throw error;
        sent = { outcomes: isInDoubt(error) ? unknown(some, error) : notSent(some, error), failed: error };
      }
      outcomes.push(...sent.outcomes);
      const { failed } = sent;
      if (failed) return { outcomes: [...outcomes, ...notSent(rest, failed)], failed };
    }
    return { outcomes, failed: null };
  }

  async #one(
    { collection, call: { locale, callClass, signal, turn } }: Sending,
    { op, method, path, headers, body }: Prepared,
  ): Promise<Sent> {
    const url = collection.root + path;
    const answer = await this.#http.send({ method, url, headers, body, locale, callClass, signal, turn });
    if (answer.status === 401) throw this.#http.failure(answer);
    const outcome = outcomeOf(collection, op, this.#opAnswer(answer));
    return { outcomes: [outcome], failed: outcome.state === 'notSent' ? this.#http.failure(answer) : null };
  }

  async #batch(sending: Sending, prepared: readonly Prepared[], isLast: boolean): Promise<Sent> {
    const { collection, call } = sending;
    const requests = prepared.map(({ method, path, headers, body }, i) => ({
      id: String(i),
      method,
      url: path,
      headers,
      ...(body === undefined ? {} : { body }),
    }));
    const answer = await this.#http.send(batchCall(collection, call, requests));
    const { status } = answer;
    if ([404, 405, 415, 501].includes(status)) {
      this.#batches.settleFor(collection, 1);
      return await this.#inRequests(sending, prepared, 1, isLast);
    }
    if (await this.#isTooLarge(sending, status, prepared.length)) {
      sending.refusals += 1;
      const before = sending.refusals;
      const half = Math.ceil(prepared.length / 2);
      const sent = await this.#inRequests(sending, prepared, half, isLast);
      // Halves that were all taken: it was the size, and not one record in them.
      if (sending.refusals === before) this.#batches.settleFor(collection, half);
      return sent;
    }
    if (status === 429 || status === 400 || status === 413) {
      const outcomes = prepared.map(({ op }) => outcomeOf(collection, op, this.#opAnswer(answer)));
      return { outcomes, failed: status === 429 ? this.#http.failure(answer) : null };
    }
    // The next call leaves before this answer is read; where more of this call is to be sent it keeps the turn.
    if (status === 200 && isLast && call.turn) {
      call.turn.pass();
      // The client writes to a line that was just used one step of the event loop later than it is asked to.
      await setImmediate();
      await setImmediate();
    }
    const outcomes = this.#readBatch(collection, prepared, answer);
    const held = outcomes.find((outcome) => outcome.state === 'notSent');
    return { outcomes, failed: held ? pauseOf(held) : null };
  }

  /** Whether the service would take these operations in smaller requests. */
  async #isTooLarge({ collection, call }: Sending, status: number, count: number): Promise<boolean> {
    if (count < 2) return false;
    return status === 413 || (status === 400 && (await this.#batches.isTooMany(collection, call, count)));
  }

  #readBatch(collection: Collection, prepared: readonly Prepared[], answer: HttpAnswer): Outcome[] {
    const parsed = batchSchema.safeParse(this.#http.parse(answer));
    if (!parsed.success) throw protocolError(answer, 'the answer of the batch has an unexpected form');
    const byId = new Map(parsed.data.responses.map((response) => [response.id, response]));
    return prepared.map(({ op }, i): Outcome => {
      const response = byId.get(String(i));
      if (!response)
        return { opId: op.opId, state: 'unknown', reason: 'the system did not answer this operation' };
      const headers = Object.fromEntries(
        Object.entries(response.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
      );
      return outcomeOf(collection, op, {
        status: response.status,
        headers,
        body: response.body,
        errors: readError(response.body) ?? [],
        retryAfterMs: retryAfterMs(headers['retry-after'], this.#now()),
      });
    });
  }

  #opAnswer(answer: Awaited<ReturnType<HttpClient['send']>>): OpAnswer {
    return {
      status: answer.status,
      headers: answer.headers,
      body:
        answer.status >= 200 && answer.status < 300 && answer.text !== '' ? this.#http.parse(answer) : null,
      errors: errorLines(answer) ?? [],
      retryAfterMs: retryAfterMs(answer.headers['retry-after'], this.#now()),
    };
  }
}

const unknown = (prepared: readonly Prepared[], { message: reason }: ExternalSystemError): Outcome[] =>
  prepared.map(({ op: { opId } }) => ({ opId, state: 'unknown', reason }));

const notSent = (
  prepared: readonly Prepared[],
  { message, retryAfterMs: ms }: ExternalSystemError,
): Outcome[] =>
  prepared.map(({ op: { opId } }) => ({
    opId,
    state: 'notSent',
    reason: message,
    ...(ms === null ? {} : { retryAfterMs: ms }),
  }));

const pauseOf = ({ reason, retryAfterMs: ms }: Extract<Outcome, { state: 'notSent' }>): ExternalSystemError =>
  new ExternalSystemError('RATE', reason, {
    retryable: true,
    ...(ms === undefined ? {} : { retryAfterMs: ms }),
  });
