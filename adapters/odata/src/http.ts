import { Agent, request } from 'undici';
import { z } from 'zod';
import {
  ExternalSystemError,
  type CallClass,
  type ConnectionConfig,
  type SessionContext,
  type Turn,
} from '@sluice/adapter-kit';
import type { Locale } from '@sluice/contract';
import { parseJson, readError, type ErrorLine } from './json.ts';

export interface HttpCall {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: unknown;
  callClass: CallClass;
  signal: AbortSignal;
  locale: Locale;
  /** Awaited with the request ready to leave. */
  turn?: Turn | undefined;
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Failures before anything reached the system: what was to be written certainly was not. */
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
const brokenAnswer = new Set([
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_RESPONSE',
  'HPE_INVALID_CONSTANT',
]);

const tokenSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().default(3600),
});

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Milliseconds of a Retry-After header: seconds or a date. */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

/** No answer came. `mayHaveArrived` tells whether the system may have got the request, and so done the work. */
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

/** True when the error leaves open whether the system did the work. */
export function isInDoubt(error: ExternalSystemError): boolean {
  return error instanceof TransportError
    ? error.mayHaveArrived
    : error.code === 'SERVER' || error.code === 'PROTOCOL';
}

/** One connection to one service: signs in, pays the budget, and turns every failure into an ExternalSystemError. */
export class HttpClient {
  readonly #config: ConnectionConfig;
  readonly #context: SessionContext;
  readonly #agent: Agent;
  #token: { value: string; until: number } | null = null;

