import { Agent, request } from 'undici';
import { z } from 'zod';
import { ExternalSystemError } from './errors.ts';
import type { CallClass, SessionContext, Turn } from './types.ts';

/** One HTTP call, ready to leave. `body`: as it goes over the wire; null = none. */
export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body: string | null;
  callClass: CallClass;
  signal: AbortSignal;
  /** Awaited with the request ready to leave. */
  turn?: Turn | undefined;
}

/** Names of headers in lower case; several of one name joined by commas. */
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

const isBrokenAnswer = (code: string): boolean =>
  code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' || code === 'UND_ERR_RESPONSE' || code.startsWith('HPE_');

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

/** No answer came. `mayHaveArrived` tells whether the system may have got the request, and so done the work. */
export class TransportError extends ExternalSystemError {
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
export const isInDoubt = (error: ExternalSystemError): boolean =>
  error instanceof TransportError
    ? error.mayHaveArrived
    : error.code === 'SERVER' || error.code === 'PROTOCOL';

/** The way to one system by HTTP: pays the budget, waits for turns, and turns every failure into a TransportError. */
export class HttpLine {
  readonly #context: SessionContext;
  readonly #agent: Agent;

  constructor(context: SessionContext) {
    this.#context = context;
    const timeout = context.requestTimeoutMs;
    this.#agent = new Agent({
      connect: { timeout: Math.min(timeout, 10_000), ...(context.lookup ? { lookup: context.lookup } : {}) },
      headersTimeout: timeout,
      bodyTimeout: timeout,
    });
  }

  /** Gives up what is on its way. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  /** The answer whatever its status; throws only when there is none. */
  async send(call: HttpRequest): Promise<HttpAnswer> {
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
      const response = await request(call.url, {
        dispatcher: this.#agent,
        method: call.method,
        headers: call.headers,
        body: call.body,
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
      if (isAnswered || isBrokenAnswer(code))
        throw new TransportError('PROTOCOL', 'the answer broke off', true, error);
      const why = code || (error instanceof Error ? error.message : String(error));
      throw new TransportError('UNREACHABLE', `no connection (${why})`, !neverSent.has(code), error);
    }
  }
}

const tokenSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().default(3600),
});

/** Who asks for a token by OAuth 2.0's client credentials. */
export interface ClientAccount {
  clientId: string;
  clientSecret: string;
  tokenUrl: string;
  /** Empty: none is asked for. */
  scope: string;
}

/** Tokens by OAuth 2.0's client credentials, one after the other as they run out. */
export class ClientTokens {
  readonly #line: HttpLine;
  readonly #account: ClientAccount;
  readonly #now: () => Date;
  #token: { value: string; until: number } | null = null;

  constructor(line: HttpLine, account: ClientAccount, now: () => Date) {
    this.#line = line;
    this.#account = account;
    this.#now = now;
  }

  /** Forgets the token that was refused; false when there was none, so that asking again would not help. */
  drop(): boolean {
    const had = this.#token !== null;
    this.#token = null;
    return had;
  }

  /** Throws ExternalSystemError `AUTH` when no token is given; never one that leaves the work itself in doubt. */
  async get({ callClass, signal }: Pick<HttpRequest, 'callClass' | 'signal'>): Promise<string> {
    const now = this.#now().getTime();
    if (this.#token && this.#token.until > now) return this.#token.value;
    const { clientId, clientSecret, tokenUrl, scope } = this.#account;
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      ...(scope === '' ? {} : { scope }),
    });
    const answer = await this.#line
      .send({
        method: 'POST',
        url: tokenUrl,
        headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
        callClass,
        signal,
      })
      .catch((error: unknown) => {
        // The token is not the work: nothing that was to be written has been sent.
        if (error instanceof TransportError) {
          const code = error.code === 'ABORTED' ? 'ABORTED' : 'UNREACHABLE';
          throw new TransportError(code, error.message, false, error);
        }
        throw error;
      });
    const { status } = answer;
    if (status === 400 || status === 401)
      throw new ExternalSystemError('AUTH', 'the client id or secret was refused', {
        retryable: false,
        status,
      });
    const parsed = tokenSchema.safeParse(status === 200 ? jsonOrNull(answer.text) : null);
    if (!parsed.success)
      throw new ExternalSystemError('AUTH', `the token address gave no token (HTTP ${status})`, {
        retryable: status >= 500,
        status,
      });
    const { access_token: value, expires_in: seconds } = parsed.data;
    this.#token = { value, until: now + Math.max(seconds - 30, 5) * 1000 };
    return value;
  }
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
