import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const sources = [
  'web/src',
  'web/index.html',
  'web/vite.config.ts',
  'contract/src',
  'mapping/src',
  'package-lock.json',
];
const dist = path.join(repository, 'web/dist');
const marker = path.join(dist, '.built');
/** Files of earlier builds stay this long: pages that are open still ask for them. */
const keepMs = 24 * 60 * 60_000;

function newest(file: string): number {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...fs.readdirSync(file).map((name) => newest(path.join(file, name))));
}

/**
 * Builds the screens when their sources are newer than the last build, in a process of its own (a build inside this
 * one would keep 370 MB). The server answers meanwhile; pages wait for it. The build goes into a folder of its own
 * and is moved over file by file with the page last, so that no server on this folder ever serves half of one.
 */
export async function buildWeb(say: (line: string) => void): Promise<void> {
  const built = fs.statSync(marker, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const changed = Math.max(...sources.map((source) => newest(path.join(repository, source))));
  if (changed <= built) return;
  say('Building the screens');
  const part = path.join(dist, `.part-${process.pid}`);
  try {
    await runVite(part);
    await compressAssets(path.join(part, 'assets'));
    publish(part);
  } finally {
    fs.rmSync(part, { recursive: true, force: true });
  }
  fs.writeFileSync(marker, new Date().toISOString());
}

async function runVite(outDir: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const vite = path.join(repository, 'node_modules/vite/bin/vite.js');
    const child = spawn(
      process.execPath,
      [vite, 'build', '--logLevel', 'warn', '--outDir', outDir, '--emptyOutDir'],
      {
        cwd: path.join(repository, 'web'),
        env: { NO_COLOR: '1', NODE_ENV: 'production' },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => (output += data.toString()));
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`Building the screens failed:\n${output}`));
    });
  });
}

/** Smaller ones fit into a packet as they are. */
const leastBytes = 1024;

/** Once, instead of for each visitor: brotli for browsers, gzip for what knows nothing better. Fonts are compressed. */
async function compressAssets(folder: string): Promise<void> {
  // The best that brotli can would save a fourteenth of the bytes, and a first start would wait two seconds for it.
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };
  const names = fs.readdirSync(folder).filter((name) => /\.(js|css|svg)$/.test(name));
  await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      const content = await fs.promises.readFile(file);
      if (content.length < leastBytes) return;
      await Promise.all([
        fs.promises.writeFile(`${file}.br`, await promisify(brotliCompress)(content, brotli)),
        fs.promises.writeFile(`${file}.gz`, await promisify(gzip)(content)),
      ]);
    }),
  );
}

/** Names of assets carry their content: new ones never stand in the way of old ones. */
function publish(part: string): void {
  const assets = path.join(dist, 'assets');
  fs.mkdirSync(assets, { recursive: true });
  const fresh = new Set(fs.readdirSync(path.join(part, 'assets')));
  for (const name of fresh) fs.renameSync(path.join(part, 'assets', name), path.join(assets, name));
  const others = fs.readdirSync(part).filter((name) => name !== 'assets' && name !== 'index.html');
  for (const name of [...others, 'index.html']) {
    fs.renameSync(path.join(part, name), path.join(dist, name));
  }
  for (const name of fs.readdirSync(assets)) {
    const file = path.join(assets, name);
    if (!fresh.has(name) && Date.now() - fs.statSync(file).mtimeMs > keepMs) fs.rmSync(file, { force: true });
  }
}
