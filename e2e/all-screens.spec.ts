import fs from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { loginApi, tableOf, testPassword } from '@sluice/testing';
import { z } from 'zod';
import { expectNoViolationsInBothThemes } from './support/axe.ts';
import { type EditedAction, makeAction } from './support/mapping.ts';
import { apiPath, discardAll, levels, prepare, setPreference } from './support/table.ts';
import { expect, test } from './support/test.ts';

/** What the addresses of screens name. */
interface Things {
  action: EditedAction;
  domainId: string;
  roleId: string;
  /** Path and fragment. */
  invitation: string;
}

interface Screen {
  /** As web/src/app/router.tsx writes it. */
  route: string;
  path: (things: Things) => string;
  /** Its heading, in English and Dutch. */
  heading: readonly [RegExp, RegExp];
  /** What is there only when its data is: a selector that knows no language. */
  data: string;
  isAnonymous?: true;
}

const cells = '[role=row][aria-rowindex="2"] [role=gridcell]:not(:empty)';
const rows = 'tbody tr';
const field = 'main input';
const systems = '/manage/systems/$systemId/domains';
const actions = '/connectors/$connectorId/actions';
const connector = ({ action }: Things): string => `/connectors/${action.connectorId}`;
const domains = '/manage/systems/sandbox-erp/domains';
const data = (rest: string) => (): string => `/data/${levels}/${rest}`;

const screens: readonly Screen[] = [
  {
    route: '/login',
    path: () => '/login',
    heading: [/Log in/, /Inloggen/],
    data: field,
    isAnonymous: true,
  },
  {
    route: '/forgot-password',
    path: () => '/forgot-password',
    heading: [/Forgot Password/, /Wachtwoord/],
    data: '.lcard',
    isAnonymous: true,
  },
  {
    route: '/set-password',
    path: ({ invitation }) => invitation,
    heading: [/Welcome/, /Welkom/],
    data: field,
    isAnonymous: true,
  },
  {
    route: '/auth/$provider/callback',
    path: () => '/auth/business/callback?state=x&code=y',
    heading: [/Error/, /Fout/],
    data: '.btn',
    isAnonymous: true,
  },
  { route: '/dashboard/$', path: () => '/dashboard', heading: [/Dashboard/, /Dashboard/], data: rows },
  ...(['user-preferences', 'language-and-region', 'notifications'] as const).map((tab): Screen => ({
    route: '/settings/$tab',
    path: () => `/settings/${tab}`,
    heading: [/Settings/, /Instellingen/],
    data: 'main fieldset, main .set-notify',
  })),
  { route: '/data/$', path: data('customers'), heading: [/Customers/, /Klanten/], data: cells },
  {
    route: '/data/$',
    path: data('customers/new'),
    heading: [/New Record/, /Nieuw/],
    data: field,
  },
  { route: '/data/$', path: data('customers/1/edit'), heading: [/B.V./, /B.V./], data: field },
  {
    route: '/data/$',
    path: data('customers/new?copyFrom=1'),
    heading: [/Copy/, /Kopie/],
    data: field,
  },
  {
    route: '/data/$',
    path: data('customers/duplicates'),
    heading: [/Duplicates in/, /Dubbele/],
    data: 'main h2',
  },
  {
    route: '/data/$',
    path: data('attribute-values'),
    heading: [/Attribute/, /ttribu/],
    data: 'main a[href]',
  },
  { route: '/nope', path: () => '/nope', heading: [/Error 404/, /Fout 404/], data: '.btn' },
  { route: '/account', path: () => '/account', heading: [/Password/, /Wachtwoord/], data: field },
  { route: '/manage/systems', path: () => '/manage/systems', heading: [/Systems/, /systemen/], data: rows },
  { route: systems, path: () => domains, heading: [/Domains of/, /Domeinen van/], data: rows },
  {
    route: `${systems}/new`,
    path: () => `${domains}/new`,
    heading: [/New Domain/, /Nieuw domein/],
    data: field,
  },
  {
    route: `${systems}/$domainId/edit`,
    path: ({ domainId }) => `${domains}/${domainId}/edit`,
    heading: [/Production/, /Production/],
    data: field,
  },
  {
    route: `${systems}/$domainId/companies`,
    path: ({ domainId }) => `${domains}/${domainId}/companies`,
    heading: [/Companies of/, /Bedrijven van/],
    data: rows,
  },
  { route: '/manage/users', path: () => '/manage/users', heading: [/Users/, /Gebruikers/], data: rows },
  { route: '/manage/roles', path: () => '/manage/roles', heading: [/Roles/, /Rollen/], data: rows },
  { route: '/manage/roles/new', path: () => '/manage/roles/new', heading: [/New Role/, /rol/], data: rows },
  {
    route: '/manage/roles/$roleId/edit',
    path: ({ roleId }) => `/manage/roles/${roleId}/edit`,
    heading: [/Role/, /Rol/],
    data: rows,
  },
  { route: '/manage/audit', path: () => '/manage/audit', heading: [/Audit/, /log/], data: rows },
  { route: '/connectors', path: () => '/connectors', heading: [/Connectors/, /Connectors/], data: rows },
  {
    route: '/connectors/new',
    path: () => '/connectors/new',
    heading: [/New Connector/, /Nieuwe connector/],
    data: field,
  },
  {
    route: '/connectors/$connectorId/edit',
    path: (things) => `${connector(things)}/edit`,
    heading: [/Edit Connector customers to suppliers/, /customers to suppliers/],
    data: field,
  },
  {
    route: '/connectors/$connectorId/copy',
    path: (things) => `${connector(things)}/copy`,
    heading: [/Copy/, /opi/],
    data: field,
  },
  {
    route: actions,
    path: (things) => `${connector(things)}/actions`,
    heading: [/customers to suppliers/, /customers to suppliers/],
    data: rows,
  },
  {
    route: `${actions}/new`,
    path: (things) => `${connector(things)}/actions/new`,
    heading: [/New Action of customers to suppliers/, /customers to suppliers/],
    data: field,
  },
  {
    route: `${actions}/copy`,
    path: (things) => `${connector(things)}/actions/copy`,
    heading: [/Copy/, /opi/],
    data: 'main fieldset li input',
  },
  {
    route: `${actions}/$actionId/edit`,
    path: (things) => `${connector(things)}/actions/${things.action.actionId}/edit`,
    heading: [/Edit Action customers as suppliers/, /customers as suppliers/],
    data: field,
  },
  {
    route: `${actions}/$actionId/mappings-triggers`,
    path: ({ action }) => action.url,
    heading: [/customers as suppliers/, /customers as suppliers/],
    data: '.sugg li',
  },
];

