/**
 * Failures of a whole call (outcomes of single records are data, not errors).
 * AUTH: credentials or url refused. FORBIDDEN: no access to this collection. NOT_FOUND: the collection is gone.
 * RATE: 429. CALL_LIMIT: the domain's own limit is spent. PROTOCOL: an answer that breaks the protocol.
 * UNREACHABLE: no connection. TIMEOUT, SERVER (5xx): the system may or may not have done the work.
 */
export type ExternalSystemErrorCode =
  | 'AUTH'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'RATE'
  | 'CALL_LIMIT'
  | 'PROTOCOL'
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'SERVER'
  | 'REFUSED'
  | 'ABORTED';

export class ExternalSystemError extends Error {
  readonly code: ExternalSystemErrorCode;
  readonly retryable: boolean;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  /** The system's own code and words, where it gave any. */
  readonly errCode: string | null;

  constructor(
    code: ExternalSystemErrorCode,
    message: string,
    options: {
      retryable: boolean;
      status?: number;
      retryAfterMs?: number;
      errCode?: string;
      cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.name = 'ExternalSystemError';
    this.code = code;
    this.retryable = options.retryable;
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.errCode = options.errCode ?? null;
  }
}
