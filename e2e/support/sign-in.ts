import type { BrowserContext, Page } from '@playwright/test';
import { loginApi, testPassword } from '@sluice/testing';
import { expect } from './test.ts';

export async function logIn(page: Page, username = 'admin', password = testPassword): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

/** Ends the session on the server as an administrator's click would; the page does not know yet. */
export async function endSession(context: BrowserContext, base: string): Promise<void> {
  const cookies = await context.cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const csrf = cookies.find(({ name }) => name === 'csrf-token')?.value ?? '';
  const api = await loginApi(base, 'admin', testPassword);
  const answer = await api.call('POST', '/api/v1/auth/logout', undefined, { cookie, 'x-csrf-token': csrf });
  expect(answer.status).toBe(204);
}
