import type { z } from 'zod';

export interface ApiAnswer {
  status: number;
  /** Parsed JSON, or the text where it is none. */
  body: unknown;
  headers: Headers;
}

/** A caller of the product's API: keeps cookies and sends the CSRF token, as the browser does. */
export interface Api {
  base: string;
  cookie(): string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
  /** The same, for calls that must succeed: throws with the answer otherwise, and parses it. */
  get<T extends z.ZodType>(path: string, schema: T, headers?: Record<string, string>): Promise<z.output<T>>;
  send<T extends z.ZodType>(method: string, path: string, body: unknown, schema: T): Promise<z.output<T>>;
}

export function createApi(base: string): Api {
  const jar = new Map<string, string>();
  const cookie = (): string => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const call: Api['call'] = async (method, path, body, headers = {}) => {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        cookie: cookie(),
        'x-csrf-token': jar.get('csrf-token') ?? '',
        'accept-language': 'EN',
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      const value = pair.slice(at + 1);
      if (value === '') jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), value);
    }
    const text = await response.text();
    return { status: response.status, body: parse(text), headers: response.headers };
  };
  const checked = <T extends z.ZodType>(answer: ApiAnswer, what: string, schema: T): z.output<T> => {
    if (answer.status >= 400)
      throw new Error(`${what} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return schema.parse(answer.body);
  };
  return {
    base,
    cookie,
    call,
    get: async (path, schema, headers) =>
      checked(await call('GET', path, undefined, headers), `GET ${path}`, schema),
    send: async (method, path, body, schema) =>
      checked(await call(method, path, body), `${method} ${path}`, schema),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export async function loginApi(base: string, username: string, password: string): Promise<Api> {
  const api = createApi(base);
  const answer = await api.call('POST', '/api/v1/auth/login', { username, password });
  if (answer.status !== 200)
    throw new Error(`Login answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return api;
}
