import type * as Contract from '@sluice/contract';
import type { BodyInput, ErrorBody, FieldError, ParamsOf, QueryInput, ReplyOf } from '@sluice/contract';
import { paths } from '@sluice/contract/paths';
import { downloadProgress, followJson } from './download.ts';
import { takeFirstAnswer } from './first-answers.ts';
import { newId } from './ids.ts';

/** The request time-out of the specification. */
const TIMEOUT_MS = 20 * 60_000;

type Endpoints = typeof Contract;
/** Calls that the contract both declares and gives a path. */
export type CallName = keyof Endpoints & keyof typeof paths;

/** A call that did not succeed: `code` is the server's, or NETWORK, TIMEOUT. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  /** The status in words, as the server (or what stands before it) put it. */
  readonly statusDescription: string;
  readonly body: ErrorBody | null;

  constructor(
    code: string,
    status: number,
    message: string,
    body: ErrorBody | null,
    statusDescription = body?.statusDescription ?? '',
  ) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.statusDescription = statusDescription;
    this.body = body;
  }

  get fieldErrors(): readonly FieldError[] {
    return this.body?.fieldErrors ?? [];
  }
}

export interface CallHooks {
  language: () => 'EN' | 'NL';
  /** A call other than log in said that there is no session. */
  onUnauthenticated: () => void;
  onSessionExpiry: (expiresAt: string | null, serverDate: string | null) => void;
  texts: () => { network: string; timeout: string; generic: string };
}

let hooks: CallHooks | null = null;
export const setCallHooks = (next: CallHooks): void => {
  hooks = next;
};

export interface CallOptions<N extends CallName> {
  params?: ParamsOf<Endpoints[N]>;
  query?: QueryInput<Endpoints[N]>;
  body?: BodyInput<Endpoints[N]>;
  /** The body is this file. */
  file?: Blob;
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** Aborts the previous call of the same kind (screen and purpose). */
  kind?: string;
  /** Somebody waits for it: the loading screen shows how much of the answer has arrived. */
  isFollowed?: boolean;
  /** Polling and prefetch: does not prolong the session. */
  isBackground?: boolean;
}

const kinds = new Map<string, AbortController>();
/** A 401 of these says that nobody got in, not that somebody is out. */
const SIGN_INS: ReadonlySet<CallName> = new Set(['login', 'providerCallback']);
let csrfFromLogin: string | null = null;

const cookie = (name: string): string | null => {
  const found = document.cookie.split('; ').find((pair) => pair.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : null;
};

/** False when nobody is logged in; when it is true, only the server knows. */
export const mayBeLoggedIn = (): boolean => cookie('csrf-token') !== null;

/** `{collection}` is a path of its own, already encoded; all other parameters are single segments. */
const fill = (path: string, params: Record<string, unknown>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(params[name] ?? '');
    return name === 'collection' ? value : encodeURIComponent(value);
  });

const queryString = (query: Record<string, unknown>): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, String(value));
  }
  const text = search.toString();
  return text ? `?${text}` : '';
};

