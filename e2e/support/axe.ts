import type { Page } from '@playwright/test';
import axe from 'axe-core';
import { z } from 'zod';
import { expect } from './test.ts';

const whole = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };
const colours = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

const violationsSchema = z.array(z.object({ id: z.string(), places: z.array(z.string()) }));

/** WCAG 2.2 AA by axe: nothing found. `what` names the place in the failure. */
export const expectNoViolations = async (page: Page, what = 'page'): Promise<void> =>
  await expectNothing(page, whole, what);

/** Only what the colours decide: for the other theme of a page that was looked at whole. */
const expectContrast = async (page: Page, what: string): Promise<void> =>
  await expectNothing(page, colours, what);

/** The page as it stands: whole in the light, its colours in the dark. It is left in the light. */
export async function expectNoViolationsInBothThemes(page: Page, what: string): Promise<void> {
  await expectNoViolations(page, `${what}, light`);
  await page.emulateMedia({ colorScheme: 'dark' });
  // The parts that need to be told of the theme have been told.
  await expect(page.locator('html[data-mantine-color-scheme=light]')).toHaveCount(0);
  await expectContrast(page, `${what}, dark`);
  await page.emulateMedia({ colorScheme: 'light' });
  await expect(page.locator('html[data-mantine-color-scheme=dark]')).toHaveCount(0);
}

async function expectNothing(page: Page, runOnly: typeof whole, what: string): Promise<void> {
  // A card that comes while axe is at work stands at once; what fades in already is looked at when it stands, and what
  // turns until something ends is not waited for.
  await page.evaluate(`document.head.append(Object.assign(document.createElement('style'), {
    id: 'no-fading', textContent: '*, ::before, ::after { animation-duration: 0s !important; transition-duration: 0s !important }' }))`);
  const passing = `document.getAnimations().filter(({ playState, effect }) =>
    playState === 'running' && effect.getComputedTiming().endTime !== Infinity).length`;
  await expect.poll(async () => await page.evaluate(passing), { intervals: [0, 50] }).toBe(0);
  // Once for each document. Without preloading, which reads all style sheets for a rule about sound: that and putting
  // axe in anew took three quarters of the time.
  if (await page.evaluate(`!('axe' in window)`)) await page.evaluate(axe.source);
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'], preload: false });
  const found = await page.evaluate(`axe.run(document, ${options}).then(({ violations }) =>
    violations.map(({ id, nodes }) => ({ id, places: nodes.map(({ html }) => html.slice(0, 160)) })))`);
  await page.evaluate(`document.querySelector('#no-fading').remove()`);
  const told = violationsSchema
    .parse(found)
    .map(({ id, places }) => `${what}: ${id} at ${places.join(' | ')}`);
  expect(told).toEqual([]);
}
