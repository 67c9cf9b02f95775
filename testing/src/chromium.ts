import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import sparticuz from '@sparticuz/chromium';
import { createRequire } from 'node:module';
import os from 'node:os';

export interface ChromiumLaunch {
  executablePath: string;
  args: string[];
  env: Record<string, string>;
}

/** Where browsers are found on machines for which the npm package has none. */
const installed = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/microsoft-edge',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Quiet, and no calls home: tests talk to this machine only. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The package has its browser for this kind of machine only. */
const isPackaged = process.platform === 'linux' && process.arch === 'x64';

/**
 * The browser for tests: $CHROME, the one inside the npm package, or where that has none an installed one
 * (docs/decisions/0022).
 */
export async function findChromium(): Promise<ChromiumLaunch> {
  const own = process.env.CHROME ?? (isPackaged ? undefined : installed.find((file) => fs.existsSync(file)));
  if (own) return { executablePath: own, args, env: {} };
  if (!isPackaged) throw new Error('No Chromium, Chrome or Edge was found: say in CHROME where one is');
  return {
    executablePath: await sparticuz.executablePath(),
    args: [...args, '--headless=shell'],
    env: hasNss() ? {} : { LD_LIBRARY_PATH: unpackLibraries() },
  };
}

function hasNss(): boolean {
  try {
    return execFileSync('ldconfig', ['-p'], { encoding: 'utf8' }).includes('libnss3.so');
  } catch {
    return false;
  }
}

/** The package brings the shared libraries that a bare machine lacks. */
function unpackLibraries(): string {
  const folder = path.join(os.tmpdir(), 'sluice-chromium-libraries');
  const lib = path.join(folder, 'lib');
  if (fs.existsSync(lib)) return lib;
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  let bin = path.dirname(entry);
  while (!fs.existsSync(path.join(bin, 'bin', 'al2023.tar.br')) && bin !== path.dirname(bin))
    bin = path.dirname(bin);
  const part = `${folder}.${process.pid}`;
  fs.mkdirSync(part, { recursive: true });
  fs.writeFileSync(
    path.join(part, 'libraries.tar'),
    brotliDecompressSync(fs.readFileSync(path.join(bin, 'bin', 'al2023.tar.br'))),
  );
  execFileSync('tar', ['-xf', 'libraries.tar'], { cwd: part });
  try {
    fs.renameSync(part, folder);
  } catch {
    fs.rmSync(part, { recursive: true, force: true });
  }
  return lib;
}
