import type { Locator, Page } from '@playwright/test';
import { type Api, loginApi, testPassword, waitUntilCached } from '@sluice/testing';
import { z } from 'zod';
import { expect } from './test.ts';

/** The production domain of the sandbox and its first company. */
export const levels = 'sandbox-erp/domains/production/companies/UTR';
export const apiPath = (resource: string): string => `/api/v1/data/${levels}/${resource}`;

/** The administrator reads English and the tables of a file are there before its first test. */
export async function prepare(
  base: string,
  resources: readonly string[],
  timeoutMs = 180_000,
): Promise<void> {
  const api = await loginApi(base, 'admin', testPassword);
  await setPreference(api, 'language', 'EN');
  for (const resource of resources) await waitUntilCached(api, apiPath(resource), timeoutMs);
}

export async function setPreference(api: Api, path: string, value: unknown): Promise<void> {
  await api.send('PATCH', '/api/v1/user/userprefs', [{ op: 'replace', path, value }], z.unknown());
}

export async function openTable(page: Page, base: string, resource: string): Promise<Locator> {
  await page.goto(`${base}/data/${levels}/${resource}`);
  const grid = page.getByRole('grid');
  await expect(page.locator('[role=row][aria-rowindex="2"] [role=gridcell]').first()).not.toBeEmpty();
  return grid;
}

/** An entry of the menu with the three dots beside the title. */
export async function openMore(page: Page, entry: string): Promise<void> {
  await page.getByRole('button', { name: 'More of this table' }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}

/** Its title is the name, followed by the help text where there is one. */
export const header = (page: Page, column: string): Locator =>
  page.locator(`[role=columnheader][title="${column}"], [role=columnheader][title^="${column}: "]`);

/** A cell by the shown row number and the column's name; the column has to be in sight. */
export async function cell(page: Page, row: number, column: string): Promise<Locator> {
  const index = await header(page, column).getAttribute('aria-colindex');
  return page.locator(`[role=row][aria-rowindex="${row + 1}"] [role=gridcell][aria-colindex="${index}"]`);
}

/** The cell that the grid tells assistive technology is the active one, whichever that is when it is looked at. */
export const activeCell = (page: Page): Locator =>
  page.locator('xpath=//*[@id = //textarea[contains(@class, "sg-input")]/@aria-activedescendant]');

/** The sandbox asked directly by HTTP, past Sluice. */
export async function erp(
  sandboxUrl: string | null,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${sandboxUrl}/odata/production/Companies('NL01')/${path}`, {
    method,
    headers: {
      authorization: `Basic ${btoa('sandbox:sandbox')}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    body: (await response.json().catch(() => ({}))) as Record<string, unknown>,
  };
}

/** Drops all that is pending in a table, so that the next test begins with the ERP's values. */
export const discardAll = async (api: Api, resource: string): Promise<void> =>
  await discardAllAt(api, apiPath(resource));

/** The same of a table by its API path. */
export async function discardAllAt(api: Api, table: string): Promise<void> {
  const { resources } = await api.get(
    `${table}/pending`,
    z.object({
      resources: z.array(z.object({ operation: z.object({ id: z.string(), action: z.string() }) })),
    }),
  );
  const ids = (action: string): string[] =>
    resources.filter(({ operation }) => operation.action === action).map(({ operation }) => operation.id);
  if (resources.length === 0) return;
  await api.send(
    'DELETE',
    `${table}/push`,
    { insert: ids('add'), update: ids('update'), delete: ids('delete') },
    z.unknown(),
  );
}
