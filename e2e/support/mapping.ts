import type { Locator, Page } from '@playwright/test';
import type { Api } from '@sluice/testing';
import { z } from 'zod';

const created = z.object({ internalId: z.string() });
const optionSchema = z.looseObject({ id: z.string(), path: z.string(), resourceTypeUriId: z.string() });
const systemsSchema = z.object({
  resources: z.array(
    z.object({
      id: z.string(),
      url: z.string(),
      systemLevelOptions: z.array(
        z.object({
          internalId: z.string(),
          uriAcronym: z.string(),
          children: z.array(z.object({ internalId: z.string(), uriAcronym: z.string() })),
        }),
      ),
    }),
  ),
});

export interface EditedAction {
  connectorId: string;
  actionId: string;
  /** API path. */
  path: string;
  /** Of the page. */
  url: string;
}

export const actionReply = z.object({
  resource: z.looseObject({
    revision: z.number(),
    version: z.number(),
    mappings: z.array(
      z.looseObject({
        targetField: z.string(),
        mappingSources: z.array(
          z.looseObject({
            source: z.looseObject({ type: z.string() }),
            transformFns: z.array(z.looseObject({ fnId: z.string() })),
          }),
        ),
      }),
    ),
    triggers: z.array(z.looseObject({ name: z.string(), conditions: z.array(z.looseObject({})) })),
    sourceUpdateConfigs: z.looseObject({}),
  }),
});

/** A connector between tables of the sandbox, with an action that has no mappings yet; `more` are further sources. */
export async function makeAction(
  api: Api,
  source: string,
  target: string,
  more: readonly string[] = [],
): Promise<EditedAction> {
  const { resources } = await api.get('/api/v1/user/external-systems?limit=-1&offset=0', systemsSchema);
  const system = resources.find(({ url }) => url === 'sandbox-erp');
  const domain = system?.systemLevelOptions.find(({ uriAcronym }) => uriAcronym === 'production');
  const company = domain?.children.find(({ uriAcronym }) => uriAcronym === 'UTR');
  if (!system || !domain || !company) throw new Error('the sandbox is not there');
  const end = { id: system.id, levelIds: [domain.internalId, company.internalId] };
  const connector = await api.send(
    'POST',
    '/api/v1/connectors',
    { name: `${source} to ${target}`, sourceSystem: end, targetSystem: end },
    created,
  );
  const base = `/api/v1/connectors/${connector.internalId}`;
  const options = await api.get(
    `${base}/action-options`,
    z.object({ targetOptions: z.array(optionSchema), sourceOptions: z.array(optionSchema) }),
  );
  const wired = (list: z.infer<typeof optionSchema>[], id: string) => {
    const option = list.find((one) => one.id === id) ?? list.find((one) => one.id.endsWith(id));
    if (!option) throw new Error(`no ${id} among ${list.map((one) => one.id).join(', ')}`);
    return { optionId: option.id, path: option.path, resourceTypeUriId: option.resourceTypeUriId };
  };
  const wiring = {
    targets: [wired(options.targetOptions, target)],
    sources: [source, ...more].map((id) => wired(options.sourceOptions, id)),
  };
  const action = await api.send(
    'POST',
    `${base}/actions`,
    { name: `${source} as ${target}`, wiring },
    created,
  );
  return {
    connectorId: connector.internalId,
    actionId: action.internalId,
    path: `${base}/actions/${action.internalId}`,
    url: `/connectors/${connector.internalId}/actions/${action.internalId}/mappings-triggers`,
  };
}

const fileSchema = z.looseObject({ actions: z.array(z.looseObject({})) });

/** A second connector, made of the file of an action's own with other mappings. */
export async function importChanged(
  api: Api,
  action: EditedAction,
  mappings: object[],
): Promise<EditedAction> {
  const base = `/api/v1/connectors/${action.connectorId}`;
  const file = await api.get(`${base}/export`, fileSchema);
  const { resource } = await api.get(
    base,
    z.object({ resource: z.object({ sourceSystem: z.unknown(), targetSystem: z.unknown() }) }),
  );
  const made = await api.send(
    'POST',
    '/api/v1/connectors/import',
    { file: { ...file, actions: file.actions.map((one) => ({ ...one, mappings })) }, ...resource },
    created.extend({ internalIds: z.array(z.string()) }),
  );
  const actionId = made.internalIds[0] ?? '';
  return {
    connectorId: made.internalId,
    actionId,
    path: `/api/v1/connectors/${made.internalId}/actions/${actionId}`,
    url: `/connectors/${made.internalId}/actions/${actionId}/mappings-triggers`,
  };
}

export async function openEditor(page: Page, base: string, action: EditedAction): Promise<void> {
  await page.goto(base + action.url);
  await page.getByRole('tab', { name: 'Mappings' }).waitFor();
}

/** A field in the editor's list. */
export const targetField = (page: Page, name: string): Locator =>
  page.locator('button.tg.row').filter({ has: page.locator('.trunc').getByText(name, { exact: true }) });

/** Chooses a source field for a field that has none yet. */
export async function mapField(page: Page, target: string, source: string): Promise<void> {
  await targetField(page, target).click();
  await page.getByRole('combobox', { name: 'Choose a source field' }).fill(source);
  await page.getByRole('option').filter({ hasText: source }).first().click();
}

export async function addFunction(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add function' }).last().click();
  await page.getByRole('combobox', { name: 'Find a function' }).fill(name);
  await page.keyboard.press('Enter');
}

export async function saveMappings(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Unsaved', { exact: true }).waitFor({ state: 'hidden' });
}
