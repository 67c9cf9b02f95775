import { ExternalSystemError } from '@sluice/adapter-kit';

/** Failures that pass by themselves; anything else about a connection (name, certificate, address) does not. */
const passing = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
]);

/** Whether a failed refresh tells that the whole domain cannot be reached as it is set up. */
export function isAccessRefused(error: unknown): boolean {
  if (!(error instanceof ExternalSystemError)) return false;
  if (error.code === 'AUTH') return true;
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return error.code === 'UNREACHABLE' && code !== '' && !passing.has(code);
}
