import type { Sandbox } from './index.ts';

export interface Answer {
  status: number;
  body: unknown;
  text: string;
  headers: Headers;
}
export interface CallOptions {
  user?: string;
  headers?: Record<string, string>;
}

/** Calls a sandbox as a person with a browser would: by HTTP only. */
export class TestClient {
  readonly #sandbox: Sandbox;
  readonly company: string;

  constructor(sandbox: Sandbox, company = "/odata/production/Companies('NL01')/") {
    this.#sandbox = sandbox;
    this.company = company;
  }

  async raw(
    method: string,
    path: string,
    body?: unknown,
    { user = 'sandbox', headers = {} }: CallOptions = {},
  ): Promise<Answer> {
    const password = user === 'nobody' ? 'wrong' : 'sandbox';
    const response = await fetch(new URL(path, this.#sandbox.url), {
      method,
      headers: {
        authorization: `Basic ${btoa(`${user}:${password}`)}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      body: isJson ? JSON.parse(text) : null,
      text,
      headers: response.headers,
    };
  }

  /** A path below the company. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer> {
    return this.raw(method, this.company + path, body, options);
  }

  /** A query; gives the records and the whole answer. */
  async query(set: string, parameters: Record<string, string> = {}, options?: CallOptions) {
    const text = new URLSearchParams(parameters).toString();
    const answer = await this.call('GET', `${set}?${text}`, undefined, options);
    const body = record(answer.body);
    const value = Array.isArray(body['value']) ? body['value'].map(record) : [];
    return { ...answer, body, value };
  }

  async faults(...faults: Record<string, unknown>[]): Promise<void> {
    const { status, text } = await this.raw('POST', '/admin/faults', { faults });
    if (status !== 200) throw new Error(text);
  }
}

export function record(value: unknown): Record<string, unknown> {
  if (value === null || typeof value !== 'object')
    throw new Error(`an object was expected: ${JSON.stringify(value)}`);
  return { ...value };
}

/** Code and target of each line of an error answer. */
export function problems(answer: Answer): [code: unknown, target: unknown][] {
  const error = record(record(answer.body)['error']);
  const details = Array.isArray(error['details']) ? error['details'] : [];
  return details.map((line) => [record(line)['code'], record(line)['target']]);
}
