import { setTimeout as sleep } from 'node:timers/promises';
import { type CallClass, ExternalSystemError, type SessionContext } from '@sluice/adapter-kit';
import type { Locale } from '@sluice/contract';
import { Agent, request } from 'undici';
import { z } from 'zod';
import type { Words } from './failures.ts';
import { parseJson } from './json.ts';
import { addressOf, type RestSettings } from './settings.ts';

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

export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Failures before anything reached the service: what was to be written certainly was not. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_INVALID_URL',
  'UND_ERR_INVALID_ARG',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);
const tokenSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().default(3600),
});
const minuteMs = 60_000;

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Milliseconds of a Retry-After header: seconds or a date. */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

/** No answer came. `mayHaveArrived` tells whether the service may have got the request, and so done the work. */
class TransportError extends ExternalSystemError {
  readonly mayHaveArrived: boolean;
  constructor(
    code: 'ABORTED' | 'TIMEOUT' | 'PROTOCOL' | 'UNREACHABLE',
    message: string,
    mayHaveArrived: boolean,
    cause?: unknown,
  ) {
    super(code, message, { retryable: true, cause });
    this.mayHaveArrived = mayHaveArrived;
  }
}

/** True when the error leaves open whether the service did the work. */
export const isInDoubt = (error: ExternalSystemError): boolean =>
  error instanceof TransportError
    ? error.mayHaveArrived
    : error.code === 'SERVER' || error.code === 'PROTOCOL';

export const protocolError = (message: string, cause?: unknown): ExternalSystemError =>
  new ExternalSystemError('PROTOCOL', message, { retryable: false, cause });

/** One connection to one service: signs in, pays the budget, keeps to the calls a minute of the profile. */
export class HttpClient {
  readonly #settings: RestSettings;
  readonly #context: SessionContext;
  readonly #agent: Agent;
  /** When the calls of the last minute began. */
  #calls: number[] = [];
  #token: { value: string; until: number } | null = null;

  constructor(settings: RestSettings, context: SessionContext) {
    this.#settings = settings;
    this.#context = context;
    const timeout = context.requestTimeoutMs;
    this.#agent = new Agent({
      connect: { timeout: Math.min(timeout, 10_000), ...(context.lookup ? { lookup: context.lookup } : {}) },
      headersTimeout: timeout,
      bodyTimeout: timeout,
    });
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  now(): Date {
    return this.#context.now();
  }

  /** The answer whatever its status; throws only when there is none. */
  async send(call: HttpCall): Promise<HttpAnswer> {
    const answer = await this.#attempt(call);
    if (answer.status !== 401 || this.#token === null) return answer;
    // The token may have been withdrawn before its time: one fresh one, no more.
    this.#token = null;
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
    return await this.#exchange(
      call,
      url.href,
      headers,
      call.body === undefined ? null : JSON.stringify(call.body),
    );
  }

  async #authorization(call: HttpCall): Promise<Record<string, string>> {
    const { signIn, account } = this.#settings;
    if (signIn === 'basic') {
      const pair = Buffer.from(`${account.username}:${account.password}`).toString('base64');
      return { authorization: `Basic ${pair}` };
    }
    if (signIn === 'bearer') return { authorization: `Bearer ${account.password}` };
    if (signIn !== 'oauth2') return {};
    const now = this.now().getTime();
    if (this.#token && this.#token.until > now) return { authorization: `Bearer ${this.#token.value}` };
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: account.clientId,
      client_secret: account.clientSecret,
      ...(account.scope === '' ? {} : { scope: account.scope }),
    });
    const { callClass, signal } = call;
    const answer = await this.#exchange(
      { method: 'POST', callClass, signal },
      account.tokenUrl,
      { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      form.toString(),
    ).catch((error: unknown) => {
      // The token is not the work: nothing that was to be written has been sent.
      if (error instanceof TransportError)
        throw new TransportError(
          error.code === 'ABORTED' ? 'ABORTED' : 'UNREACHABLE',
          error.message,
          false,
          error,
        );
      throw error;
    });
    if (answer.status === 400 || answer.status === 401)
      throw new ExternalSystemError('AUTH', 'the client id or secret was refused', {
        retryable: false,
        status: answer.status,
      });
    const parsed = tokenSchema.safeParse(answer.status === 200 ? bodyOf(answer) : null);
    if (!parsed.success)
      throw new ExternalSystemError('AUTH', `the token address gave no token (HTTP ${answer.status})`, {
        retryable: answer.status >= 500,
        status: answer.status,
      });
    const { access_token: value, expires_in: seconds } = parsed.data;
    this.#token = { value, until: now + Math.max(seconds - 30, 5) * 1000 };
    return { authorization: `Bearer ${value}` };
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
      await sleep(oldest + minuteMs - now + 1, undefined, { signal });
    }
  }

  async #exchange(
    call: Pick<HttpCall, 'method' | 'callClass' | 'signal'>,
    url: string,
    headers: Record<string, string>,
    body: string | null,
  ): Promise<HttpAnswer> {
    const { budget, requestTimeoutMs, now } = this.#context;
    try {
      call.signal.throwIfAborted();
      await this.#pace(call.signal);
      await budget.acquire(call.callClass, call.signal);
      call.signal.throwIfAborted();
    } catch (error) {
      if (!call.signal.aborted) throw error;
      throw new TransportError('ABORTED', 'aborted before it was sent', false, error);
    }
    const timeout = AbortSignal.timeout(requestTimeoutMs);
    const signal = AbortSignal.any([call.signal, timeout]);
    let isAnswered = false;
    try {
      const response = await request(url, {
        dispatcher: this.#agent,
        method: call.method,
        headers,
        body,
        signal,
      });
      isAnswered = true;
      const answer: HttpAnswer = {
        status: response.statusCode,
        headers: Object.fromEntries(
          Object.entries(response.headers).map(([name, value]) => [
            name.toLowerCase(),
            Array.isArray(value) ? value.join(', ') : (value ?? ''),
          ]),
        ),
        text: await response.body.text(),
      };
      const retry = retryAfterMs(answer.headers['retry-after'], now());
      budget.observe({ status: answer.status, ...(retry === undefined ? {} : { retryAfterMs: retry }) });
      return answer;
    } catch (error) {
      const code = codeOf(error);
      if (call.signal.aborted) throw new TransportError('ABORTED', 'aborted', true, error);
      if (timeout.aborted || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
        throw new TransportError('TIMEOUT', 'no answer in time', true, error);
      if (isAnswered || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' || code.startsWith('HPE_'))
        throw new TransportError('PROTOCOL', 'the answer broke off', true, error);
      const why = code || (error instanceof Error ? error.message : String(error));
      throw new TransportError('UNREACHABLE', `no connection (${why})`, !neverSent.has(code), error);
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
