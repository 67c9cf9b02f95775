import { ExternalSystemError, type WriteCall } from '@sluice/adapter-kit';
import { z } from 'zod';
import { announcesBatch } from './describe.ts';
import type { HttpCall, HttpClient } from './http.ts';
import { selectOf } from './read.ts';
import type { Collection } from './service.ts';

/** Operations in one `$batch` that services take as a rule: what Microsoft's OData library allows by itself. */
const usualSize = 100;
/** Most operations in one `$batch`: of a service that has shown that it takes so many. */
const largestSize = 1000;
/** Sizes that are asked for. Each is at most 2.5 times as large as the call that it is asked for. */
const steps = [250, 500, largestSize];

interface Known {
  /** Operations in one `$batch` that the service takes for certain; 1: it takes no batches. */
  most: number;
  /** Whether it has refused more, or takes as many as are ever sent. */
  isFinal: boolean;
  /** Time in milliseconds until which that is believed. */
  until: number;
}

/** What services have shown to this process, by their address. */
const shown = new Map<string, Known>();
const asking = new Map<string, Promise<Known>>();
const believedMs = 3_600_000;

export const batchSchema = z.object({
  responses: z.array(
    z.object({
      id: z.coerce.string(),
      status: z.coerce.number(),
      headers: z.record(z.string(), z.unknown()).nullish(),
      body: z.unknown().optional(),
    }),
  ),
});

export function batchCall(
  { root }: Collection,
  { locale, callClass, signal, turn }: WriteCall,
  requests: readonly unknown[],
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

/**
 * What each service takes in one JSON `$batch`. It is found out with reads, which can do no harm: a library that works
 * off a batch while it reads it has done the first operations when it meets one too many (decision 0020).
 */
export class Batches {
  readonly #http: HttpClient;
  readonly #now: () => Date;
  readonly #takesJson = new Map<string, Promise<boolean>>();

  constructor(http: HttpClient, now: () => Date) {
    this.#http = http;
    this.#now = now;
  }

  /** Operations that one call should have at most: a larger one would take several requests. */
  get most(): number {
    const limits = [...this.#takesJson.keys()].map((root) => {
      const { most, isFinal } = this.#shown(root);
      return isFinal ? Math.max(most, usualSize) : largestSize;
    });
    return Math.min(largestSize, ...limits);
  }

  /** Operations of this call in one request; 1: each in a request of its own. Sends nothing that changes anything. */
  async sizeFor(collection: Collection, call: WriteCall): Promise<number> {
    const count = call.ops.length;
    if (count < 2 || announcesBatch(collection.model) === false) return 1;
    if (!(await this.#isJsonTaken(collection, call))) return 1;
    const { most } = await this.#known(collection, call);
    // Parts of the same size: a last one of a few records would cost as much as a whole one.
    return Math.ceil(count / Math.ceil(count / most));
  }

  /** Whether it was for their number that the service refused so many operations. Throws when the call is aborted. */
  async isTooMany(collection: Collection, call: WriteCall, count: number): Promise<boolean> {
    return !(await this.#takes(collection, call, count));
  }

  /** From now on at most so many operations go in a request to this service; 1: it takes no batches. */
  settleFor({ root }: Collection, size: number): void {
    this.#keep(root, { most: Math.min(size, this.#shown(root).most), isFinal: true });
  }

  #shown(root: string): Omit<Known, 'until'> {
    const known = shown.get(root);
    return known && known.until > this.#now().getTime() ? known : { most: usualSize, isFinal: false };
  }

  #keep(root: string, known: Omit<Known, 'until'>): Known {
    const kept = { ...known, until: this.#now().getTime() + believedMs };
    shown.set(root, kept);
    return kept;
  }

  /** Not every service that announces `$batch` takes it as JSON. Asked once; again after a failure. */
  #isJsonTaken(collection: Collection, call: WriteCall): Promise<boolean> {
    const { root } = collection;
    const told = this.#takesJson.get(root);
    if (told) return told;
    const asking = this.#answers(collection, call, 1);
    this.#takesJson.set(root, asking);
    asking.catch(() => this.#takesJson.delete(root));
    return asking;
  }

  /** What the service takes: asked when a call is larger than anything that it has shown to take. */
  async #known(collection: Collection, call: WriteCall): Promise<Omit<Known, 'until'>> {
    const { root } = collection;
    await asking.get(root)?.catch(() => undefined);
    const known = this.#shown(root);
    const count = call.ops.length;
    // Less than twice the usual are two requests: not worth a question.
    if (known.isFinal || count <= known.most || count < 2 * usualSize) return known;
    const answer = this.#ask(collection, call, known.most).finally(() => asking.delete(root));
    asking.set(root, answer);
    return await answer;
  }

  async #ask(collection: Collection, call: WriteCall, before: number): Promise<Known> {
    const wanted = steps.find((step) => step >= call.ops.length) ?? largestSize;
    const smaller = steps.filter((step) => step > before && step <= wanted).toReversed();
    for (const most of smaller)
      if (await this.#takes(collection, call, most))
        return this.#keep(collection.root, { most, isFinal: most < wanted || most === largestSize });
    return this.#keep(collection.root, { most: before, isFinal: true });
  }

  /** What cannot be found out is not made use of. */
  async #takes(collection: Collection, call: WriteCall, count: number): Promise<boolean> {
    try {
      return await this.#answers(collection, call, count);
    } catch (error) {
      if (!(error instanceof ExternalSystemError) || error.code === 'ABORTED') throw error;
      return false;
    }
  }

  /** Whether the service answers that many small reads in one batch. */
  async #answers(collection: Collection, call: WriteCall, count: number): Promise<boolean> {
    const key = selectOf(collection, []);
    const url = `${encodeURIComponent(collection.set.name)}?$top=1${key === '' ? '' : `&$select=${key}`}`;
    const read = { method: 'GET', url, headers: { accept: 'application/json' } };
    const requests = Array.from({ length: count }, (_, i) => ({ id: String(i), ...read }));
    // A read waits for nobody's turn.
    const answer = await this.#http.send(batchCall(collection, { ...call, turn: undefined }, requests));
    if (answer.status === 401 || answer.status === 403 || answer.status === 429)
      throw this.#http.failure(answer);
    if (answer.status !== 200) return false;
    try {
      const { responses } = batchSchema.parse(this.#http.parse(answer));
      return responses.length === count && responses[0]?.id === '0' && responses[0].status === 200;
    } catch {
      return false;
    }
  }
}
