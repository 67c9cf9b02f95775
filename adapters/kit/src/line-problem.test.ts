import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ExternalSystemError } from './errors.ts';
import { lineProblem } from './line-problem.ts';

const unreachable = (cause: unknown): ExternalSystemError =>
  new ExternalSystemError('UNREACHABLE', 'no connection', { retryable: true, cause });

const failureOf = async (emitter: NodeJS.EventEmitter): Promise<unknown> => (await once(emitter, 'error'))[0];

async function freePort(): Promise<number> {
  const server = createHttp().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('what failed on the way to a system', () => {
  it('says that nothing listens at a port, in both languages', async () => {
    const error = unreachable(await failureOf(connect(await freePort(), '127.0.0.1')));
    expect(lineProblem(error, 'EN')).toContain('The connection is refused');
    expect(lineProblem(error, 'NL')).toContain('De verbinding wordt geweigerd');
  });

  it('says that a name is not known', async () => {
    const error = unreachable(await failureOf(connect(443, 'no-such-name.invalid')));
    expect(lineProblem(error, 'EN')).toContain('cannot be resolved');
  });

  it('says that what answers speaks no https', async () => {
    const server = createHttp().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const request = requestHttps({ host: '127.0.0.1', port, path: '/' });
    request.end();
    expect(lineProblem(unreachable(await failureOf(request)), 'EN')).toContain('does not speak https');
    server.close();
  });

  it('tells an expired certificate from one that nobody here trusts and one for another name', () => {
    const coded = (code: string) => lineProblem(unreachable(Object.assign(new Error(code), { code })), 'EN');
    expect(coded('CERT_HAS_EXPIRED')).toContain('expired');
    expect(coded('DEPTH_ZERO_SELF_SIGNED_CERT')).toContain('not signed by an authority');
    expect(coded('ERR_TLS_CERT_ALTNAME_INVALID')).toContain('another name');
  });

  it('leaves what is no matter of the line, and addresses that are not allowed, to their own words', () => {
    expect(lineProblem(new ExternalSystemError('AUTH', 'refused', { retryable: false }), 'EN')).toBeNull();
    const forbidden = Object.assign(
      new Error('The address 10.0.0.1 is private; SLUICE_ALLOW_PRIVATE_ADDRESSES is off'),
      {
        code: 'EHOSTUNREACH',
      },
    );
    expect(lineProblem(unreachable(forbidden), 'EN')).toBeNull();
  });
});
