import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';

export interface FaultProxy {
  port: number;
  /**
   * The next request whose body matches is delivered whole, but its sender sees the line die. `sent`: at once,
   * while the server works on; `answered`: when the server had done its work and answered.
   */
  cutNextAnswer(matching: RegExp, when?: 'sent' | 'answered'): void;
  /** The next request whose body matches never reaches the server; its sender gets these bytes and a closed line. */
  answerNext(matching: RegExp, answer: string): void;
  stop(): Promise<void>;
}

type Fault = { matching: RegExp } & (
  | { kind: 'cut'; when: 'sent' | 'answered' }
  | { kind: 'answer'; answer: string }
);

/** A real TCP proxy on 127.0.0.1 that breaks HTTP/1 conversations on demand. */
export async function startFaultProxy(targetPort: number): Promise<FaultProxy> {
  const armed: Fault[] = [];
  const sockets = new Set<Socket>();

  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1');
    let received = Buffer.alloc(0);
    let cutWhen: 'sent' | 'answered' | null = null;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const length = requestLength(received);
      if (length === null || received.length < length) return;
      const request = received.subarray(0, length);
      received = received.subarray(length);
      const text = request.toString('utf8');
      const index = armed.findIndex((fault) => fault.matching.test(text));
      const fault = index < 0 ? undefined : armed.splice(index, 1)[0];
      if (fault?.kind === 'answer') {
        client.end(fault.answer);
        upstream.destroy();
        return;
      }
      if (fault?.kind === 'cut') cutWhen = fault.when;
      upstream.write(request, () => {
        if (cutWhen !== 'sent') return;
        client.destroy();
      });
    });
    upstream.on('data', (chunk: Buffer) => {
      if (cutWhen === null) {
        client.write(chunk);
      } else if (cutWhen === 'answered' && !client.destroyed) {
        client.destroy();
      }
    });
    upstream.on('close', () => client.end());
    // A client that hangs up must not stop the server's work: the line to the server stays until it answered.
    client.on('close', () => {
      if (cutWhen === null) upstream.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    port: address.port,
    cutNextAnswer: (matching, when = 'answered') => void armed.push({ kind: 'cut', matching, when }),
    answerNext: (matching, answer) => void armed.push({ kind: 'answer', matching, answer }),
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Bytes of the request at the start of `data`; null while its head is not complete. */
function requestLength(data: Buffer): number | null {
  const end = data.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const match = /\r\ncontent-length: *(\d+)/i.exec(data.subarray(0, end).toString('latin1'));
  return end + 4 + Number(match?.[1] ?? 0);
}
