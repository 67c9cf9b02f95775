import {
  ExternalSystemError,
  type CallClass,
  type ConnectionConfig,
  type SessionContext,
  type Turn,
} from '@sluice/adapter-kit';
import { ClientTokens, type HttpAnswer, HttpLine, retryAfterMs } from '@sluice/adapter-kit/http';
import type { Locale } from '@sluice/contract';
import { z } from 'zod';
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

/** One connection to one service: signs in, pays the budget, and turns every failure into an ExternalSystemError. */
export class HttpClient {
  readonly #config: ConnectionConfig;
  readonly #context: SessionContext;
  readonly #line: HttpLine;
  readonly #tokens: ClientTokens;

  constructor(config: ConnectionConfig, context: SessionContext) {
    this.#config = config;
    this.#context = context;
    this.#line = new HttpLine(context);
    this.#tokens = new ClientTokens(this.#line, config, context.now);
  }

  async close(): Promise<void> {
    await this.#line.close();
  }

  /** The answer whatever its status; throws only when there is none. */
  async send(call: HttpCall): Promise<HttpAnswer> {
    const answer = await this.#attempt(call);
    if (answer.status !== 401 || this.#config.authType !== 'oAuth' || !this.#tokens.drop()) return answer;
    // The token may have been withdrawn before its time: one fresh one, no more.
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
    const { method, url, callClass, signal, turn } = call;
    const { authType, username, password } = this.#config;
    const authorization =
      authType === 'basic'
        ? `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
        : `Bearer ${await this.#tokens.get(call)}`;
    return await this.#line.send({
      method,
      url,
      headers: {
        accept: 'application/json',
        'accept-language': call.locale.toLowerCase(),
        'odata-maxversion': '4.01',
        authorization,
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      body: call.body === undefined ? null : JSON.stringify(call.body),
      callClass,
      signal,
      turn,
    });
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
