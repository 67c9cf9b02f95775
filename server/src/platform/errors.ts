import type { ErrorCode, FieldError } from '@sluice/contract';
import type { Params } from './texts.ts';

const statusOf: Record<ErrorCode, number> = {
  VALIDATION: 422,
  MALFORMED: 400,
  TOO_LARGE: 413,
  UNAUTHENTICATED: 401,
  INVALID_CREDENTIALS: 401,
  NOT_AUTHORIZED_FOR_APPLICATION: 403,
  SECOND_FACTOR_NEEDED: 401,
  LINK_EXPIRED: 410,
  CSRF: 403,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  TOO_MANY_REQUESTS: 429,
  REVISION_CONFLICT: 409,
  SNAPSHOT_GONE: 409,
  BEING_PUSHED: 409,
  IN_USE: 409,
  NOTHING_CACHED_YET: 503,
  DOMAIN_PAUSED: 503,
  DOMAIN_INACTIVE: 409,
  UNAUTHORIZED_FOR_EXTERNAL_ENDPOINT: 502,
  UNAUTHORIZED_FOR_EXTERNAL_SYSTEM: 502,
  EXTERNAL_SYSTEM: 502,
  ACTIONS_WOULD_BE_DISCARDED: 409,
  RUN_ACTIVE: 409,
  MAPPINGS_NOT_SET_UP: 409,
  NOT_READY: 503,
  INTERNAL: 500,
};

/**
 * The one error that services throw; `handle` turns it into the wire form in the caller's language.
 * The text is that of the code (platform/texts.ts, key `error.CODE`) unless `text` names another one.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly text: { key: string; params: Params } | null;
  readonly fields: readonly Omit<FieldError, 'message'>[];
  readonly external: { errCode: string; msg: string } | null;
  readonly details: Record<string, unknown> | null;
  readonly retryAfterSeconds: number | null;

  constructor(
    code: ErrorCode,
    options: {
      text?: { key: string; params?: Params };
      fields?: readonly Omit<FieldError, 'message'>[];
      external?: { errCode: string; msg: string };
      details?: Record<string, unknown>;
      retryAfterSeconds?: number;
      cause?: unknown;
    } = {},
  ) {
    super(options.text?.key ?? code, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = statusOf[code];
    this.text = options.text ? { key: options.text.key, params: options.text.params ?? {} } : null;
    this.fields = options.fields ?? [];
    this.external = options.external ?? null;
    this.details = options.details ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}
