import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';

export interface SlowProxy {
  port: number;
  /** From now on answers come at this many bytes a second; null = as fast as they can. */
  setRate(bytesPerSecond: number | null): void;
  stop(): Promise<void>;
}

/** Pieces a second that a slowed answer is cut into. */
const PIECES = 8;

/** A real TCP proxy on 127.0.0.1 with a line as slow as one likes. */
export async function startSlowProxy(targetPort: number): Promise<SlowProxy> {
  let rate: number | null = null;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    client.pipe(upstream);
    void forward(upstream, client);
  });
  async function forward(from: Socket, to: Socket): Promise<void> {
    try {
      for await (const chunk of from as AsyncIterable<Buffer>) {
        let rest = chunk;
        while (rest.length > 0) {
          const size = rate === null ? rest.length : Math.max(1, Math.ceil(rate / PIECES));
          to.write(rest.subarray(0, size));
          rest = rest.subarray(size);
          if (rate !== null) await new Promise((resolve) => setTimeout(resolve, 1000 / PIECES));
        }
      }
    } catch {
      // The line was cut: the other side sees that its own is closed.
    }
    to.end();
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    port: address.port,
    setRate: (next) => {
      rate = next;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
