import { hash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { BodyOf, Endpoint, ErrorBody, Locale, ParamsOf, QueryOf, ReplyOf } from '@sluice/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Actor, UserActor } from './actor.ts';
import { AppError } from './errors.ts';
import type { Log } from './log.ts';
import type { Once } from './mutate.ts';
import { localeOf, type Params as TextParams, text } from './texts.ts';

/** What a route's function gets. `actor` is the signed-in user; on anonymous calls it may be null. */
interface Call<E, A> {
  params: ParamsOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
  actor: A;
  /** For `mutate`, where the call came with an Idempotency-Key and its endpoint heeds one. */
  once: Once | null;
  locale: Locale;
  request: FastifyRequest;
  reply: FastifyReply;
}

export interface HttpServices {
  /** Finds the session of the request, prolongs it and sets the expiry header; null without a valid one. */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<UserActor | null>;
  /** Throws CSRF when the double submit does not match. */
  checkCsrf(request: FastifyRequest, actor: UserActor): void;
  log: Log;
  /** Check our own answers against the contract (tests and development). */
  checkReplies: boolean;
}

type Handler<E extends Endpoint> = E['access'] extends 'user'
  ? (call: Call<E, UserActor>) => Promise<ReplyOf<E> | undefined | void>
  : (call: Call<E, UserActor | null>) => Promise<ReplyOf<E> | undefined | void>;

/** Runs one call: session, CSRF, parsing, work, reply check. */
async function runCall<E extends Endpoint>(
  services: HttpServices,
  endpoint: E,
  request: FastifyRequest,
  reply: FastifyReply,
  params: unknown,
  handler: Handler<E>,
): Promise<unknown> {
  const actor = await services.authenticate(request, reply);
  if (endpoint.access === 'user') {
    if (!actor) throw new AppError('UNAUTHENTICATED');
    if (request.method !== 'GET') services.checkCsrf(request, actor);
  }
  const body = parsePart(endpoint.body, request.body, 'body');
  const call = {
    params: parsePart(endpoint.params, params, 'params'),
    query: parsePart(endpoint.query, request.query ?? {}, 'query'),
    body,
    actor,
    once: endpoint.isOnce && actor ? onceOf(request, actor, body) : null,
    locale: actor?.locale ?? localeOf(request.headers['accept-language']),
    request,
    reply,
  };
  const answer = await (handler as (call: unknown) => Promise<unknown>)(call);
  if (endpoint.reply === undefined || answer === undefined) {
    if (reply.statusCode === 200) reply.status(204);
    return reply.send();
  }
  if (services.checkReplies && !Buffer.isBuffer(answer)) {
    const checked = endpoint.reply.safeParse(answer);
    if (!checked.success) {
      throw new Error(
        `The answer of ${endpoint.route.join(' ')} breaks the contract: ${z.prettifyError(checked.error)}`,
      );
    }
  }
  // null and texts are answers too: without this they would leave as no body, and as plain text.
  if (answer === null || (typeof answer === 'string' && !endpoint.mediaType))
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer));
  return reply.send(answer);
}

const keySchema = z.string().min(1).max(255).optional();

function onceOf(request: FastifyRequest, { userId }: UserActor, body: unknown): Once | null {
  const key = keySchema.safeParse(request.headers['idempotency-key']);
  if (!key.success) throw malformed('the Idempotency-Key is not 1 to 255 characters');
  if (key.data === undefined) return null;
  const call = hash('sha256', JSON.stringify([request.method, request.url, body]));
  return { userId, key: key.data, call };
}

function parsePart(
  schema: z.ZodType | undefined,
  value: unknown,
  part: 'params' | 'query' | 'body',
): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map((issue) => ({
    field: pathText(issue.path),
    code: null,
    params: { reason: issue.message },
  }));
  if (part === 'body') throw new AppError('VALIDATION', { fields });
  throw new AppError(part === 'params' ? 'NOT_FOUND' : 'MALFORMED', {
    ...(part === 'query'
      ? {
          text: {
            key: 'error.MALFORMED',
            params: { reason: fields.map((f) => `${f.field}: ${f.params.reason}`).join('; ') },
          },
        }
      : {}),
    fields,
  });
}

/** `[3].changes.name`, as the decisions write paths. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

export interface Router {
  handle<E extends Endpoint>(endpoint: E, handler: Handler<E>): void;
  /** All endpoints that were registered, for OpenAPI. */
  endpoints(): readonly Endpoint[];
}

/**
 * Resolves the variable part of a data path. Given the path's segments after `/api/v1/data/`, tells how many of them
 * name the collection; throws NOT_FOUND.
 */
export type CollectionAddress = (
  segments: readonly string[],
  actor: Actor,
  /** What the query asks for, field ids joined with commas. */
  fields: string | null,
) => Promise<number>;

const collectionPrefix = '/api/v1/data/{collection}';

