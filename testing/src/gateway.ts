import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** What a gateway answers instead of the product. */
export interface GatewayAnswer {
  status: number;
  /** JSON; absent = a page of the gateway's own. */
  body?: unknown;
}

export interface Gateway {
  url: string;
  /** From now on requests whose path contains this are answered so; null = they go through again. */
  answer(path: string, answer: GatewayAnswer | null): void;
  /** Paths that came, as `GET /api/…`. */
  readonly requests: readonly string[];
  stop(): Promise<void>;
}

/** A real HTTP gateway in front of a product, as organisations have them: it may answer by itself. */
export async function startGateway(target: string): Promise<Gateway> {
  const { hostname, port } = new URL(target);
  const answers = new Map<string, GatewayAnswer>();
  const requests: string[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '/';
    requests.push(`${incoming.method} ${path}`);
    const own = [...answers].find(([part]) => path.includes(part))?.[1];
    if (own) {
      const isPage = own.body === undefined;
      outgoing.writeHead(own.status, { 'content-type': isPage ? 'text/html' : 'application/json' });
      outgoing.end(isPage ? '<!doctype html><title>Gateway</title>' : JSON.stringify(own.body));
      return;
    }
    const { method, headers } = incoming;
    const forwarded = request({ hostname, port, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  server.on('upgrade', (incoming, socket, head) => {
    const upstream = connect(Number(port), hostname);
    const lines = Object.entries(incoming.headers).map(([name, value]) => `${name}: ${String(value)}`);
    upstream.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    upstream.write(head);
    upstream.pipe(socket);
    socket.pipe(upstream);
    for (const one of [socket, upstream]) {
      sockets.add(one);
      one.on('error', () => undefined);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the gateway has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    answer: (path, answer) => {
      if (answer) answers.set(path, answer);
      else answers.delete(path);
    },
    requests,
    async stop() {
      // Those that were upgraded are no longer the server's.
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