const signalOf = (options: { signal?: AbortSignal; kind?: string }): AbortSignal => {
  const signals = [AbortSignal.timeout(TIMEOUT_MS)];
  if (options.signal) signals.push(options.signal);
  if (options.kind) {
    kinds.get(options.kind)?.abort();
    const controller = new AbortController();
    kinds.set(options.kind, controller);
    signals.push(controller.signal);
  }
  return AbortSignal.any(signals);
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const readError = async (response: Response): Promise<ApiError> => {
  let body: unknown = null;
  try {
    body = await response.json();
  } catch {
    // Something between us and the server answered: there is no body of ours.
  }
  // The answer to who signed in with a provider and has no account here.
  if (body === 'Unauthorized') return new ApiError(body, response.status, body, null);
  const fallback = hooks?.texts().generic ?? response.statusText;
  if (isRecord(body) && typeof body['code'] === 'string') {
    const message = typeof body['message'] === 'string' ? body['message'] : fallback;
    return new ApiError(body['code'], response.status, message, body as unknown as ErrorBody);
  }
  return new ApiError(String(response.status), response.status, fallback, null, response.statusText);
};

/** One call to the server. Types come from the contract; the schemas themselves stay out of the bundle. */
export const call = async <N extends CallName>(
  name: N,
  options: CallOptions<N> = {},
): Promise<ReplyOf<Endpoints[N]>> => {
  const [method, path] = paths[name];
  const url =
    fill(path, (options.params ?? {}) as Record<string, unknown>) +
    queryString((options.query ?? {}) as Record<string, unknown>);
  const headers: Record<string, string> = {
    accept: 'application/json',
    'accept-language': hooks?.language() ?? 'EN',
    ...(options.isBackground ? { 'x-background': '1' } : {}),
    ...options.headers,
  };
  if (method !== 'GET') headers['x-csrf-token'] = cookie('csrf-token') ?? csrfFromLogin ?? '';
  if (options.body !== undefined) headers['content-type'] = 'application/json';
  if (options.file) headers['content-type'] = 'application/octet-stream';
  if (options.isFollowed) downloadProgress.set(null);
  let response: Response;
  try {
    response =
      (method === 'GET' ? takeFirstAnswer(url) : null) ??
      (await fetch(url, {
        method,
        headers,
        credentials: 'same-origin',
        signal: signalOf(options),
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
        ...(options.file ? { body: options.file } : {}),
      }));
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') {
      throw new ApiError('TIMEOUT', 0, hooks?.texts().timeout ?? 'timeout', null);
    }
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError('NETWORK', 0, hooks?.texts().network ?? 'network', null);
  }
  if (SIGN_INS.has(name)) csrfFromLogin = response.headers.get('x-csrf-token');
  hooks?.onSessionExpiry(response.headers.get('x-session-expires-at'), response.headers.get('date'));
  if (!response.ok) {
    const error = await readError(response);
    if (response.status === 401 && !SIGN_INS.has(name)) hooks?.onUnauthenticated();
    throw error;
  }
  if (response.status === 204) return undefined as ReplyOf<Endpoints[N]>;
  return (await (options.isFollowed ? followJson(response) : response.json())) as ReplyOf<Endpoints[N]>;
};

export const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError';

const READ_AGAIN_MS = 1500;

/** A table that is being read for the first time: to be asked for again in a moment. */
export const isNotReadYet = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'NOTHING_CACHED_YET';

/** When to ask again what such a table kept from being answered; false for every other answer. */
export const againMs = (error: unknown): number | false => (isNotReadYet(error) ? READ_AGAIN_MS : false);

/** Words for a person about anything that was thrown. */
export const errorText = (error: unknown): string => {
  if (error instanceof ApiError) {
    const external = error.body?.msg;
    return external && !error.message.includes(external) ? `${error.message} (${external})` : error.message;
  }
  return error instanceof Error ? error.message : String(error);
};

/** Milliseconds before a call whose answer got lost is sent again. */
const AGAIN_AFTER_MS = [300, 1500];

/** A call that does no harm when it reaches the server twice: sent again where its line was cut. */
export const callSurely = async <N extends CallName>(
  name: N,
  options: CallOptions<N>,
): Promise<ReplyOf<Endpoints[N]>> => {
  for (const ms of AGAIN_AFTER_MS) {
    try {
      return await call(name, options);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'NETWORK' || !navigator.onLine) throw error;
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
  }
  return await call(name, options);
};

/** A call that the server does once for each key: sent again where its answer got lost. */
export const callOnce = async <N extends CallName>(
  name: N,
  options: CallOptions<N>,
): Promise<ReplyOf<Endpoints[N]>> =>
  await callSurely(name, { ...options, headers: { 'idempotency-key': newId() } });
