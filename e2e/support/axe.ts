import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect } from './test.ts';

/**
 * In the page itself, for nothing of ours stands in frames; and what passed is not described node by node: together
 * this takes a sixth of the time.
 */
const axeOf = (page: Page): AxeBuilder =>
  new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode();

/** WCAG 2.2 AA by axe: nothing found. `what` names the place in the failure. */
export const expectNoViolations = async (page: Page, what = 'page'): Promise<void> =>
  await expectNothing(
    page,
    axeOf(page).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']),
    what,
  );

/** Only what the colours decide: for the other theme of a page that was looked at whole. */
export const expectContrast = async (page: Page, what: string): Promise<void> =>
  await expectNothing(page, axeOf(page).withRules(['color-contrast', 'link-in-text-block']), what);

async function expectNothing(page: Page, axe: AxeBuilder, what: string): Promise<void> {
  // A card that fades in for 150 ms is looked at when it stands; what turns until something ends is not waited for.
  const passing = `document.getAnimations().filter(({ playState, effect }) =>
    playState === 'running' && effect.getComputedTiming().endTime !== Infinity).length`;
  await expect.poll(async () => await page.evaluate(passing), { intervals: [0, 50] }).toBe(0);
  const { violations } = await axe.analyze();
  const told = violations.map(
    ({ id, nodes }) => `${what}: ${id} at ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
  expect(told).toEqual([]);
}
