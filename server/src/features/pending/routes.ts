import * as contract from '@sluice/contract';
import type { Router } from '../../platform/http.ts';
import { openCached } from '../records/context.ts';
import { discardOperations } from './discard.ts';
import { insertRecords } from './insert.ts';
import { listEdits } from './journal.ts';
import { listPending } from './listing.ts';
import { resolveConflicts } from './resolve.ts';
import { patchRecords } from './patch.ts';
import * as pending from './service.ts';
import { replay } from './undo.ts';

export function pendingRoutes(router: Router, services: pending.PendingServices): void {
  router.handle(
    contract.patchRecords,
    async ({ actor, params, query, body }) =>
      await patchRecords(services, actor, params.collection, body, query),
  );
  router.handle(contract.insertRecords, async ({ actor, params, query, body, reply }) => {
    reply.status(201);
    return await insertRecords(
      services,
      actor,
      params.collection,
      Array.isArray(body) ? body : [body],
      query,
    );
  });
  router.handle(contract.patchRecord, async ({ actor, params, query, body }) => {
    // `{revision, changes}` or the plain changed fields (decisions Q-API-17).
    const isWrapped =
      'changes' in body &&
      typeof body.changes === 'object' &&
      body.changes !== null &&
      !Array.isArray(body.changes);
    const changes = isWrapped
      ? (body.changes as contract.RecordChange['changes'])
      : (body as contract.RecordChange['changes']);
    const revision = isWrapped && typeof body.revision === 'number' ? body.revision : undefined;
    const reply = await patchRecords(
      services,
      actor,
      params.collection,
      [{ id: params.id, revision, changes }],
      query,
    );
    return {
      resource: reply.resources[0] ?? { internalId: params.id },
      pendingOperations: reply.pendingOperations,
    };
  });
  router.handle(contract.deleteRecord, async ({ actor, params }) => {
    await pending.deleteRecord(services, actor, params.collection, params.id);
  });
  router.handle(
    contract.deleteRecords,
    async ({ actor, params, query, body }) =>
      await pending.deleteRecords(services, actor, params.collection, body.ids, query),
  );
  router.handle(
    contract.getPending,
    async ({ actor, params, query }) => await listPending(services, actor, params.collection, query),
  );
  router.handle(
    contract.resolveConflicts,
    async ({ actor, params, body }) => await resolveConflicts(services, actor, params.collection, body),
  );
  router.handle(contract.getEdits, async ({ actor, params }) => {
    const { model } = await openCached(services, actor, params.collection);
    const edits = await listEdits(services.pool, model.collectionId, actor.userId);
    return {
      resources: edits.map((edit) => ({
        editId: edit.edit_id,
        kind: edit.kind,
        at: edit.at,
        count: edit.count,
        isUndone: edit.is_undone,
      })),
    };
  });
  router.handle(
    contract.undoEdit,
    async ({ actor, params }) => await replay(services, actor, params.collection, params.editId, 'undo'),
  );
  router.handle(
    contract.redoEdit,
    async ({ actor, params }) => await replay(services, actor, params.collection, params.editId, 'redo'),
  );
  router.handle(
    contract.discard,
    async ({ actor, params, body }) => await discardOperations(services, actor, params.collection, body),
  );
}
