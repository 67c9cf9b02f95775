import * as contract from '@sluice/contract';
import type { Router } from '../../platform/http.ts';
import * as cache from '../cache/service.ts';
import { checkExport, exportFile } from './export.ts';
import * as records from './service.ts';

export function recordRoutes(router: Router, services: records.RecordServices & cache.CacheServices): void {
  router.handle(contract.getRecords, async ({ actor, params, query, request, reply }) => {
    const isColumns = (request.headers.accept ?? '').includes(contract.columnsMediaType);
    const answer = await records.getRecords(
      services,
      actor,
      params.collection,
      query,
      isColumns ? 'columns' : 'objects',
    );
    if (isColumns) reply.type(`${contract.columnsMediaType}; charset=utf-8`);
    return answer;
  });
  router.handle(contract.exportRecords, async ({ actor, params, query, reply }) => {
    const { stream, name, mediaType } = await exportFile(services, actor, params.collection, query);
    reply.header('content-disposition', `attachment; filename="${name}"`).type(mediaType);
    return stream;
  });
  router.handle(
    contract.checkExport,
    async ({ actor, params, query }) => await checkExport(services, actor, params.collection, query),
  );
  router.handle(contract.getRecord, async ({ actor, params, query }) => {
    if (query.live) await cache.rereadRecord(services, actor, params.collection, records.ridOf(params.id));
    return await records.getRecord(services, actor, params.collection, params.id, query.metadata);
  });
  router.handle(
    contract.getAttributes,
    async ({ actor, params, query }) => await cache.listAttributes(services, actor, params.collection, query),
  );
  router.handle(
    contract.getCacheState,
    async ({ actor, params }) => await cache.cacheState(services, actor, params.collection),
  );
  router.handle(
    contract.refreshCache,
    async ({ actor, params }) => await cache.wantRefresh(services, actor, params.collection),
  );
}
