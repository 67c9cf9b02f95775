import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Authentication, type Accounts } from './auth.ts';
import { serveAdmin, serveToken, type RequestLog } from './admin.ts';
import { errorBody, fail } from './errors.ts';
import { Faults } from './faults.ts';
import { serveBatch } from './odata/batch.ts';
import { answer, failure, languageOf, serve, type ODataAnswer, type ODataRequest } from './odata/service.ts';
import type { Store } from './store.ts';

const maxBody = 32 * 1024 * 1024;

export interface ServerOptions extends Accounts {
  store: Store;
  host: string;
  port: number;
  requireIfMatch: boolean;
  now: () => Date;
  /** Brings the data back to the seed. */
  reset: () => void;
  /** Ends the process at once, as a crash does. */
  crash: () => void;
}

export interface RunningServer {
  url: string;
  port: number;
  close(): Promise<void>;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    if (size > maxBody) throw fail(413, 'TOO-LARGE');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const longNumber = /[\d.]{16}/;

/** A number of more than 15 digits comes as its text, because a double would change it. */
function parseJson(text: string): unknown {
  try {
    if (text === '') return undefined;
    if (!longNumber.test(text)) return JSON.parse(text) as unknown;
    return JSON.parse(text, (_, value: unknown, { source = '' }: { source?: string }) =>
      typeof value === 'number' && source.replaceAll(/\D/g, '').length > 15 ? source : value,
    );
  } catch (error) {
    throw fail(400, 'BAD-REQUEST', { what: String(error) });
  }
}

function headersOf(request: IncomingMessage): ODataRequest['headers'] {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(',') : value,
    ]),
  );
}

/** Starts the sandbox on a store that is seeded already. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { store } = options;
  const faults = new Faults();
  const authentication = new Authentication(options);
  const log: RequestLog = { total: 0, byStatus: {}, last: [] };
  const context = { store, faults, requireIfMatch: options.requireIfMatch };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = headersOf(request);
    const method = request.method ?? 'GET';
    const url = new URL(request.url ?? '/', `http://${headers['host'] ?? 'localhost'}`);
    const line = { method, path: url.pathname };
    const isOData = url.pathname.startsWith('/odata/') || url.pathname === '/odata';

    // The body is read first: what was received whole is processed, even if the client has gone away since.
    let text: string;
    try {
      text = await readBody(request);
    } catch (error) {
      send(response, failure(error, languageOf(headers)), null, null, line);
      return;
    }
    if (isOData) {
      const latency = faults.take('latency', line);
      if (latency) await sleep(latency.ms);
      if (faults.take('cutBefore', line)) {
        record(line, 0);
        request.socket.destroy();
        return;
      }
      if (faults.take('html', line)) {
        const page = '<!doctype html><title>Gateway</title><h1>Scheduled maintenance</h1>';
        send(response, answer(200, page, { 'content-type': 'text/html' }), null, null, line);
        return;
      }
      const failing = faults.take('fail', line, (f) => !f.inBatch);
      if (failing) {
        const retry = failing.retryAfterSeconds ?? (failing.status === 429 ? 1 : undefined);
        const body = errorBody([{ code: 'FAULT', params: {} }], languageOf(headers));
        const given = answer(
          failing.status,
          body,
          retry === undefined ? {} : { 'retry-after': String(retry) },
        );
        send(response, given, null, null, line);
        return;
      }
    }
    const given = process(url, method, headers, text);
    const changed = isOData && method !== 'GET' && given.status < 400;
    if (changed && faults.take('crashAfterCommit', line, (f) => f.afterRequests === undefined)) {
      options.crash();
      return;
    }
    const cut = changed && faults.take('cutAfterCommit', line) ? 'all' : null;
    const half = isOData && cut === null && faults.take('truncate', line) ? 'half' : null;
    send(response, given, cut, half, line);
  }

  function process(url: URL, method: string, headers: ODataRequest['headers'], text: string): ODataAnswer {
    try {
      if (url.pathname === '/health') return answer(200, { status: 'ok' });
      const now = options.now();
      if (url.pathname === '/oauth/token') return serveToken(authentication, method, headers, text, now);
      const user = authentication.userOf(headers['authorization'], now);
      if (!user) throw fail(401, 'AUTH', {}, { 'www-authenticate': 'Basic realm="Sluice sandbox", Bearer' });
      if (url.pathname.startsWith('/admin/'))
        return serveAdmin({ faults, log, reset: options.reset }, method, url.pathname, parseJson(text));
      if (!url.pathname.startsWith('/odata/')) throw fail(404, 'NOT-FOUND', { what: url.pathname });
      const isJson = /[/+]json/.test(headers['content-type'] ?? '');
      if (text !== '' && !isJson)
        throw fail(415, 'BAD-REQUEST', { what: headers['content-type'] ?? 'no content type' });
      const request: ODataRequest = {
        method,
        path: url.pathname.slice('/odata/'.length),
        params: url.searchParams,
        headers,
        body: parseJson(text),
        user,
        now,
        root: `${url.origin}/odata/`,
      };
      if (!request.path.endsWith('/$batch')) return serve(context, request);
      if (method !== 'POST') throw fail(405, 'METHOD', { method });
      return serveBatch(context, request, (count) => {
        const line = { method, path: url.pathname };
        if (faults.take('crashAfterCommit', line, (f) => f.afterRequests === count)) options.crash();
      });
    } catch (error) {
      return failure(error, languageOf(headers));
    }
  }

  function record(line: { method: string; path: string }, status: number): void {
    log.total++;
    log.byStatus[status] = (log.byStatus[status] ?? 0) + 1;
    log.last.push({ at: options.now().toISOString(), ...line, status });
    if (log.last.length > 200) log.last.shift();
  }

  function send(
    response: ServerResponse,
    given: ODataAnswer,
    cut: 'all' | null,
    half: 'half' | null,
    line: { method: string; path: string },
  ): void {
    record(line, cut ? 0 : given.status);
    if (cut) {
      response.socket?.destroy();
      return;
    }
    const isJson = given.body !== null && typeof given.body === 'object';
    const text = isJson ? JSON.stringify(given.body) : given.body;
    const bytes = Buffer.from(typeof text === 'string' ? text : '');
    response.writeHead(given.status, {
      'odata-version': '4.0',
      ...(isJson ? { 'content-type': 'application/json;odata.metadata=minimal' } : {}),
      ...(given.status === 204 ? {} : { 'content-length': bytes.length }),
      ...given.headers,
    });
    if (half) {
      response.write(bytes.subarray(0, bytes.length >> 1), () => response.socket?.destroy());
      return;
    }
    response.end(bytes);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      // A client that hangs up while it sends is no fault of ours.
      if (!request.destroyed) console.error(error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
