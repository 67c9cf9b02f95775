import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect } from './test.ts';

/** WCAG 2.2 AA by axe: nothing found. `what` names the place in the failure. */
export async function expectNoViolations(page: Page, what = 'page'): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .analyze();
  const told = violations.map(
    ({ id, nodes }) => `${what}: ${id} at ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
  expect(told).toEqual([]);
}
