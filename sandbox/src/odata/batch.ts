import { z } from 'zod';
import { errorBody, fail } from '../errors.ts';
import { languageOf, serve, type ODataAnswer, type ODataRequest, type ServiceContext } from './service.ts';

const batchSchema = z.object({
  requests: z
    .array(
      z.object({
        id: z.string(),
        method: z.string().transform((method) => method.toUpperCase()),
        url: z.string(),
        headers: z.record(z.string(), z.string()).default({}),
        body: z.json().optional(),
        atomicityGroup: z.string().optional(),
      }),
    )
    .max(1000),
});
type BatchRequest = z.infer<typeof batchSchema>['requests'][number];

interface BatchResponse {
  id: string;
  status: number;
  atomicityGroup?: string;
  headers: Record<string, string>;
  body?: object | string;
}

class GroupFailed extends Error {
  readonly id: string;
  readonly answer: ODataAnswer;
  constructor(id: string, given: ODataAnswer) {
    super(`request ${id} of the group failed`);
    this.id = id;
    this.answer = given;
  }
}

/** An address of a batch request: absolute, from the host's root, or relative to the service. */
function resolve(url: string, outer: ODataRequest): { path: string; params: URLSearchParams } {
  const service = `${outer.root}${outer.path.slice(0, -'$batch'.length)}`;
  const full = new URL(url, service);
  const root = new URL(outer.root);
  if (!full.pathname.startsWith(root.pathname)) throw fail(400, 'BAD-REQUEST', { what: url });
  return { path: full.pathname.slice(root.pathname.length), params: full.searchParams };
}

function response(request: BatchRequest, given: ODataAnswer): BatchResponse {
  const isJson = given.body !== null && typeof given.body === 'object';
  return {
    id: request.id,
    status: given.status,
    ...(request.atomicityGroup === undefined ? {} : { atomicityGroup: request.atomicityGroup }),
    headers: { ...(isJson ? { 'content-type': 'application/json' } : {}), ...given.headers },
    ...(given.body === null ? {} : { body: given.body }),
  };
}

/**
 * OData 4.01 JSON batch. Requests stand each on their own; those of one `atomicityGroup` all succeed or none.
 * As the protocol says, the first failure ends the batch unless the client prefers `continue-on-error`.
 * `committed` is told after each request that is safe on disk.
 */
export function serveBatch(
  context: ServiceContext,
  outer: ODataRequest,
  committed: (count: number) => void,
): ODataAnswer {
  const parsed = batchSchema.safeParse(outer.body);
  if (!parsed.success) throw fail(400, 'BAD-REQUEST', { what: z.prettifyError(parsed.error) });
  const { requests } = parsed.data;
  const language = languageOf(outer.headers);
  const limit = context.faults.take('batchLimit', outer, ({ most }) => requests.length > most);
  if (limit) throw fail(limit.status, 'BATCH-LIMIT', { most: limit.most });

  function one(request: BatchRequest): ODataAnswer {
    const headers: ODataRequest['headers'] = {
      'accept-language': outer.headers['accept-language'],
      accept: outer.headers['accept'],
    };
    for (const [name, value] of Object.entries(request.headers)) headers[name.toLowerCase()] = value;
    const { path, params } = resolve(request.url, outer);
    const fault = context.faults.take('fail', { method: request.method, path }, (f) => f.inBatch);
    if (fault) {
      const retry = fault.retryAfterSeconds;
      const given = errorBody([{ code: 'FAULT', params: {} }], language);
      return {
        status: fault.status,
        headers: retry === undefined ? {} : { 'retry-after': String(retry) },
        body: given,
      };
    }
    return serve(context, { ...outer, method: request.method, path, params, headers, body: request.body });
  }

  const goesOn = /(odata\.)?continue-on-error(?!=false)/.test(outer.headers['prefer'] ?? '');
  const responses: BatchResponse[] = [];
  for (let at = 0; at < requests.length;) {
    const first = requests[at];
    if (!first) break;
    if (first.atomicityGroup === undefined) {
      responses.push(response(first, one(first)));
      at++;
    } else {
      const rest = requests.slice(at);
      const end = rest.findIndex((r) => r.atomicityGroup !== first.atomicityGroup);
      const group = end < 0 ? rest : rest.slice(0, end);
      responses.push(...serveGroup(context, group, one, language));
      at += group.length;
    }
    committed(at);
    if (!goesOn && responses.some((r) => r.status >= 400)) break;
  }
  return { status: 200, headers: {}, body: { responses } };
}

function serveGroup(
  { store }: ServiceContext,
  group: readonly BatchRequest[],
  one: (request: BatchRequest) => ODataAnswer,
  language: ReturnType<typeof languageOf>,
): BatchResponse[] {
  try {
    return store.transaction(() =>
      group.map((request) => {
        const given = one(request);
        if (given.status >= 400) throw new GroupFailed(request.id, given);
        return response(request, given);
      }),
    );
  } catch (error) {
    if (!(error instanceof GroupFailed)) throw error;
    const undone: ODataAnswer = {
      status: 424,
      headers: {},
      body: errorBody([{ code: 'GROUP', params: {} }], language),
    };
    return group.map((request) => response(request, request.id === error.id ? error.answer : undone));
  }
}
