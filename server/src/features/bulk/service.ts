import { type BodyOf, type bulk as bulkEndpoint, maxBulkRows, type ReplyOf } from '@sluice/contract';
import type { UserActor } from '../../platform/actor.ts';
import { mutate, type Tx } from '../../platform/mutate.ts';
import { deleteRecords, type EditOptions, type PendingServices } from '../pending/service.ts';
import { type CollectionContext, openCached, requireRightToEdit } from '../records/context.ts';
import type { RecordServices } from '../records/service.ts';
import { columnAt } from '../records/column-at.ts';
import { shownTo } from '../records/shown.ts';
import { type Chosen, chooseRows } from './chosen.ts';
import {
  calculateValues,
  type Command,
  numberColumns,
  parseSet,
  replaceTexts,
  setValues,
} from './commands.ts';
import { refuseIncompatible, replacerOf } from './replace.ts';
import { revertChanges } from './revert.ts';
import { skip, type Skips } from './skips.ts';
import { countInvalid, type Done, lockPart, type Part } from './stage.ts';

export type BulkServices = RecordServices & PendingServices;

type BulkReply = ReplyOf<typeof bulkEndpoint>;

/** One part of a command over chosen records; the caller comes back with `next` until there is none. */
export async function runBulk(
  services: BulkServices,
  actor: UserActor,
  path: string,
  body: BodyOf<typeof bulkEndpoint>,
  options: EditOptions,
): Promise<BulkReply> {
  const context = await openCached(services, actor, path);
  const { command } = body;
  // What a person changed himself he may always take back (decisions Q-PEND-12).
  if (command.kind !== 'revert' && command.kind !== 'delete') requireRightToEdit(context, true);
  const chosen = chooseRows(services.snapshots, context.model, body.rows);
  const rids = chosen.part(body.next, maxBulkRows);
  const done = body.next + rids.length;
  const result =
    command.kind === 'delete'
      ? await deletePart(services, actor, path, rids, options)
      : await changePart(
          services,
          actor,
          context,
          { command, rids, chosen, isFirst: body.next === 0 },
          options,
        );
  return { ...result, total: chosen.total, done, next: done < chosen.total ? done : null };
}

type PartReply = Omit<BulkReply, 'total' | 'done' | 'next'>;

async function changePart(
  services: BulkServices,
  actor: UserActor,
  context: CollectionContext,
  {
    command,
    rids,
    chosen,
    isFirst,
  }: { command: Exclude<Command, { kind: 'delete' }>; rids: number[]; chosen: Chosen; isFirst: boolean },
  options: EditOptions,
): Promise<PartReply> {
  const { model } = context;
  const work = await prepare(services, actor, context, command, isFirst ? chosen : null);
  return await mutate(
    { pool: services.pool, actor },
    `records.bulk.${command.kind}`,
    { endpoint: context.endpoint, action: 'read' },
    async (tx: Tx) => {
      const skips: Skips = {};
      const locked = await lockPart(tx, model, rids, skips);
      const isNew =
        locked.clean.length === 0 && [...locked.pending.values()].every(({ action }) => action === 'i');
      if (command.kind !== 'revert') requireRightToEdit(context, isNew);
      const done = await work({ tx, context, actor, services, options, skips, ...locked });
      tx.audit(`collection:${model.collectionId}`, {
        editId: done.editId,
        records: done.changed.length,
        cells: done.cells,
      });
      return {
        editId: done.changed.length > 0 ? done.editId : (options.editId ?? null),
        changedRecords: done.changed.length,
        changedCells: done.cells,
        skipped: done.skips,
        invalid: await countInvalid(tx, model, done.changed),
      };
    },
  );
}

/** Checks what can be checked before a row is locked; answers the work itself. */
async function prepare(
  services: BulkServices,
  actor: UserActor,
  context: CollectionContext,
  command: Exclude<Command, { kind: 'delete' }>,
  all: Chosen | null,
): Promise<(part: Part) => Promise<Done>> {
  const { model } = context;
  switch (command.kind) {
    case 'set': {
      const values = parseSet(context, command);
      return async (part) => await setValues(part, values);
    }
    case 'calculate': {
      const columns = numberColumns(context, command);
      return async (part) => await calculateValues(part, columns, command);
    }
    case 'replace': {
      const replacer = replacerOf(model, command.find, command.replacement, await shownTo(services, actor));
      if (all) await refuseIncompatible(services.pool, model, replacer, all);
      return async (part) => await replaceTexts(part, replacer);
    }
    case 'revert': {
      const columns = command.fields?.map((field) => columnAt(model, field, 'command.fields')) ?? null;
      return async (part) => await revertChanges(part, columns);
    }
  }
}

async function deletePart(
  services: BulkServices,
  actor: UserActor,
  path: string,
  rids: readonly number[],
  options: EditOptions,
): Promise<PartReply> {
  const { deleted, refused, editId } = await deleteRecords(services, actor, path, rids.map(String), options);
  const skips: Skips = {};
  for (const { reason } of refused) skip(skips, reason);
  skip(skips, 'pendingDelete', rids.length - deleted - refused.length);
  return {
    editId: editId ?? options.editId ?? null,
    changedRecords: deleted,
    changedCells: 0,
    skipped: skips,
    invalid: 0,
  };
}
