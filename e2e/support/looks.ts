import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { expectContrast, expectNoViolations } from './axe.ts';

/** Pictures of every state, to be looked at: outside the repository, overwritten by each run. */
const folder = path.join(os.tmpdir(), 'sluice-states');

export interface Look {
  language: 'EN' | 'NL';
  colorScheme: 'light' | 'dark';
  width: number;
  height: number;
}

const sizes = [
  { width: 1440, height: 900 },
  { width: 1024, height: 700 },
];

/**
 * Each language in each theme, wide and small by turns: every two of the three meet. `SLUICE_LOOKS=all` takes all
 * eight, for somebody who looks at the pictures.
 */
export const looks: Look[] = (['EN', 'NL'] as const).flatMap((language) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    sizes
      .filter(
        ({ width }) =>
          process.env['SLUICE_LOOKS'] === 'all' ||
          (width === 1440) === ((language === 'EN') === (colorScheme === 'light')),
      )
      .map((size) => ({ language, colorScheme, ...size })),
  ),
);

export const nameOfLook = ({ language, colorScheme, width }: Look): string =>
  `${language}-${colorScheme}-${width}`;

export async function takeOn(page: Page, { colorScheme, width, height }: Look): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme });
}

/**
 * A picture of the page as it stands; axe finds nothing in it. A state that is shot in several looks says in which
 * this one is: where it is dark only the colours are looked at, for the rest was seen in the light one.
 */
export async function shoot(page: Page, state: string, look?: Look): Promise<void> {
  const name = look ? `${state}-${nameOfLook(look)}` : state;
  fs.mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`), animations: 'disabled' });
  if (look?.colorScheme === 'dark') await expectContrast(page, name);
  else await expectNoViolations(page, name);
}
