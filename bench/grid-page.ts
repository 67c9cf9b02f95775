import type { Browser, CDPSession, Page } from 'playwright-core';
import { median, percentile } from './measure.ts';

/** Numbers of one grid: milliseconds, MB and kB. */
export interface Results {
  firstRows: number;
  wheelP50: number;
  wheelP95: number;
  dragP95: number;
  farJump: number;
  selectColumn: number;
  paste: number;
  heapMb: number;
  scriptKb: number;
}

/** What differs between the two pages. Expressions run in the page. */
export interface Driver {
  scroller: string;
  /** Is every cell in sight real? */
  isReal: string;
  /** A place in the header of the second data column, and one in its first row. */
  header: { x: number; y: number };
  cell: { x: number; y: number };
  /** Does the first row show the pasted text now? */
  isPasted: string;
  /** Before the paste: what the grid needs to be able to take it. */
  prepare: string;
}

const pastedText = 'Pasted 0';
const pasteRows = 5000;
const latencyMs = 20;
const loads = 3;

export const own: Driver = {
  scroller: '.sg-scroll',
  isReal: `(() => {
    const rows = [...document.querySelectorAll('.sg-row:not([style*="display: none"])')];
    // Rows that were scrolled away are drawn still while the new ones come: one has to be in the middle of the screen.
    const isThere = rows.some((row) => Math.abs(row.getBoundingClientRect().top - 450) < 30);
    const cells = rows.flatMap((row) => [...row.querySelectorAll('.sg-cell')]);
    return isThere && cells.every((cell) => !cell.classList.contains('is-loading')) && cells[0].textContent !== '';
  })()`,
  header: { x: 330, y: 16 },
  cell: { x: 330, y: 46 },
  isPasted: `[...document.querySelectorAll('[aria-rowindex="2"] [aria-colindex="3"]')].some((cell) => cell.textContent === '${pastedText}')`,
  prepare: 'undefined',
};

export const glide: Driver = {
  scroller: '.dvn-scroller',
  isReal: 'window.peer !== undefined && window.peer.isReal()',
  header: { x: 250, y: 16 },
  cell: { x: 250, y: 46 },
  isPasted: `window.peer.valueAt(0, 1) === '${pastedText}'`,
  // It passes over cells that are not loaded when it pastes.
  prepare: `Promise.all(Array.from({ length: ${pasteRows / 100} }, (_, block) => window.peer.load(block)))`,
};

/** Runs in the page before anything else: helpers on `window.meter`. */
const meter = `
window.meter = {
  frame: () => new Promise((resolve) => requestAnimationFrame(resolve)),
  /** Waits frame by frame; answers the time when what became true has been painted. */
  async until(check) {
    const deadline = performance.now() + 20000;
    while (!check()) {
      if (performance.now() > deadline) throw new Error('waited in vain: ' + check);
      await this.frame();
    }
    await this.frame();
    return performance.now();
  },
  /** Lengths of all frames until stop() is called. */
  record() {
    const frames = [];
    let last = 0;
    let isOn = true;
    const step = (now) => {
      if (last > 0) frames.push(now - last);
      last = now;
      if (isOn) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
    return { frames, stop: () => { isOn = false; } };
  },
};`;

export async function measureGrid(
  browser: Browser,
  url: string,
  driver: Driver,
): Promise<Omit<Results, 'scriptKb'>> {
  const firstRows: number[] = [];
  for (let load = 1; load < loads; load += 1) {
    const page = await openPage(browser);
    firstRows.push(await loadPage(page, url, driver));
    await page.context().close();
  }
  const page = await openPage(browser);
  firstRows.push(await loadPage(page, url, driver));
  const cdp = await page.context().newCDPSession(page);
  const selectColumn = await measureSelect(page, driver);
  const paste = await measurePaste(page, driver);
  const wheel = await measureWheel(page, cdp, driver);
  const dragP95 = percentile(await measureDrag(page, driver), 0.95);
  const farJump = await measureJump(page, driver);
  const heapMb = await measureHeap(cdp);
  await page.context().close();
  return {
    firstRows: median(firstRows),
    wheelP50: percentile(wheel, 0.5),
    wheelP95: percentile(wheel, 0.95),
    dragP95,
    farJump,
    selectColumn,
    paste,
    heapMb,
  };
}

async function openPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1400, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await context.addInitScript(meter);
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error(error));
  return page;
}

