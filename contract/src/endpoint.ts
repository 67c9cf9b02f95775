import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** One call: what it takes, what it answers, which errors of its own it may give. */
export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
  Access extends 'anonymous' | 'user' = 'anonymous' | 'user',
> {
  route: readonly [Method, string];
  summary: string;
  /** Who may call: anybody, or whoever is logged in (the service then checks rights). */
  access: Access;
  params?: Params;
  query?: Query;
  body?: Body;
  reply?: Reply;
  /** The answer is a file of this type, not JSON. */
  mediaType?: string;
  /** Done once for each `Idempotency-Key` of the caller: the same call again is answered alike and does nothing. */
  isOnce?: true;
  /** Codes beyond those that every call may give (VALIDATION, UNAUTHENTICATED, FORBIDDEN, NOT_FOUND, INTERNAL). */
  errors?: readonly ErrorCode[];
}

/** Declares an endpoint; exists for its type inference alone. */
export function endpoint<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Reply extends z.ZodType = z.ZodUndefined,
  Access extends 'anonymous' | 'user' = 'user',
>(definition: Endpoint<Params, Query, Body, Reply, Access>): Endpoint<Params, Query, Body, Reply, Access> {
  return definition;
}

export type ParamsOf<E> = E extends Endpoint<infer P, z.ZodType, z.ZodType, z.ZodType> ? z.output<P> : never;
export type QueryOf<E> = E extends Endpoint<z.ZodType, infer Q, z.ZodType, z.ZodType> ? z.output<Q> : never;
export type BodyOf<E> = E extends Endpoint<z.ZodType, z.ZodType, infer B, z.ZodType> ? z.output<B> : never;
export type ReplyOf<E> = E extends Endpoint<z.ZodType, z.ZodType, z.ZodType, infer R> ? z.output<R> : never;
/** What a caller writes: the input side, with defaults optional. */
export type QueryInput<E> = E extends Endpoint<z.ZodType, infer Q, z.ZodType, z.ZodType> ? z.input<Q> : never;
export type BodyInput<E> = E extends Endpoint<z.ZodType, z.ZodType, infer B, z.ZodType> ? z.input<B> : never;
