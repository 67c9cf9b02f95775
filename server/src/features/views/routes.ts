import * as contract from '@sluice/contract';
import type { Router } from '../../platform/http.ts';
import type { RecordServices } from '../records/service.ts';
import { readTableNote, writeTableNote } from './documentation.ts';
import * as views from './service.ts';

export function viewRoutes(router: Router, services: RecordServices): void {
  router.handle(contract.listViews, async ({ actor, params }) => ({
    resources: await views.listViews(services, actor, params.collection),
  }));
  router.handle(contract.createView, async ({ actor, params, body, reply }) => {
    const resource = await views.createView(services, actor, params.collection, body);
    reply.status(201);
    return { resource };
  });
  router.handle(contract.updateView, async ({ actor, params, body }) => ({
    resource: await views.updateView(services, actor, params.collection, params.viewId, body),
  }));
  router.handle(
    contract.deleteView,
    async ({ actor, params }) => await views.deleteView(services, actor, params.collection, params.viewId),
  );
  router.handle(contract.getDocumentation, async ({ actor, params }) => ({
    resource: await readTableNote(services, actor, params.collection),
  }));
  router.handle(contract.updateDocumentation, async ({ actor, params, body }) => ({
    resource: await writeTableNote(services, actor, params.collection, body),
  }));
}
