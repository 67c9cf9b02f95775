import { type Run, runSchema } from '@sluice/contract';
import { type Api, waitFor } from '@sluice/testing';
import { z } from 'zod';

const created = z.object({ internalId: z.string() });
const revised = z.object({ resource: z.looseObject({ revision: z.number() }) });
const started = z.object({ run: runSchema });

/** Of a connector. */
export interface End {
  id: string;
  levelIds: string[];
}

/** Makes a connector; answers its API path. */
export async function makeConnector(api: Api, name: string, source: End, target: End): Promise<string> {
  const body = { name, sourceSystem: source, targetSystem: target };
  return `/api/v1/connectors/${(await api.send('POST', '/api/v1/connectors', body, created)).internalId}`;
}

/** Makes an action from one collection to another with its mappings; answers its API path. */
export async function makeAction(
  api: Api,
  connector: string,
  { name, source, target, mappings }: { name: string; source: string; target: string; mappings: object[] },
): Promise<string> {
  const end = (id: string) => ({ optionId: id, path: '', resourceTypeUriId: id });
  const wiring = { targets: [end(target)], sources: [end(source)] };
  const action = await api.send('POST', `${connector}/actions`, { name, wiring }, created);
  const path = `${connector}/actions/${action.internalId}`;
  const { resource } = await api.get(path, revised);
  await api.send('PATCH', path, { changes: { mappings }, revision: resource.revision }, revised);
  return path;
}

/** A manual run to its end; `body` narrows it. */
export async function runAction(api: Api, action: string, body: object = {}): Promise<Run> {
  let { run } = await api.send('POST', `${action}/manual-run`, body, started);
  await waitFor(
    'the run to end',
    async () => {
      run = (await api.get(`${action}/runs/${run.internalId}`, z.object({ resource: runSchema }))).resource;
      return run.finishedAt !== null;
    },
    300_000,
  );
  return run;
}

/** The mapping of one source field through functions. */
export const fromField = (sourceOptionId: string, field: string, transformFns: object[] = []): object[] => [
  { sourceOptionId, source: { type: 'sourceValue', field }, transformFns },
];
