import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { expectNoViolations } from './axe.ts';

/** For somebody who looks at the pictures: all eight looks, each with its picture. */
const isLookedAt = process.env['SLUICE_LOOKS'] === 'all';
/** Pictures of every state: outside the repository, overwritten by each run. */
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
 * Each language, theme and width once, whole: what axe finds hangs on the words or on the colours, not on both. Every
 * screen is looked at in both languages and themes by all-screens.spec.ts.
 */
const ordinary = ['EN-light-1440', 'NL-dark-1024'];

export const nameOfLook = ({ language, colorScheme, width }: Look): string =>
  `${language}-${colorScheme}-${width}`;

export const looks: Look[] = (['EN', 'NL'] as const).flatMap((language) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    sizes
      .map((size) => ({ language, colorScheme, ...size }))
      .filter((look) => isLookedAt || ordinary.includes(nameOfLook(look))),
  ),
);

export async function takeOn(page: Page, { colorScheme, width, height }: Look): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme });
}

/** axe finds nothing in the page as it stands, of which a picture is taken. */
export async function shoot(page: Page, state: string, look?: Look): Promise<void> {
  const name = look ? `${state}-${nameOfLook(look)}` : state;
  await takePicture(page, name);
  await expectNoViolations(page, name);
}

/** Only for somebody who asked for pictures. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (!isLookedAt) return;
  fs.mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`), animations: 'disabled' });
}
