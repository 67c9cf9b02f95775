import { ExternalSystemError } from '@sluice/adapter-kit';

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** The database's words about a statement, with its code. */
export function refusalOf(error: unknown): string {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  return code === '' ? message : `${message} (${code})`;
}

const unreachable = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ETIMEDOUT',
]);

/** What the line itself says: nobody there, cut, no TLS. */
export function connectionFailure(error: unknown, message: string, code: string): ExternalSystemError {
  if (error instanceof AggregateError && error.errors.length > 0)
    return connectionFailure(error.errors[0], String(error.errors[0]), codeOf(error.errors[0]));
  const isTls =
    /SSL|TLS|certificate|self.signed/i.test(message) ||
    code.startsWith('ERR_TLS') ||
    code.startsWith('CERT_');
  if (isTls)
    return new ExternalSystemError('REFUSED', message, { retryable: false, errCode: 'TLS', cause: error });
  const isPassing = !unreachable.has(code) && /timeout/i.test(message);
  return new ExternalSystemError(isPassing ? 'TIMEOUT' : 'UNREACHABLE', message || code, {
    retryable: true,
    cause: error,
  });
}
