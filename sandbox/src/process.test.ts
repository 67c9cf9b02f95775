import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { record, TestClient } from './test-client.ts';

describe('the process of the sandbox', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'sandbox-'));
  });
  afterEach(() => rm(home, { recursive: true }));

  async function start(env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [fileURLToPath(new URL('./main.ts', import.meta.url))], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { SANDBOX_HOME: home, SANDBOX_PORT: '0', SANDBOX_JOURNAL_ENTRIES: '200', ...env },
    });
    let complaints = '';
    child.stderr.on('data', (chunk) => (complaints += String(chunk)));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { value, done } = await lines.next();
    if (done) await once(child, 'close');
    const url = done ? null : String(record(JSON.parse(value))['url']);
    const sandbox = { url: url ?? '', port: 0, close: () => Promise.resolve() };
    const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await once(child, 'exit');
      }
      return child.exitCode;
    };
    return { api: new TestClient(sandbox), complaints: () => complaints, end, child };
  }

  it('keeps what was committed when it is killed, and continues after a restart', async () => {
    const first = await start();
    for (let i = 1; i <= 50; i++)
      expect(
        (await first.api.call('PATCH', `JournalEntries(${10_000_000 + i})`, { description: `Kept ${i}` }))
          .status,
      ).toBe(i % 10 === 0 ? 400 : 200);
    await first.end('SIGKILL');
    const second = await start();
    const { value } = await second.api.query('JournalEntries', {
      $filter: "startswith(description,'Kept')",
      $top: '1000',
    });
    expect(value).toHaveLength(45);
    expect(await second.end('SIGTERM')).toBe(0);
  });

  it('dies after a commit when told so, also in the middle of a batch', async () => {
    const first = await start();
    await first.api.faults({ kind: 'crashAfterCommit', afterRequests: 3 });
    const requests = Array.from({ length: 6 }, (_, i) => ({
      id: String(i),
      method: 'POST',
      url: 'JournalEntries',
      headers: { 'content-type': 'application/json' },
      body: { entryDate: '2026-01-02', account: 1000, description: `Crash ${i}`, debit: 1 },
    }));
    await expect(first.api.call('POST', '$batch', { requests })).rejects.toThrow();
    await first.end('SIGKILL');
    expect(first.child.signalCode).toBe('SIGKILL');
    const second = await start();
    const found = await second.api.query('JournalEntries', { $filter: "startswith(description,'Crash')" });
    expect(found.value.map((v) => v['number'])).toEqual([20_000_001, 20_000_002, 20_000_003]);
    await second.end('SIGTERM');
  });

  it('grows the journal to the number that is set, leaving changes alone', async () => {
    const first = await start();
    await first.api.call('DELETE', 'JournalEntries(10000001)');
    await first.end('SIGTERM');
    const second = await start({ SANDBOX_JOURNAL_ENTRIES: '5000' });
    expect((await second.api.call('GET', 'JournalEntries/$count')).text).toBe('4999');
    await second.end('SIGTERM');
    const third = await start({ SANDBOX_JOURNAL_ENTRIES: '200' });
    expect((await third.api.call('GET', 'JournalEntries/$count')).text).toBe('4999');
    await third.end('SIGTERM');
  });

  it('lists every bad setting and does not start', async () => {
    const { complaints, end } = await start({ SANDBOX_PORT: '99999', SANDBOX_JOURNAL_ENTRIES: 'many' });
    expect(await end('SIGTERM')).not.toBe(0);
    expect(complaints()).toContain('SANDBOX_PORT');
    expect(complaints()).toContain('SANDBOX_JOURNAL_ENTRIES');
  });
});
