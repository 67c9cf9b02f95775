/**
 * What a screen costs whoever opens it for the first time, in Chromium on a CPU slowed four times: its scripts, its
 * largest contentful paint, and what moved while it came. `node bench/screens.ts`
 */
import { gzipSync } from 'node:zlib';
import {
  findChromium,
  loginApi,
  skipHints,
  startProductMain,
  testPassword,
  waitUntilCached,
} from '@sluice/testing';
import { type Browser, chromium, type Page } from 'playwright-core';
import { median, report, say } from './measure.ts';

/** After one visit that is not counted: a browser that has just started loads its own parts as well. */
const rounds = 5;
const slowdown = 4;
const paintBarMs = 1000;
const table = 'sandbox-erp/domains/production/companies/UTR/journal-entries';

interface Screen {
  name: string;
  path: string;
  isLoggedIn: boolean;
  /** Bars; null = only shown. */
  scriptsKb: number | null;
  paintMs: number | null;
}

const screens: readonly Screen[] = [
  { name: 'log in', path: '/login', isLoggedIn: false, scriptsKb: 160, paintMs: paintBarMs },
  { name: 'dashboard', path: '/dashboard', isLoggedIn: true, scriptsKb: null, paintMs: paintBarMs },
  { name: 'table', path: `/data/${table}`, isLoggedIn: true, scriptsKb: 300, paintMs: null },
];

interface Visit {
  scriptsKb: number;
  paintMs: number;
  shift: number;
}

/** Asked in the page: entries that came before the question count too. */
const readPaint = `new Promise((resolve) => {
  let paint = 0;
  let what = '';
  let shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) [paint, what] = [entry.startTime, entry.element?.outerHTML.slice(0, 120) ?? ''];
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => resolve({ paint, what, shift }), 300);
})`;

async function visit(browser: Browser, base: string, cookies: Cookies, screen: Screen): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  if (screen.isLoggedIn) await context.addCookies(cookies);
  const page: Page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  const bodies: Promise<Buffer>[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') bodies.push(response.body());
  });
  await page.goto(`${base}${screen.path}`);
  // Looking for the heading before would run scripts in the page, on the slowed CPU.
  await page.waitForLoadState('networkidle');
  await page.locator('h1').first().waitFor();
  const { paint, what, shift } = (await page.evaluate(readPaint)) as {
    paint: number;
    what: string;
    shift: number;
  };
  say(`${screen.name}: painted after ${Math.round(paint)} ms (${what}), moved ${shift.toFixed(4)}`);
  const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body, { level: 9 }).length);
  await context.close();
  return { scriptsKb: sizes.reduce((sum, size) => sum + size, 0) / 1024, paintMs: paint, shift };
}

type Cookies = { name: string; value: string; url: string }[];

const product = await startProductMain({ timeoutMs: 240_000 });
try {
  const api = await loginApi(product.base, 'admin', testPassword);
  await skipHints(api);
  await waitUntilCached(api, `/api/v1/data/${table}`);
  const cookies = api
    .cookie()
    .split('; ')
    .map((pair) => {
      const at = pair.indexOf('=');
      return { name: pair.slice(0, at), value: pair.slice(at + 1), url: product.base };
    });
  const found = await findChromium();
  const browser = await chromium.launch({
    executablePath: found.executablePath,
    args: found.args,
    env: { ...process.env, ...found.env } as Record<string, string>,
  });
  for (const screen of screens) {
    const visits: Visit[] = [];
    await visit(browser, product.base, cookies, screen);
    for (let round = 0; round < rounds; round += 1)
      visits.push(await visit(browser, product.base, cookies, screen));
    report({
      name: `scripts of the first visit: ${screen.name}`,
      unit: 'kB',
      measured: Math.max(...visits.map(({ scriptsKb }) => scriptsKb)),
      limit: screen.scriptsKb,
      bar: screen.scriptsKb === null ? null : 1,
      note: 'gzipped; the limit is the bar itself',
    });
    report({
      name: `largest contentful paint: ${screen.name}`,
      unit: 'ms',
      measured: median(visits.map(({ paintMs }) => paintMs)),
      limit: screen.paintMs,
      bar: screen.paintMs === null ? null : 1,
      note: `CPU slowed ${slowdown} times; the limit is the bar itself`,
    });
    report({
      name: `layout shift: ${screen.name}`,
      unit: 'score',
      measured: Math.max(...visits.map(({ shift }) => shift)),
      limit: 1,
      bar: 0,
      note: `CPU slowed ${slowdown} times; nothing may move`,
    });
  }
  await browser.close();
} finally {
  await product.remove();
}