/** They lead on at once, and show nothing. */
const leadingOn = ['/', '/redirect', '/settings'];

test.use({ journalEntries: 1000 });

let things: Things | null = null;

const listed = z.object({
  resources: z.array(z.looseObject({ internalId: z.string(), name: z.string() })),
});
const invited = z.object({ invitation: z.object({ path: z.string() }) });

/** Something of everything: a push that is done, a pending change, somebody invited, a connector with an action. */
test.beforeAll(async ({ product }) => {
  await prepare(product.base, ['customers', 'suppliers']);
  const api = await loginApi(product.base, 'admin', testPassword);
  const { resources: domainsThere } = await api.get(`/api/v1${domains}`, listed);
  const [role] = (await api.get('/api/v1/manage/roles', listed)).resources;
  const user = {
    fullName: 'Wil Komt',
    username: 'wil',
    email: null,
    identityProviderUsername: null,
    isActive: true,
    isSuperuser: false,
    defaultCompanyId: '00000000-0000-0000-0000-000000000000',
    roleIds: [role?.internalId],
    customRights: [],
    externalSystemRights: [],
  };
  const { invitation } = await api.send('POST', '/api/v1/manage/users', user, invited);
  const table = tableOf(api, apiPath('customers'));
  const [pushed, pending] = await table.find('limit=2');
  await table.patch([{ id: pushed?.internalId ?? '', changes: { name: 'Pushed B.V.' } }]);
  await table.pushAll();
  await table.patch([{ id: pending?.internalId ?? '', changes: { name: 'Pending B.V.' } }]);
  things = {
    action: await makeAction(api, 'customers', 'suppliers'),
    domainId: domainsThere.find(({ name }) => name === 'Production')?.internalId ?? '',
    roleId: role?.internalId ?? '',
    invitation: invitation.path,
  };
});

// What is pending here is in the way of whoever counts it next.
test.afterAll(async ({ product }) => {
  await discardAll(await loginApi(product.base, 'admin', testPassword), 'customers');
});

test('every route of the product has an entry here', () => {
  const router = fs.readFileSync(path.join(import.meta.dirname, '../web/src/app/router.tsx'), 'utf8');
  const routes = [...router.matchAll(/^ {2}path: '(.+)',$/gm)].map(([, route]) => route ?? '');
  expect(routes.length).toBeGreaterThan(25);
  const known = [...screens.map(({ route }) => route), ...leadingOn];
  expect(routes.filter((route) => !known.includes(route))).toEqual([]);
});

/** One screen in both themes. */
async function look(page: Page, base: string, screen: Screen, at: 0 | 1): Promise<void> {
  if (!things) throw new Error('nothing was prepared');
  const place = screen.path(things);
  await page.goto(base + place);
  await expect(page.getByRole('heading', { level: 1 }), place).toHaveText(screen.heading[at]);
  await expect(page.locator(screen.data).first(), place).toBeAttached();
  await expectNoViolationsInBothThemes(page, place);
}

for (const [at, language, locale] of [
  [0, 'EN', 'en-GB'],
  [1, 'NL', 'nl-NL'],
] as const) {
  test(`[ROUTE-14] [ROUTE-16] every screen opens at its address with its data, and axe finds nothing, ${language}, light and dark`, async ({
    page,
    product,
    browser,
    api,
  }) => {
    test.setTimeout(600_000);
    await setPreference(api, 'language', language);
    const anonymous = await (await browser.newContext({ locale })).newPage();
    for (const screen of screens) await look(screen.isAnonymous ? anonymous : page, product.base, screen, at);
    await anonymous.context().close();
    await setPreference(api, 'language', 'EN');
  });
}