  constructor(config: ConnectionConfig, context: SessionContext) {
    this.#config = config;
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

  /** The answer whatever its status; throws only when there is none. */
  async send(call: HttpCall): Promise<HttpAnswer> {
    const answer = await this.#attempt(call);
    if (answer.status !== 401 || this.#config.authType !== 'oAuth' || this.#token === null) return answer;
    // The token may have been withdrawn before its time: one fresh one, no more.
    this.#token = null;
    return this.#attempt(call);
  }

  /** A 2xx answer as JSON. */
  async json<T>(call: HttpCall, schema: z.ZodType<T>): Promise<{ body: T; answer: HttpAnswer }> {
    const answer = await this.send(call);
    const value = this.parse(answer);
    const parsed = schema.safeParse(value);
    if (!parsed.success)
      throw protocolError(answer, `the answer has an unexpected form: ${z.prettifyError(parsed.error)}`);
    return { body: parsed.data, answer };
  }

  /** Throws unless the answer is 2xx with JSON. */
  parse(answer: HttpAnswer): unknown {
    if (answer.status < 200 || answer.status >= 300) throw this.failure(answer);
    if (!/[/+]json/i.test(answer.headers['content-type'] ?? ''))
      throw protocolError(
        answer,
        `JSON was expected, the answer is ${answer.headers['content-type'] ?? 'of no type'}`,
      );
    try {
      return parseJson(answer.text);
    } catch (error) {
      throw protocolError(answer, `the answer is no valid JSON`, error);
    }
  }

  /** What a status outside 2xx means for the whole call. */
  failure(answer: HttpAnswer): ExternalSystemError {
    const { status } = answer;
    const first = errorLines(answer)?.[0];
    const message = first?.message ?? `HTTP ${status}`;
    const retry = retryAfterMs(answer.headers['retry-after'], this.#context.now());
    const options = {
      status,
      ...(first?.code ? { errCode: first.code } : {}),
      ...(retry === undefined ? {} : { retryAfterMs: retry }),
    };
    if (status === 401) return new ExternalSystemError('AUTH', message, { retryable: false, ...options });
    if (status === 403)
      return new ExternalSystemError('FORBIDDEN', message, { retryable: false, ...options });
    if (status === 404)
      return new ExternalSystemError('NOT_FOUND', message, { retryable: false, ...options });
    if (status === 429) return new ExternalSystemError('RATE', message, { retryable: true, ...options });
    if (status >= 500 || status === 408)
      return new ExternalSystemError('SERVER', message, { retryable: true, ...options });
    if (status < 400) return protocolError(answer, `unexpected redirect or status ${status}`);
    return new ExternalSystemError('REFUSED', message, { retryable: false, ...options });
  }

  async #attempt(call: HttpCall): Promise<HttpAnswer> {
    const authorization = await this.#authorization(call);
    const headers: Record<string, string> = {
      accept: 'application/json',
      'accept-language': call.locale.toLowerCase(),
      'odata-maxversion': '4.01',
      authorization,
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    };
    return this.#exchange(
      call,
      call.url,
      headers,
      call.body === undefined ? null : JSON.stringify(call.body),
    );
  }

  async #exchange(
    call: Pick<HttpCall, 'method' | 'callClass' | 'signal' | 'turn'>,
    url: string,
    headers: Record<string, string>,
    body: string | null,
  ): Promise<HttpAnswer> {
    const { budget, requestTimeoutMs, now } = this.#context;
    try {
      call.signal.throwIfAborted();
      await budget.acquire(call.callClass, call.signal);
      await call.turn?.come();
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
            name,
            Array.isArray(value) ? value.join(',') : (value ?? ''),
          ]),
        ),
        text: await response.body.text(),
      };
      const retry = retryAfterMs(answer.headers['retry-after'], now());
      budget.observe({ status: answer.status, ...(retry === undefined ? {} : { retryAfterMs: retry }) });
      return answer;
    } catch (error) {
      throw transportError(error, { isAborted: call.signal.aborted, isLate: timeout.aborted, isAnswered });
    }
  }

  async #authorization(call: HttpCall): Promise<string> {
    const { authType, username, password, clientId, clientSecret, tokenUrl, scope } = this.#config;
    if (authType === 'basic') return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    const now = this.#context.now().getTime();
    if (this.#token && this.#token.until > now) return `Bearer ${this.#token.value}`;
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      ...(scope === '' ? {} : { scope }),
    });
    const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
    const { callClass, signal } = call;
    const answer = await this.#exchange(
      { method: 'POST', callClass, signal },
      tokenUrl,
      headers,
      form.toString(),
    );
    if (answer.status === 400 || answer.status === 401)
      throw new ExternalSystemError('AUTH', 'the client id or secret was refused', {
        retryable: false,
        status: answer.status,
      });
    const parsed = tokenSchema.safeParse(this.parse(answer));
    if (!parsed.success) throw protocolError(answer, 'the token address gave no token');
    const { access_token: value, expires_in: seconds } = parsed.data;
    this.#token = { value, until: now + Math.max(seconds - 30, 5) * 1000 };
    return `Bearer ${value}`;
  }
}

/** The error lines of an answer, when it carries an OData error. */
export function errorLines(answer: HttpAnswer): ErrorLine[] | null {
  if (!/json/i.test(answer.headers['content-type'] ?? '')) return null;
  try {
    return readError(parseJson(answer.text));
  } catch {
    return null;
  }
}

export function protocolError(answer: HttpAnswer, message: string, cause?: unknown): ExternalSystemError {
  return new ExternalSystemError('PROTOCOL', message, { retryable: false, status: answer.status, cause });
}

function transportError(
  error: unknown,
  { isAborted, isLate, isAnswered }: { isAborted: boolean; isLate: boolean; isAnswered: boolean },
): TransportError {
  const code = codeOf(error);
  if (isAborted) return new TransportError('ABORTED', 'aborted', true, error);
  if (isLate || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return new TransportError('TIMEOUT', 'no answer in time', true, error);
  if (isAnswered || brokenAnswer.has(code))
    return new TransportError('PROTOCOL', 'the answer broke off', true, error);
  const why = code || (error instanceof Error ? error.message : String(error));
  return new TransportError('UNREACHABLE', `no connection (${why})`, !neverSent.has(code), error);
}
