import { z } from 'zod';
import type { Authentication } from './auth.ts';
import { fail } from './errors.ts';
import { faultsSchema, type Faults } from './faults.ts';
import { answer, type ODataAnswer, type ODataRequest } from './odata/service.ts';

export interface RequestLog {
  total: number;
  /** Status 0 = the line was cut. */
  byStatus: Record<string, number>;
  last: { at: string; method: string; path: string; status: number }[];
}

export interface AdminContext {
  faults: Faults;
  log: RequestLog;
  reset: () => void;
}

/** What only the sandbox has: failures on demand, the log of requests, and back to the seed. */
export function serveAdmin(
  { faults, log, reset }: AdminContext,
  method: string,
  path: string,
  body: unknown,
): ODataAnswer {
  switch (`${method} ${path}`) {
    case 'GET /admin/faults':
      return answer(200, { faults: faults.list() });
    case 'POST /admin/faults': {
      const parsed = faultsSchema.safeParse(body);
      if (!parsed.success) throw fail(400, 'BAD-REQUEST', { what: z.prettifyError(parsed.error) });
      faults.set(parsed.data.faults);
      return answer(200, { faults: faults.list() });
    }
    case 'GET /admin/log':
      return answer(200, log);
    case 'POST /admin/reset':
      faults.set([]);
      reset();
      return answer(204, null);
    default:
      throw fail(404, 'NOT-FOUND', { what: path });
  }
}

const formSchema = z.object({
  grant_type: z.literal('client_credentials'),
  client_id: z.string(),
  client_secret: z.string(),
});

export function serveToken(
  authentication: Authentication,
  method: string,
  headers: ODataRequest['headers'],
  text: string,
  now: Date,
): ODataAnswer {
  if (method !== 'POST') throw fail(405, 'METHOD', { method });
  const form: Record<string, string> = Object.fromEntries(new URLSearchParams(text));
  const [scheme = '', credentials = ''] = (headers['authorization'] ?? '').split(' ');
  if (scheme.toLowerCase() === 'basic') {
    const [id = '', secret = ''] = Buffer.from(credentials, 'base64').toString().split(':');
    form['client_id'] ??= decodeURIComponent(id);
    form['client_secret'] ??= decodeURIComponent(secret);
  }
  const parsed = formSchema.safeParse(form);
  if (!parsed.success) return answer(400, { error: 'invalid_request' });
  const token = authentication.issueToken(parsed.data.client_id, parsed.data.client_secret, now);
  return token
    ? answer(200, token, { 'cache-control': 'no-store' })
    : answer(401, { error: 'invalid_client' });
}
