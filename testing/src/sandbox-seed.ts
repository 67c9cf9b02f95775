import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { startSandbox } from '@sluice/sandbox';
import { testCacheFolder } from './test-machine.ts';

let made: Promise<string> | null = null;

/**
 * Puts what every sandbox begins with into a data folder: making it takes a second, which is spent once on a machine
 * for each version of the sandbox and not in every test file. A sandbox adds the journal entries that it wants more.
 */
export async function putSeed(home: string): Promise<void> {
  made ??= seedFile();
  copyFileSync(await made, join(home, 'sandbox.db'));
}

async function seedFile(): Promise<string> {
  const folder = testCacheFolder();
  const file = join(
    folder,
    `sandbox-${versionOf(dirname(createRequire(import.meta.url).resolve('@sluice/sandbox')))}.db`,
  );
  if (existsSync(file)) return file;
  const home = mkdtempSync(join(folder, 'sandbox-'));
  const sandbox = await startSandbox({ home, journalEntries: 1 });
  await sandbox.close();
  // Whoever comes second puts the same there.
  renameSync(join(home, 'sandbox.db'), file);
  rmSync(home, { recursive: true });
  return file;
}

/** Another one whenever something of the sandbox's program changes. */
function versionOf(folder: string): string {
  const hash = createHash('sha256');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of names.toSorted())
    if (name.endsWith('.ts')) hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest('hex').slice(0, 12);
}
