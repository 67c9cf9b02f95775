import { ExternalSystemError } from '@sluice/adapter-kit';
import type { CallClass, ConnectionConfig, SessionContext } from '@sluice/adapter-kit';
import { HttpLine, retryAfterMs, TransportError } from '@sluice/adapter-kit/http';
import { z } from 'zod';

export interface RpcOptions {
  callClass: CallClass;
  signal: AbortSignal;
}

/**
 * A refusal in Tryton's own words: the transaction was undone, nothing happened. `kind` is UserError, UserWarning,
 * ConcurrencyException …, or the raw text of an error that Tryton did not foresee.
 */
export class TrytonError extends Error {
  readonly kind: string;
  readonly payload: unknown;

  constructor(kind: string, message: string, payload: unknown) {
    super(message);
    this.name = 'TrytonError';
    this.kind = kind;
    this.payload = payload;
  }
}

/** A call that failed below Tryton. `wasSent`: Tryton may have received it, and may still be working on it. */
export class CallError extends ExternalSystemError {
  readonly wasSent: boolean;

  constructor(
    code: ExternalSystemError['code'],
    message: string,
    options: {
      retryable: boolean;
      wasSent: boolean;
      status?: number;
      retryAfterMs?: number;
      cause?: unknown;
    },
  ) {
    super(code, message, options);
    this.wasSent = options.wasSent;
  }
}

const answerSchema = z.union([
  z.object({ error: z.tuple([z.string(), z.unknown()]) }),
  // Tryton leaves `result` away for methods without one.
  z.object({ id: z.unknown(), result: z.unknown().optional() }),
]);
const loginSchema = z.tuple([z.number(), z.string()]);
const userPayloadSchema = z.tuple([z.string(), z.string().nullable()]).rest(z.unknown());
const warningPayloadSchema = z.tuple([z.string(), z.string(), z.string().nullable()]).rest(z.unknown());

/** JSON-RPC to one Tryton database: signs in when it must, keeps the session, and tells failures apart. */
export class TrytonRpc {
  readonly #config: ConnectionConfig;
  readonly #context: SessionContext;
  readonly #line: HttpLine;
  #session: Promise<string> | null = null;
  /** Set when Tryton refused the credentials: each further try would make it sleep longer, and then lock out. */
  #refusal: CallError | null = null;
  /** Tryton's clock minus ours, by the last answer. */
  clockSkewMs = 0;
  /** Tryton's id of the signed-in user; null before the first sign-in. */
  userId: number | null = null;

  constructor(config: ConnectionConfig, context: SessionContext) {
    this.#config = config;
    this.#context = context;
    this.#line = new HttpLine(context);
  }

  /** Calls a method of the database, e.g. `model.party.party.read`. The last parameter is always the context. */
  async call(method: string, params: readonly unknown[], options: RpcOptions): Promise<unknown> {
    const session = await this.#signIn(options);
    try {
      return await this.#post(this.#databaseUrl(), method, params, options, session);
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 401) throw error;
      // The session ran out; Tryton checks it before it does anything, so the same call may be made once more.
      if ((await this.#session?.catch(() => null)) === session) this.#session = null;
      return this.#post(this.#databaseUrl(), method, params, options, await this.#signIn(options));
    }
  }

  /** Calls a method that needs no database and no session. */
  async callServer(method: string, options: RpcOptions): Promise<unknown> {
    return this.#post(this.#url('/'), method, [], options, null);
  }

  async close(): Promise<void> {
    await this.#line.close();
  }

  #url(path: string): URL {
    try {
      const base = new URL(this.#config.url);
      return new URL(`${base.pathname.replace(/\/+$/, '')}${path}`, base);
    } catch (cause) {
      throw new CallError('UNREACHABLE', `'${this.#config.url}' is not a web address.`, {
        retryable: false,
        wasSent: false,
        cause,
      });
    }
  }

  #databaseUrl(): URL {
    return this.#url(`/${encodeURIComponent(this.#config.database)}/`);
  }

