/** The grid beside Glide in one run in Chromium: `node bench/grid.ts`. Reads web/grid-bench.html and bench/grid-peer. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { findChromium } from '@sluice/testing';
import { chromium } from 'playwright-core';
import { build } from 'vite';
import { glide, measureGrid, own, type Results } from './grid-page.ts';
import { type Measurement, report, say } from './measure.ts';

const repository = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
/** Columns of the measured tables. */
const WIDTHS = [50, 200];
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'sluice-bench-grid-'));

/** Builds a page as a product would be built; answers its folder. */
async function buildPage(root: string, page: string, plugins: boolean): Promise<string> {
  const outDir = path.join(work, path.basename(root));
  await build({
    root,
    configFile: plugins ? path.join(root, 'vite.config.ts') : false,
    logLevel: 'error',
    base: './',
    build: { outDir, emptyOutDir: true, rolldownOptions: { input: path.join(root, page) } },
  });
  return outDir;
}

/** Glide with what it needs, in a folder of its own: it is no part of the product's packages. */
function installPeer(): string {
  const source = path.join(repository, 'bench/grid-peer');
  const folder = path.join(repository, '.cache/grid-peer');
  fs.mkdirSync(folder, { recursive: true });
  for (const name of fs.readdirSync(source))
    fs.copyFileSync(path.join(source, name), path.join(folder, name));
  const options = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm, ...options]] : ['npm', options];
  execFileSync(command, args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: process.platform === 'win32',
  });
  return folder;
}

function serve(folder: string): Promise<{ url: string; close(): void }> {
  const types: Record<string, string> = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.woff2': 'font/woff2',
  };
  const server = http.createServer((request, response) => {
    const file = path.join(folder, path.normalize(new URL(request.url ?? '/', 'http://x').pathname));
    if (!fs.existsSync(file) || !fs.statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'application/octet-stream' });
    fs.createReadStream(file).pipe(response);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      resolve({ url: `http://127.0.0.1:${port}`, close: () => server.close() });
    });
  });
}

/** All scripts of a built page, compressed, in kB. */
function scriptKb(folder: string): number {
  const scripts = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'));
  return (
    scripts.reduce((sum, name) => sum + gzipSync(fs.readFileSync(path.join(folder, name))).length, 0) / 1000
  );
}

const browserOf = await findChromium();
const browser = await chromium.launch({
  executablePath: browserOf.executablePath,
  args: [...browserOf.args, '--enable-precise-memory-info'],
  env: { ...process.env, ...browserOf.env },
});
try {
  say('building our page');
  const ours = await buildPage(path.join(repository, 'web'), 'grid-bench.html', true);
  let peer: string | null = null;
  try {
    say('installing and building Glide');
    peer = await buildPage(installPeer(), 'index.html', false);
  } catch (error) {
    console.log(`     Glide is left out: ${error instanceof Error ? error.message : String(error)}`);
  }
  for (const columns of WIDTHS) {
    const results = new Map<string, Results>();
    for (const [name, folder, page, driver] of [
      ['ours', ours, 'grid-bench.html', own],
      ['Glide', peer, 'index.html', glide],
    ] as const) {
      if (folder === null) continue;
      say(`measuring ${name}, ${columns} columns`);
      const site = await serve(folder);
      results.set(name, {
        ...(await measureGrid(browser, `${site.url}/${page}?columns=${columns}`, driver)),
        scriptKb: scriptKb(folder),
      });
      site.close();
    }
    const mine = results.get('ours');
    if (mine) reportAll(columns, mine, results.get('Glide') ?? null);
  }
} finally {
  await browser.close();
  fs.rmSync(work, { recursive: true, force: true });
}

function reportAll(columns: number, ours: Results, peer: Results | null): void {
  const beside = (
    name: string,
    key: keyof Results,
    unit: Measurement['unit'] = 'ms',
    bar: number | null = 1,
  ): void =>
    report({
      name: `grid, ${columns} columns: ${name}, beside Glide`,
      unit,
      measured: ours[key],
      limit: peer?.[key] ?? null,
      bar: peer ? bar : null,
    });
  const absolute = (
    name: string,
    key: keyof Results,
    limit: number,
    unit: Measurement['unit'] = 'ms',
  ): void =>
    report({
      name: `grid, ${columns} columns: ${name}`,
      unit,
      measured: ours[key],
      limit,
      bar: 1,
      note: `the limit is the bar itself${peer ? `; Glide ${peer[key].toFixed(1)} ${unit}` : ''}`,
    });
  beside('first rows', 'firstRows');
  beside('wheel p50', 'wheelP50', 'ms', null);
  beside('wheel p95', 'wheelP95');
  beside('thumb drag p95', 'dragP95');
  absolute('far jump to real cells beyond latency', 'farJump', 60);
  absolute('select a column of all rows', 'selectColumn', 15);
  absolute('paste of 50,000 cells on screen', 'paste', 50);
  absolute('heap after a long scroll', 'heapMb', 20, 'MB');
  beside('JavaScript, compressed (Glide with React)', 'scriptKb', 'kB', null);
}
