import { describe, expect, it } from 'vitest';
import { startSandboxProcess } from './sandbox.ts';

describe('the starter of the sandbox', () => {
  it('gives a process that can be killed, restarted on its data, and stopped', async () => {
    const sandbox = await startSandboxProcess({ journalEntries: 50 });
    try {
      const path = "/odata/production/Companies('NL01')/JournalEntries(10000001)";
      expect((await sandbox.call('PATCH', path, { description: 'Kept' })).status).toBe(200);
      const { url, pid } = sandbox;
      await sandbox.kill();
      await expect(sandbox.call('GET', path)).rejects.toThrow();
      await sandbox.restart();
      expect(sandbox.pid).not.toBe(pid);
      expect(sandbox.url).toBe(url);
      expect((await sandbox.call('GET', path)).body).toMatchObject({ description: 'Kept' });
      await sandbox.faults([{ kind: 'fail', status: 503 }]);
      expect((await sandbox.call('GET', path)).status).toBe(503);
    } finally {
      await sandbox.stop();
    }
  });
});