/** From the beginning of the navigation until real rows have been painted. */
async function loadPage(page: Page, url: string, { isReal }: Driver): Promise<number> {
  await page.goto(url, { waitUntil: 'commit' });
  return await page.evaluate<number>(`window.meter.until(() => ${isReal})`);
}

/** From the press of the button on a header until the selection has been painted. */
async function measureSelect(page: Page, { header }: Driver): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await page.mouse.move(header.x + round * 130, header.y);
    await page.evaluate(`window.pressed = new Promise((resolve) => {
      addEventListener('pointerup', async () => {
        const pressedAt = performance.now();
        await window.meter.frame();
        await new Promise((done) => setTimeout(done));
        resolve(performance.now() - pressedAt);
      }, { once: true, capture: true });
    }); undefined`);
    await page.mouse.down();
    await page.mouse.up();
    times.push(await page.evaluate<number>('window.pressed'));
  }
  return median(times);
}

/** Texts that every column of our page takes: name, city, term, amount, date, yes or no, number, moment, remark, number. */
const line = (row: number): string =>
  [`Pasted ${row}`, 'Delft', '10', '12,50', '21-11-2026', 'Yes', '42', '21-11-2026 10:00', 'Note', '7'].join(
    '\t',
  );

/** From Ctrl+V until the first pasted cell has been painted. */
async function measurePaste(page: Page, { cell, isPasted, prepare }: Driver): Promise<number> {
  await page.evaluate(prepare);
  const text = Array.from({ length: pasteRows }, (_, row) => line(row)).join('\n');
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.mouse.click(cell.x, cell.y);
  await page.evaluate(`window.pasted = new Promise((resolve, reject) => {
    addEventListener('keydown', async (event) => {
      if (event.key.toLowerCase() !== 'v') return;
      const startedAt = performance.now();
      window.meter.until(() => ${isPasted}).then((at) => resolve(at - startedAt), reject);
    }, { capture: true });
  }); undefined`);
  await page.keyboard.press('Control+V');
  return await page.evaluate<number>('window.pasted');
}

/** Lengths of frames while the wheel turns without a pause. */
async function measureWheel(page: Page, cdp: CDPSession, { cell }: Driver): Promise<number[]> {
  await page.mouse.move(cell.x, cell.y + 300);
  await page.evaluate('window.recording = window.meter.record(); undefined');
  const until = performance.now() + 4000;
  while (performance.now() < until) {
    await cdp.send('Input.dispatchMouseEvent', {
      type: 'mouseWheel',
      x: cell.x,
      y: cell.y + 300,
      deltaX: 0,
      deltaY: 240,
    });
  }
  return (await page.evaluate<number[]>('(window.recording.stop(), window.recording.frames)')).map(
    toRefreshes,
  );
}

const refreshMs = 1000 / 60;
const clockMs = 0.2;

/** A frame as long as n refreshes of the screen lasts just that: the page's clock is good for a tenth of a ms only. */
function toRefreshes(ms: number): number {
  const whole = Math.round(ms / refreshMs) * refreshMs;
  return Math.abs(ms - whole) <= clockMs ? whole : ms;
}

/** The thumb from top to end in 240 steps, one a frame. */
async function measureDrag(page: Page, { scroller }: Driver): Promise<number[]> {
  const frames = await page.evaluate<number[]>(`(async () => {
    const scroller = document.querySelector('${scroller}');
    const recording = window.meter.record();
    const steps = 240;
    for (let step = 0; step <= steps; step += 1) {
      scroller.scrollTop = ((scroller.scrollHeight - scroller.clientHeight) * step) / steps;
      await window.meter.frame();
    }
    recording.stop();
    return recording.frames;
  })()`);
  return frames.map(toRefreshes);
}

/** To a far place that was never seen, until all cells in sight are real; the server's latency taken off. */
async function measureJump(page: Page, { scroller, isReal }: Driver): Promise<number> {
  const times = await page.evaluate<number[]>(`(async () => {
    const scroller = document.querySelector('${scroller}');
    const times = [];
    for (const share of [0.613, 0.127, 0.871, 0.359, 0.742]) {
      await new Promise((resolve) => setTimeout(resolve, 400));
      const startedAt = performance.now();
      scroller.scrollTop = scroller.scrollHeight * share;
      await window.meter.frame();
      times.push((await window.meter.until(() => ${isReal})) - startedAt);
    }
    return times;
  })()`);
  return median(times) - latencyMs;
}

async function measureHeap(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  return usedSize / 2 ** 20;
}