  async #signIn(options: RpcOptions): Promise<string> {
    if (this.#refusal !== null) throw this.#refusal;
    this.#session ??= this.#login(options).catch((error: unknown) => {
      this.#session = null;
      if (error instanceof CallError && error.code === 'AUTH') this.#refusal = error;
      throw error;
    });
    try {
      return await this.#session;
    } catch (error) {
      // Calls share one sign-in; that its first caller gave up is no reason for the others to fail.
      const isForeignAbort =
        error instanceof CallError && error.code === 'ABORTED' && !options.signal.aborted;
      if (isForeignAbort) return this.#signIn(options);
      throw error;
    }
  }

  async #login(options: RpcOptions): Promise<string> {
    const { username, password, database } = this.#config;
    const params = [username, { password }, 'en'];
    try {
      const answer = loginSchema.safeParse(
        await this.#post(this.#databaseUrl(), 'common.db.login', params, options, null),
      );
      if (!answer.success) throw protocolError('Tryton answered the sign-in in an unknown form.');
      const [userId, key] = answer.data;
      this.userId = userId;
      return `Session ${Buffer.from(`${username}:${userId}:${key}`).toString('base64')}`;
    } catch (error) {
      if (error instanceof TrytonError && error.kind === 'LoginException') {
        throw new CallError('AUTH', `Tryton refused the sign-in: ${error.message}`, {
          retryable: false,
          wasSent: true,
        });
      }
      if (error instanceof CallError && (error.status === 404 || error.status === 401)) {
        const what =
          error.status === 404 ? `Tryton has no database '${database}'.` : 'Wrong username or password.';
        throw new CallError('AUTH', what, { retryable: false, wasSent: true, status: error.status });
      }
      throw error;
    }
  }

  async #post(
    url: URL,
    method: string,
    params: readonly unknown[],
    { callClass, signal }: RpcOptions,
    authorization: string | null,
  ): Promise<unknown> {
    try {
      const answer = await this.#line.send({
        method: 'POST',
        url: url.href,
        headers: {
          'content-type': 'application/json',
          ...(authorization === null ? {} : { authorization }),
        },
        // Exactly these three keys: with any other set Tryton answers errors as bare HTTP ones.
        body: JSON.stringify({ id: 1, method, params }),
        callClass,
        signal,
      });
      this.#noteClock(answer.headers['date']);
      if (answer.status !== 200) {
        const retry = retryAfterMs(answer.headers['retry-after'], this.#context.now());
        throw statusError(answer.status, method, retry);
      }
      return readAnswer(answer.text);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      throw transportError(error, url, this.#context.requestTimeoutMs);
    }
  }

  #noteClock(date: string | undefined): void {
    const time = Date.parse(date ?? '');
    if (!Number.isNaN(time)) this.clockSkewMs = time - this.#context.now().getTime();
  }
}

function readAnswer(text: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw protocolError('The answer is no JSON: is this the address of a Tryton server?', cause);
  }
  const answer = answerSchema.safeParse(body);
  if (!answer.success) throw protocolError('The answer is not in the form of Tryton.');
  if (!('error' in answer.data)) return answer.data.result ?? null;
  const [kind, payload] = answer.data.error;
  const error = toTrytonError(kind, payload);
  if (error.kind !== 'Exception' || !isDatabaseLoss(error.message)) throw error;
  // Tryton lost its database, perhaps while it committed: it cannot know either.
  throw new CallError('SERVER', error.message.trim(), { retryable: true, wasSent: true });
}

/** The kinds of errors carry their text in different places; an unforeseen one is itself the text. */
export function toTrytonError(kind: string, payload: unknown): TrytonError {
  if (kind === 'UserError' || kind === 'LoginException') {
    const parsed = userPayloadSchema.safeParse(payload);
    const [message, description] = parsed.success ? parsed.data : [JSON.stringify(payload), null];
    return new TrytonError(kind, description ? `${message} ${description}` : message, payload);
  }
  if (kind === 'UserWarning') {
    const parsed = warningPayloadSchema.safeParse(payload);
    return new TrytonError(kind, parsed.success ? parsed.data[1] : JSON.stringify(payload), payload);
  }
  if (kind === 'ConcurrencyException') {
    return new TrytonError(kind, typeof payload === 'string' ? payload : kind, payload);
  }
  return new TrytonError('Exception', kind, payload);
}

/** Tryton passes on the words of PostgreSQL's client. */
function isDatabaseLoss(message: string): boolean {
  return /connection to server|server closed the connection|terminating connection|database system is|connection (already|has been) closed/i.test(
    message,
  );
}

function protocolError(message: string, cause?: unknown): CallError {
  return new CallError('PROTOCOL', message, { retryable: false, wasSent: true, cause });
}

function statusError(status: number, method: string, retry: number | undefined): CallError {
  if (status === 429) {
    return new CallError('RATE', 'Tryton asks to wait (429).', {
      retryable: true,
      wasSent: false,
      status,
      ...(retry === undefined ? {} : { retryAfterMs: retry }),
    });
  }
  if (status === 401) {
    return new CallError('AUTH', 'Tryton wants a new sign-in.', { retryable: false, wasSent: false, status });
  }
  if (status === 403) {
    const message = `Tryton does not allow '${method}'.`;
    return new CallError('FORBIDDEN', message, { retryable: false, wasSent: false, status });
  }
  if (status === 404) {
    return new CallError('NOT_FOUND', 'There is no Tryton database at this address.', {
      retryable: false,
      wasSent: false,
      status,
    });
  }
  if (status >= 500) {
    return new CallError('SERVER', `The server failed (${status}).`, {
      retryable: true,
      wasSent: true,
      status,
    });
  }
  return new CallError('PROTOCOL', `The server answered with status ${status}.`, {
    retryable: false,
    wasSent: true,
    status,
  });
}

/** No answer came: in words that name the server. */
function transportError(error: TransportError, url: URL, requestTimeoutMs: number): CallError {
  const wasSent = error.mayHaveArrived;
  const make = (code: ExternalSystemError['code'], message: string): CallError =>
    new CallError(code, message, { retryable: true, wasSent, cause: error });
  if (error.code === 'ABORTED') return make('ABORTED', 'The call was cancelled.');
  if (error.code === 'TIMEOUT')
    return make('TIMEOUT', `No answer within ${Math.round(requestTimeoutMs / 1000)} seconds.`);
  if (!wasSent) return make('UNREACHABLE', `Nothing answers at ${url.host}: ${error.message}.`);
  return make('SERVER', `The connection broke before the answer came: ${error.message}.`);
}
