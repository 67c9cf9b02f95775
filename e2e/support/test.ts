import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Page, test as base } from '@playwright/test';
import {
  type Api,
  loginApi,
  type RunningProduct,
  skipHints,
  startProductMain,
  testPassword,
} from '@sluice/testing';

/** Nobody answers there: a link is enough. */
export const helpUrl = 'http://127.0.0.1:9/help';

interface WorkerFixtures {
  /** Records of the sandbox's biggest table. */
  journalEntries: number;
  /** A folder that the product may read files from. */
  fileRoot: string;
  /** The product as `npm start` runs it, one for all tests of a worker. */
  product: RunningProduct;
}
interface TestFixtures {
  /** The API as the administrator, for arranging and checking past the screen. */
  api: Api;
  /** A page logged in as the administrator. */
  page: Page;
}

/** Tests get a running product; its first start also builds the screens. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  journalEntries: [100_000, { scope: 'worker', option: true }],
  fileRoot: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads from it which fixtures are needed
    async ({}, use) => {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sluice-files-'));
      await use(folder);
      fs.rmSync(folder, { recursive: true });
    },
    { scope: 'worker' },
  ],
  product: [
    async ({ journalEntries, fileRoot }, use) => {
      const product = await startProductMain({
        env: {
          SLUICE_SANDBOX_JOURNAL_ENTRIES: String(journalEntries),
          SLUICE_HELP_URL: helpUrl,
          SLUICE_FILE_ROOTS: fileRoot,
        },
        timeoutMs: 150_000 + journalEntries * 0.3,
      });
      await use(product);
      await product.remove();
    },
    // Longer than the start of a million: what is late there says so itself.
    { scope: 'worker', timeout: 900_000 },
  ],
  baseURL: async ({ product }, use) => await use(product.base),
  api: async ({ product }, use) => await use(await loginApi(product.base, 'admin', testPassword)),
  page: async ({ page, product }, use) => {
    await loginPage(page, product.base);
    await use(page);
  },
});

/** Logs in by the cookie of an API login: the login screen has tests of its own. */
export async function loginPage(page: Page, baseUrl: string, username = 'admin'): Promise<Api> {
  const api = await loginApi(baseUrl, username, testPassword);
  const cookies = api
    .cookie()
    .split('; ')
    .map((pair) => {
      const at = pair.indexOf('=');
      return { name: pair.slice(0, at), value: pair.slice(at + 1), url: baseUrl };
    });
  await skipHints(api);
  await page.context().addCookies(cookies);
  return api;
}

export { expect } from '@playwright/test';
