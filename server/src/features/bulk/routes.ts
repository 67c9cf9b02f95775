import * as contract from '@sluice/contract';
import type { Router } from '../../platform/http.ts';
import { getChosenPending } from './chosen-pending.ts';
import { listDuplicates } from './duplicates.ts';
import { findCell, type FindServices } from './find.ts';
import { runBulk } from './service.ts';
import { listDistinct, lookUp } from './values.ts';

export function bulkRoutes(router: Router, services: FindServices): void {
  router.handle(
    contract.bulk,
    async ({ actor, params, query, body }) => await runBulk(services, actor, params.collection, body, query),
  );
  router.handle(
    contract.find,
    async ({ actor, params, body }) => await findCell(services, actor, params.collection, body),
  );
  router.handle(
    contract.distinct,
    async ({ actor, params, body }) => await listDistinct(services, actor, params.collection, body),
  );
  router.handle(
    contract.lookup,
    async ({ actor, params, body }) => await lookUp(services, actor, params.collection, body),
  );
  router.handle(
    contract.getChosenPending,
    async ({ actor, params, body }) => await getChosenPending(services, actor, params.collection, body),
  );
  router.handle(
    contract.getDuplicates,
    async ({ actor, params, query }) => await listDuplicates(services, actor, params.collection, query),
  );
}
