import { setTimeout as sleep } from 'node:timers/promises';
import { type CallClass, ExternalSystemError, type SessionContext } from '@sluice/adapter-kit';
import {
  ClientTokens,
  type HttpAnswer,
  HttpLine,
  retryAfterMs,
  TransportError,
} from '@sluice/adapter-kit/http';
import type { Locale } from '@sluice/contract';
import type { Words } from './failures.ts';
import { parseJson } from './json.ts';
import { addressOf, type RestSettings } from './settings.ts';

const minuteMs = 60_000;

export interface HttpCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Behind the address of the service, or a whole address of the same server. */
  path: string;
  parameters?: Readonly<Record<string, string>>;
  headers?: Record<string, string>;
  body?: unknown;
  callClass: CallClass;
  signal: AbortSignal;
  locale: Locale;
}

export const protocolError = (message: string, cause?: unknown): ExternalSystemError =>
  new ExternalSystemError('PROTOCOL', message, { retryable: false, cause });

/** One connection to one service: signs in, pays the budget, keeps to the calls a minute of the profile. */
export class HttpClient {
  readonly #settings: RestSettings;
  readonly #context: SessionContext;
  readonly #line: HttpLine;
  readonly #tokens: ClientTokens;
  /** When the calls of the last minute began. */
  #calls: number[] = [];

  constructor(settings: RestSettings, context: SessionContext) {
    this.#settings = settings;
    this.#context = context;
    this.#line = new HttpLine(context);
    this.#tokens = new ClientTokens(this.#line, settings.account, context.now);
  }

  async close(): Promise<void> {
    await this.#line.close();
  }

  now(): Date {
    return this.#context.now();
  }

  /** The answer whatever its status; throws only when there is none. */
  async send(call: HttpCall): Promise<HttpAnswer> {
    const answer = await this.#attempt(call);
    if (answer.status !== 401 || !this.#tokens.drop()) return answer;
    // The token may have been withdrawn before its time: one fresh one, no more.
    return await this.#attempt(call);
  }

  /** A 2xx answer as JSON. `words`: what an error answer says, by the profile. */
  async json(
    call: HttpCall,
    words: (answer: HttpAnswer) => Words,
  ): Promise<{ body: unknown; answer: HttpAnswer }> {
    const answer = await this.send(call);
    if (answer.status < 200 || answer.status >= 300) throw this.failure(answer, words(answer));
    return { body: bodyOf(answer), answer };
  }

  /** What a status outside 2xx means for the whole call. */
  failure(answer: HttpAnswer, words: Words): ExternalSystemError {
    const { status } = answer;
    const retry = retryAfterMs(answer.headers['retry-after'], this.now());
    const message = words.message || `HTTP ${status}`;
    const options = {
      status,
      ...(words.code ? { errCode: words.code } : {}),
      ...(retry === undefined ? {} : { retryAfterMs: retry }),
    };
    const make = (code: ExternalSystemError['code'], retryable: boolean): ExternalSystemError =>
      new ExternalSystemError(code, message, { retryable, ...options });
    if (words.class === 'auth') return make('AUTH', false);
    if (words.class === 'rate') return make('RATE', true);
    if (status === 403) return make('FORBIDDEN', false);
    if (status === 404) return make('NOT_FOUND', false);
    if (status >= 500 || status === 408) return make('SERVER', true);
    if (status < 400) return protocolError(`unexpected redirect or status ${status}`);
    return make('REFUSED', false);
  }

  async #attempt(call: HttpCall): Promise<HttpAnswer> {
    const { base, signIn, headers: signing, parameter, account, profile } = this.#settings;
    const url = addressOf(base, call.path);
    if (url === null) throw protocolError(`${call.path} leads to another server than ${base.origin}`);
    for (const [name, value] of Object.entries(call.parameters ?? {})) url.searchParams.set(name, value);
    if (signIn === 'query') url.searchParams.set(parameter, account.password);
    const headers: Record<string, string> = {
      accept: 'application/json',
      'accept-language': call.locale.toLowerCase(),
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...Object.fromEntries(
        Object.entries(profile.headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      ...signing,
      ...(await this.#authorization(call)),
      ...call.headers,
    };
    await this.#pace(call.signal);
    const { method, callClass, signal } = call;
    const body = call.body === undefined ? null : JSON.stringify(call.body);
    return await this.#line.send({ method, url: url.href, headers, body, callClass, signal });
  }

  async #authorization(call: HttpCall): Promise<Record<string, string>> {
    const { signIn, account } = this.#settings;
    if (signIn === 'basic') {
      const pair = Buffer.from(`${account.username}:${account.password}`).toString('base64');
      return { authorization: `Basic ${pair}` };
    }
    if (signIn === 'bearer') return { authorization: `Bearer ${account.password}` };
    if (signIn !== 'oauth2') return {};
    return { authorization: `Bearer ${await this.#tokens.get(call)}` };
  }

  /** Waits until one more call fits into the minute. */
  async #pace(signal: AbortSignal): Promise<void> {
    const most = this.#settings.profile.limits.callsPerMinute;
    if (most === undefined) return;
    for (;;) {
      const now = this.now().getTime();
      this.#calls = this.#calls.filter((began) => began > now - minuteMs);
      const [oldest] = this.#calls;
      if (oldest === undefined || this.#calls.length < most) {
        this.#calls.push(now);
        return;
      }
      await sleep(oldest + minuteMs - now + 1, undefined, { signal }).catch((error: unknown) => {
        throw new TransportError('ABORTED', 'aborted before it was sent', false, error);
      });
    }
  }
}

/** The JSON of an answer; nothing is null. */
export function bodyOf(answer: HttpAnswer): unknown {
  if (answer.text.trim() === '') return null;
  try {
    return parseJson(answer.text);
  } catch (error) {
    throw protocolError(
      `JSON was expected, the answer is ${answer.headers['content-type'] ?? 'of no type'}`,
      error,
    );
  }
}
