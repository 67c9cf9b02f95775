import * as contract from '@sluice/contract';
import type { Router } from '../../platform/http.ts';
import type { PendingServices } from '../pending/service.ts';
import { listTablePushes, readHistory } from './service.ts';
import { takePushBack } from './undo-push.ts';

export function historyRoutes(router: Router, services: PendingServices): void {
  router.handle(
    contract.getHistory,
    async ({ actor, params, query }) =>
      await readHistory(services, actor, params.collection, params.id, query),
  );
  router.handle(
    contract.listPushes,
    async ({ actor, params, query }) => await listTablePushes(services, actor, params.collection, query),
  );
  router.handle(
    contract.undoPush,
    async ({ actor, params, body }) =>
      await takePushBack(services, actor, params.collection, params.pushId, body.ids),
  );
}
