import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { ExternalSystemError, type Outcome, type WriteCall, type WriteOp } from '@sluice/adapter-kit';
import { announcesBatch, attributeOf } from './describe.ts';
import { isInDoubt, retryAfterMs } from '@sluice/adapter-kit/http';
import { errorLines, type HttpClient, type HttpCall } from './http.ts';
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

const responsesSchema = z.object({
  responses: z.array(
    z.object({
      id: z.coerce.string(),
      status: z.coerce.number(),
      headers: z.record(z.string(), z.unknown()).nullish(),
      body: z.unknown().optional(),
    }),
  ),
});

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

/** Writes operations of one collection; learns once per service whether it has JSON `$batch`. */
export class Writer {
  readonly #http: HttpClient;
  readonly #now: () => Date;
  readonly #hasBatch = new Map<string, Promise<boolean>>();

  constructor(http: HttpClient, now: () => Date) {
    this.#http = http;
    this.#now = now;
  }

  async write(collection: Collection, call: WriteCall, useBatch: boolean): Promise<Outcome[]> {
    const readOnly = readOnlyOf(call);
    const prepared = call.ops.map((op) => prepare(collection, call, op, readOnly));
    const outcomes =
      (useBatch ? await this.#batch(collection, call, prepared) : null) ??
      (await this.#singly(collection, call, prepared));
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
      return (await this.#singly(collection, call, [again]))[0] ?? { opId, state: 'stale' };
    } catch (error) {
      if (!(error instanceof ExternalSystemError)) throw error;
      return { opId, state: 'notSent', reason: error.message };
    }
  }

  /** Whether the operations of this call can go in one request. Sends nothing that changes anything. */
  canBatch(collection: Collection, call: WriteCall): Promise<boolean> {
    if (call.ops.length < 2) return Promise.resolve(false);
    const announced = announcesBatch(collection.model);
    if (announced === false) return Promise.resolve(false);
    const known = this.#hasBatch.get(collection.root);
    if (known) return known;
    // Not every service that announces `$batch` takes it as JSON: a read by batch tells, and can do no harm.
    const trying = this.#tryBatch(collection, call);
    this.#hasBatch.set(collection.root, trying);
    trying.catch(() => this.#hasBatch.delete(collection.root));
    return trying;
  }

  async #tryBatch(collection: Collection, call: WriteCall): Promise<boolean> {
    const url = `${encodeURIComponent(collection.set.name)}?$top=1`;
    const answer = await this.#http.send(
      this.#batchCall(collection, call, [
        { id: '0', method: 'GET', url, headers: { accept: 'application/json' } },
      ]),
    );
    if (answer.status === 401 || answer.status === 403 || answer.status === 429)
      throw this.#http.failure(answer);
    if (answer.status !== 200) return false;
    try {
      const { responses } = responsesSchema.parse(this.#http.parse(answer));
      return responses[0]?.id === '0' && responses[0].status === 200;
    } catch {
      return false;
    }
  }

  #batchCall(
    { root }: Collection,
    { locale, callClass, signal, turn }: WriteCall,
    requests: unknown[],
  ): HttpCall {
    const headers = { prefer: 'continue-on-error, odata.continue-on-error' };
    return {
      method: 'POST',
      url: `${root}$batch`,
      headers,
      body: { requests },
      locale,
      callClass,
      signal,
      turn,
    };
  }

  /** null: the service does not take batches after all. */
  async #batch(
    collection: Collection,
    call: WriteCall,
    prepared: readonly Prepared[],
  ): Promise<Outcome[] | null> {
    const requests = prepared.map(({ method, path, headers, body }, i) => ({
      id: String(i),
      method,
      url: path,
      headers,
      ...(body === undefined ? {} : { body }),
    }));
    const inDoubt = (reason: string): Outcome[] =>
      prepared.map(({ op: { opId } }) => ({ opId, state: 'unknown', reason }));
    try {
      const answer = await this.#http.send(this.#batchCall(collection, call, requests));
      if ([404, 405, 415, 501].includes(answer.status)) return null;
      // The next call leaves before this answer is read; what is to be sent again keeps the turn.
      if (answer.status === 200 && call.turn) {
        call.turn.pass();
        // The client writes to a line that was just used one step of the event loop later than it is asked to.
        await setImmediate();
        await setImmediate();
      }
      if (answer.status === 413 && prepared.length > 1) {
        const half = prepared.length >> 1;
        const first = await this.#batch(collection, call, prepared.slice(0, half));
        const second = await this.#batch(collection, call, prepared.slice(half));
        return first && second && [...first, ...second];
      }
      if (answer.status === 429)
        return prepared.map(({ op }) => outcomeOf(collection, op, this.#opAnswer(answer)));
      if (answer.status === 400 || answer.status === 413)
        return prepared.map(({ op }) => outcomeOf(collection, op, this.#opAnswer(answer)));
      const parsed = responsesSchema.safeParse(this.#http.parse(answer));
      if (!parsed.success) return inDoubt('the answer of the batch has an unexpected form');
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
    } catch (error) {
      if (error instanceof ExternalSystemError && isInDoubt(error)) return inDoubt(error.message);
      throw error;
    }
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

  /** One request per operation. After a failure of the line the rest is not sent. */
  async #singly(collection: Collection, call: WriteCall, prepared: readonly Prepared[]): Promise<Outcome[]> {
    const { locale, callClass, signal, turn } = call;
    const outcomes: Outcome[] = [];
    for (const { op, method, path, headers, body } of prepared) {
      let failed: ExternalSystemError;
      try {
        const url = collection.root + path;
        const answer = await this.#http.send({ method, url, headers, body, locale, callClass, signal, turn });
        if (answer.status === 401) throw this.#http.failure(answer);
        const outcome = outcomeOf(collection, op, this.#opAnswer(answer));
        outcomes.push(outcome);
        if (outcome.state !== 'notSent') continue;
        failed = this.#http.failure(answer);
      } catch (error) {
        if (!(error instanceof ExternalSystemError)) throw error;
        // Nothing was done at all: that concerns the call, not its records.
        if (outcomes.length === 0 && !isInDoubt(error)) throw error;
        const { opId } = op;
        const reason = error.message;
        outcomes.push(
          isInDoubt(error) ? { opId, state: 'unknown', reason } : { opId, state: 'notSent', reason },
        );
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
}
