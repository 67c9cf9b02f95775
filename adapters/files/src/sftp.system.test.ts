import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConnectionConfig, ExternalSystemError } from '@sluice/adapter-kit';
import { describeConformance } from '@sluice/adapter-kit/conformance';
import { startFaultProxy } from '@sluice/adapter-kit/conformance-proxy';
import { findSshdProblem, type SftpServer, startSshd } from '@sluice/testing/sshd';
import { describeSystem } from '@sluice/testing/system';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapter, configOf, open, options, readAll } from './test-support.ts';

describeSystem('SFTP', findSshdProblem(), () => {
  let server: SftpServer;
  const definition = adapter('sftp', []);
  const config = (settings: Record<string, string> = {}, port = server.port) =>
    configOf({
      url: `sftp://127.0.0.1:${port}${server.folder}`,
      username: server.username,
      settings: { privateKey: server.privateKey, fingerprint: server.fingerprint, ...settings },
    });
  beforeAll(async () => {
    server = await startSshd();
  });
  afterAll(() => server?.stop());

  describeConformance(
    'Files over SFTP',
    () => {
      const items = join(server.folder, 'items.csv');
      writeFileSync(items, 'number;name\nA0;First\n');
      writeFileSync(
        join(server.folder, 'big.csv'),
        `id;word\n${Array.from({ length: 3500 }, (_, i) => `${i};w`).join('\n')}\n`,
      );
      const rows = (): string[][] =>
        readFileSync(items, 'utf8')
          .trim()
          .split('\n')
          .map((line) => line.split(';'));
      const save = (kept: string[][]): void =>
        writeFileSync(items, `${kept.map((row) => row.join(';')).join('\n')}\n`);
      return Promise.resolve({
        definition,
        config: config({ keys: 'items: number\nbig: id' }),
        badConfig: { ...config(), username: 'nobody-here' },
        deadConfig: config({}, 1),
        levels: [],
        collection: 'items',
        sample: (n) => ({ number: `N${n}`, name: `Name ${n}` }),
        change: (n) => ({ name: `Changed ${n}` }),
        invalid: { values: {}, field: null },
        naturalKey: 'number',
        missingKey: 'none',
        missingCollection: 'nothing',
        large: { collection: 'big', levels: [], pageSize: 1000 },
        twoCompanies: null,
        makeElsewhere: (values) => {
          appendFileSync(items, `${String(values['number'])};${String(values['name'])}\n`);
          return Promise.resolve(String(values['number']));
        },
        changeElsewhere: (key, values) => {
          save(rows().map((row) => (row[0] === key ? [key, String(values['name'])] : row)));
          return Promise.resolve();
        },
        removeElsewhere: (key) => {
          save(rows().filter(([number]) => number !== key));
          return Promise.resolve();
        },
        countElsewhere: (value) => Promise.resolve(rows().filter(([number]) => number === value).length),
        cleanup: () => Promise.resolve(),
      });
    },
    { isReadOnly: true },
  );

  describe('SFTP', () => {
    it('a key that was pasted into one line signs in, and another server is not believed', async () => {
      const pasted = open(
        definition,
        config({ privateKey: server.privateKey.replaceAll('\n', ' ').trim(), fingerprint: '' }),
      );
      const good = await pasted.test({ locale: 'EN', signal: options().signal });
      expect(good, good.message).toMatchObject({ status: 'OK' });
      expect(good.message).toContain(server.fingerprint);
      expect(good.suggestions).toEqual([{ field: 'settings.fingerprint', value: server.fingerprint }]);
      await pasted.close();
      const wrong = open(definition, config({ fingerprint: `SHA256:${'A'.repeat(43)}` }));
      expect(await wrong.test({ locale: 'NL', signal: options().signal })).toMatchObject({
        status: 'INVALID_CREDENTIALS_OR_URL',
        message: expect.stringMatching(`^Deze server is niet die .*${RegExp.escape(server.fingerprint)}`),
      });
      await wrong.close();
    });

    it('a private key that is no key is told from a sign-in that the server refuses', async () => {
      const told = async (part: Partial<ConnectionConfig>): Promise<string> => {
        const session = open(definition, { ...config(), ...part });
        const { message } = await session.test({ locale: 'EN', signal: options().signal });
        await session.close();
        return message;
      };
      expect(await told({ settings: { privateKey: 'nonsense' } })).toContain(
        'The private key cannot be read',
      );
      expect(await told({ username: 'nobody-here' })).toContain('The server refuses the sign-in');
    });

    it('a line that is cut within a file is a failure, never the end of the file', async () => {
      writeFileSync(
        join(server.folder, 'long.csv'),
        `id;w\n${'1;some words that fill the line\n'.repeat(400_000)}`,
      );
      const proxy = await startFaultProxy(`sftp://127.0.0.1:${server.port}`);
      const session = open(definition, config({}, Number(new URL(proxy.url).port)));
      const { fields } = await session.describe('long', options());
      const read = async (): Promise<number> => {
        let count = 0;
        for await (const { records } of session.read({
          ...options(),
          collection: 'long',
          fields,
          cursor: null,
          pageSize: 5000,
        })) {
          count += records.length;
          proxy.mode = 'cutAnswer';
        }
        return count;
      };
      const error = await read().catch((e: unknown) => e);
      expect(error).toBeInstanceOf(ExternalSystemError);
      proxy.mode = 'pass';
      expect((await readAll(session, 'items')).length).toBeGreaterThan(0);
      await session.close();
      await proxy.close();
    });
  });
});