export function createRouter(
  app: FastifyInstance,
  services: HttpServices,
  address: CollectionAddress,
): Router {
  const registered: Endpoint[] = [];
  // Calls on a collection share one wildcard route: how many segments name it depends on the system's levels.
  const dataRoutes = new Map<
    string,
    { pattern: readonly string[]; endpoint: Endpoint; handler: unknown }[]
  >();

  const dispatch = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const actor = await services.authenticate(request, reply);
    if (!actor) throw new AppError('UNAUTHENTICATED');
    const [path = '', query = ''] = request.url.split('?');
    const segments = path
      .slice('/api/v1/data/'.length)
      .split('/')
      .map((segment) => decodeSegment(segment));
    const length = await address(segments, actor, new URLSearchParams(query).get('fields'));
    const rest = segments.slice(length);
    const candidates = dataRoutes.get(request.method) ?? [];
    // Fixed words come before parameters, so that `pending` is never taken for a record's id.
    const match = candidates
      .filter(
        ({ pattern }) =>
          pattern.length === rest.length &&
          pattern.every((part, index) => isParam(part) || part === rest[index]),
      )
      .sort((a, b) => a.pattern.filter(isParam).length - b.pattern.filter(isParam).length)[0];
    if (!match) {
      const isKnownPath = [...dataRoutes.values()]
        .flat()
        .some(
          ({ pattern }) =>
            pattern.length === rest.length &&
            pattern.every((part, index) => isParam(part) || part === rest[index]),
        );
      throw new AppError(isKnownPath ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND');
    }
    const params: Record<string, string> = {
      collection: segments.slice(0, length).map(encodeURIComponent).join('/'),
    };
    match.pattern.forEach((part, index) => {
      if (isParam(part)) params[part.slice(1, -1)] = rest[index] ?? '';
    });
    return await runCall(services, match.endpoint, request, reply, params, match.handler as never);
  };

  return {
    handle: (endpoint, handler) => {
      registered.push(endpoint);
      const [method, path] = endpoint.route;
      if (path.startsWith(collectionPrefix)) {
        const pattern = path.slice(collectionPrefix.length).split('/').filter(Boolean);
        if (!dataRoutes.has(method)) {
          dataRoutes.set(method, []);
          app.route({ method, url: '/api/v1/data/*', handler: dispatch });
        }
        dataRoutes.get(method)?.push({ pattern, endpoint, handler });
        return;
      }
      app.route({
        method,
        url: path.replace(/\{(\w+)\}/g, ':$1'),
        handler: (request, reply) => runCall(services, endpoint, request, reply, request.params, handler),
      });
    },
    endpoints: () => registered,
  };
}

const isParam = (part: string): boolean => part.startsWith('{');

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new AppError('NOT_FOUND');
  }
}

/** Every failure leaves the server in the form of decisions Q-GEN-06, in the caller's language. */
export function installErrorHandling(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((error, request, reply) => {
    const known = asAppError(error);
    const locale = localeOf(request.headers['accept-language']);
    if (!known)
      log.error('A request failed', {
        error,
        requestId: request.id,
        method: request.method,
        url: request.url,
      });
    const failure = known ?? new AppError('INTERNAL');
    if (failure.retryAfterSeconds) reply.header('retry-after', String(failure.retryAfterSeconds));
    void reply.status(failure.status).send(errorBody(failure, locale, request.id));
  });
  app.setNotFoundHandler((request, reply) => {
    const locale = localeOf(request.headers['accept-language']);
    const failure = new AppError('NOT_FOUND');
    void reply.status(404).send(errorBody(failure, locale, request.id));
  });
}

function asAppError(error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  const { statusCode, code } = error as { statusCode?: number; code?: string };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || statusCode === 413) return new AppError('TOO_LARGE');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return malformed('the content type is not application/json');
  if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY') return malformed('the body is empty');
  if (statusCode === 400) return malformed(error instanceof Error ? error.message : 'unknown');
  return null;
}

const malformed = (reason: string): AppError =>
  new AppError('MALFORMED', { text: { key: 'error.MALFORMED', params: { reason } } });

function errorBody(failure: AppError, locale: Locale, requestId: string): ErrorBody {
  const params = { ...(failure.text?.params ?? {}), requestId };
  return {
    code: failure.code,
    message: text(locale, failure.text?.key ?? `error.${failure.code}`, params),
    statusCode: failure.status,
    statusDescription: STATUS_CODES[failure.status] ?? '',
    requestId,
    ...(failure.external ? { errCode: failure.external.errCode, msg: failure.external.msg } : {}),
    ...(failure.fields.length > 0
      ? {
          fieldErrors: failure.fields.map((field) => ({
            ...field,
            message: fieldText(locale, field.code, field.params),
          })),
        }
      : {}),
    ...(failure.details ? { details: failure.details } : {}),
  };
}

/** Text of a validation code, or of a structural fault named by `params.key` or described by `params.reason`. */
export function fieldText(locale: Locale, code: number | null, params: Record<string, unknown>): string {
  const shown = params as TextParams;
  if (code !== null) return text(locale, `validation.${code}`, shown);
  if (typeof params.key === 'string') return text(locale, params.key, shown);
  return typeof params.reason === 'string' ? params.reason : text(locale, 'validation.other', shown);
}
