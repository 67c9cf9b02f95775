import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFaultProxy, type FaultProxy } from './conformance-proxy.ts';

describe('the proxy that cuts lines', () => {
  let server: Server;
  let proxy: FaultProxy;
  const received: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      received.push(request.url ?? '');
      response.end('answer');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    proxy = await startFaultProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}/base`);
  });
  afterAll(async () => {
    await proxy.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('passes everything, then only requests, then nothing', async () => {
    const get = async (name: string) => (await fetch(`${proxy.url}/${name}`)).text();
    expect(await get('a')).toBe('answer');
    proxy.mode = 'cutAnswer';
    await expect(get('b')).rejects.toThrow();
    expect(proxy.cuts).toBe(1);
    proxy.mode = 'refuse';
    await expect(get('c')).rejects.toThrow();
    proxy.mode = 'pass';
    expect(await get('d')).toBe('answer');
    expect(received).toEqual(['/base/a', '/base/b', '/base/d']);
  });
});
