import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface FaultProxy {
  /** The target's address with the proxy's host and port. */
  url: string;
  /**
   * `pass`: as if it were not there. `cutAnswer`: requests arrive whole, the answer never does. `refuse`: the line
   * is cut before anything reaches the system.
   */
  mode: 'pass' | 'cutAnswer' | 'refuse';
  /** Answers that were cut off. */
  cuts: number;
  close(): Promise<void>;
}

/** A TCP proxy that cuts lines, so that a network fault is a real one. */
export async function startFaultProxy(targetUrl: string): Promise<FaultProxy> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (proxy.mode === 'refuse') {
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port || 80), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (chunk) => {
      if (proxy.mode === 'refuse') client.destroy();
      else upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (proxy.mode === 'pass') client.write(chunk);
      else {
        proxy.cuts++;
        client.destroy();
      }
    });
    client.on('close', () => upstream.end());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = new URL(targetUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  const proxy: FaultProxy = {
    url: url.href,
    mode: 'pass',
    cuts: 0,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
  return proxy;
}
