import net from 'node:net';
import { PassThrough } from 'node:stream';
import { ExternalSystemError, type SessionContext } from '@sluice/adapter-kit';
import SftpClient from 'ssh2-sftp-client';
import { type FileSource, inOrder } from './source.ts';

export interface SftpSettings {
  host: string;
  port: number;
  folder: string;
  username: string;
  password: string;
  privateKey: string;
  passphrase: string;
  /** `SHA256:…` of the server's key; empty = any. */
  fingerprint: string;
}

/** A folder of an SFTP server, on one connection that is made again when it is lost. */
export function sftpSource(settings: SftpSettings, context: SessionContext): FileSource {
  let opening: Promise<SftpClient> | null = null;
  let seen = '';

  const connect = async (): Promise<SftpClient> => {
    const drop = (): void => {
      opening = null;
    };
    const client = new SftpClient('sluice', { error: drop, end: drop, close: drop });
    const { lookup } = context;
    const sock = net.connect({ host: settings.host, port: settings.port, ...(lookup ? { lookup } : {}) });
    await new Promise<void>((resolve, reject) => {
      sock.once('connect', resolve);
      sock.once('error', reject);
    });
    await client.connect({
      sock,
      username: settings.username,
      ...(settings.password === '' ? {} : { password: settings.password }),
      ...(settings.privateKey === ''
        ? {}
        : { privateKey: wrapped(settings.privateKey), passphrase: settings.passphrase }),
      readyTimeout: Math.min(20_000, context.requestTimeoutMs),
      hostHash: 'sha256',
      hostVerifier: (hex: string) => {
        seen = `SHA256:${Buffer.from(hex, 'hex').toString('base64').replace(/=+$/, '')}`;
        return settings.fingerprint === '' || settings.fingerprint === seen;
      },
    });
    return client;
  };
  const client = async (): Promise<SftpClient> => {
    opening ??= connect();
    try {
      return await opening;
    } catch (error) {
      opening = null;
      throw failure(error, settings, seen);
    }
  };

  const folder = settings.folder === '' ? '.' : settings.folder;
  return {
    list: async () => {
      const found = await (await client()).list(folder).catch((error: unknown) => {
        throw failure(error, settings, seen);
      });
      return inOrder(
        found
          .filter(({ type }) => type === '-')
          .map(({ name, size, modifyTime }) => ({ name, size, modifiedAt: new Date(modifyTime) })),
      );
    },
    open: async (name, signal) => {
      const source = (await client()).createReadStream(`${folder}/${name}`);
      const pipe = new PassThrough({ highWaterMark: 256 * 1024 });
      source.on('error', (error: Error) => pipe.destroy(failure(error, settings, seen)));
      // A connection that ends in the middle must not look like the end of the file.
      let isWhole = false;
      source.on('end', () => (isWhole = true));
      source.on('close', () => {
        if (!isWhole)
          pipe.destroy(failure(new Error('the connection ended within the file'), settings, seen));
      });
      signal.addEventListener('abort', () => pipe.destroy(), { once: true });
      pipe.on('close', () => source.destroy());
      return source.pipe(pipe);
    },
    remark: () =>
      settings.fingerprint === '' && seen !== ''
        ? { key: 'fingerprint', detail: seen, field: 'settings.fingerprint' }
        : null,
    close: async () => {
      const open = opening;
      opening = null;
      await (await open?.catch(() => null))?.end().catch(() => undefined);
    },
  };
}

/** A key that was pasted into one line gets its lines back. */
function wrapped(key: string): string {
  const [, name, body] = /-----BEGIN ([A-Z ]+)-----([\s\S]*)-----END \1-----/.exec(key) ?? [];
  if (name === undefined || body === undefined || body.includes(':')) return key;
  const lines = body.replace(/\s+/g, '').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${name}-----\n${lines.join('\n')}\n-----END ${name}-----\n`;
}

function failure(error: unknown, settings: SftpSettings, seen: string): ExternalSystemError {
  if (error instanceof ExternalSystemError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const make = (
    kind: ConstructorParameters<typeof ExternalSystemError>[0],
    text: string,
    retryable: boolean,
    errCode?: 'HOST_KEY' | 'PRIVATE_KEY',
  ) => new ExternalSystemError(kind, text, { retryable, cause: error, ...(errCode ? { errCode } : {}) });
  if (settings.fingerprint !== '' && seen !== '' && seen !== settings.fingerprint)
    return make('AUTH', `the server shows another key: ${seen}`, false, 'HOST_KEY');
  if (/passphrase|privateKey|Cannot parse/i.test(message)) return make('AUTH', message, false, 'PRIVATE_KEY');
  if (/authentication/i.test(message)) return make('AUTH', message, false);
  if (code === '2' || /No such file/i.test(message)) return make('NOT_FOUND', message, false);
  if (code === '3' || /Permission denied/i.test(message)) return make('FORBIDDEN', message, false);
  if (/Timed out/i.test(message)) return make('TIMEOUT', message, true);
  return make('UNREACHABLE', message || code, true);
}
