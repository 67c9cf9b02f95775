import { randomUUID } from 'node:crypto';
import type { FieldError, PendingReply, Value } from '@sluice/contract';
import type { UserActor } from '../../platform/actor.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate, type Tx } from '../../platform/mutate.ts';
import { type CollectionModel, isSameText } from '../cache/model.ts';
import { type CollectionContext, openCached, requireRight } from '../records/context.ts';
import { currentTexts, imagesOf, lockRids, nextRevision } from './apply.ts';
import { type CellTexts, textsOfChanges, throwFaults } from './changes.ts';
import { keepNames, takeNames } from './insert-names.ts';
import { insertRows } from './insert-rows.ts';
import * as journal from './journal.ts';
import { stage } from './patch.ts';
import { revalidateSharing } from './revalidate.ts';
import { beginEdit, type EditOptions, type PendingServices, publishRows, replyOf } from './service.ts';

/** A record to add; `name`: what its caller calls it, so that it is not added again. */
interface Wanted {
  name: string | null;
  texts: CellTexts;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** New records, pending until they are pushed. */
export async function insertRecords(
  services: PendingServices,
  actor: UserActor,
  path: string,
  body: readonly Record<string, Value>[],
  options: EditOptions,
): Promise<PendingReply> {
  const context = await openCached(services, actor, path);
  requireRight(context, 'create');
  const { model } = context;
  const faults: Omit<FieldError, 'message'>[] = [];
  const wanted = body.map((record, index): Wanted => {
    const { internalId } = record;
    return {
      name: typeof internalId === 'string' && uuidPattern.test(internalId) ? internalId.toLowerCase() : null,
      texts: textsOfChanges(model, record, { place: `[${index}].`, isNew: true }, faults),
    };
  });
  throwFaults(faults);
  const names = wanted.flatMap(({ name }) => (name === null ? [] : [name]));
  if (new Set(names).size < names.length)
    throw new AppError('MALFORMED', {
      text: { key: 'error.MALFORMED', params: { reason: 'internalId names two records' } },
    });
  return await mutate(
    { pool: services.pool, actor },
    'records.insert',
    { endpoint: context.endpoint, action: 'read' },
    async (tx) => {
      const taken = await takeNames(tx, model.collectionId, actor.userId, names);
      const earlier = wanted.flatMap(({ name, texts }) => {
        const known = name === null ? undefined : taken.get(name);
        return known ? [{ ...known, texts }] : [];
      });
      const { there, differing } = await compare(tx, model, earlier);
      const ridOf = ({ name }: Wanted): number | undefined => {
        const rid = name === null ? undefined : taken.get(name)?.rid;
        return rid !== undefined && there.has(rid) ? rid : undefined;
      };
      const fresh = wanted.filter((record) => ridOf(record) === undefined);
      // Nothing is left to do: the call came again, and the step is the one that it began.
      const isRepeated = fresh.length === 0 && differing.size === 0;
      const editId = (isRepeated ? earlier[0]?.editId : options.editId) ?? randomUUID();
      if (differing.size > 0) {
        const seen = new Map<number, number>();
        const batch = { wanted: differing, seen, faults, options: { kind: 'add', ...options, editId } };
        await stage(tx, services, actor, context, batch);
      }
      const added = await add(tx, services, actor, context, fresh, { ...options, editId });
      tx.audit(`collection:${model.collectionId}`, { editId, records: added.length });
      const rids = wanted.map((record) => ridOf(record) ?? added.shift() ?? 0);
      return await replyOf(tx, actor, model, rids, [], editId);
    },
  );
}

/** Which of the records that were added before are still there, and what is to be another value in them. */
async function compare(
  tx: Tx,
  model: CollectionModel,
  earlier: readonly { rid: number; texts: CellTexts }[],
): Promise<{ there: ReadonlySet<number>; differing: Map<number, CellTexts> }> {
  const differing = new Map<number, CellTexts>();
  if (earlier.length === 0) return { there: new Set(), differing };
  const rids = earlier.map(({ rid }) => rid);
  await lockRids(tx, model, rids);
  const fnos = [...new Set(earlier.flatMap(({ texts }) => [...texts.keys()]))];
  const current = await currentTexts(tx, model, rids, fnos);
  for (const { rid, texts } of earlier) {
    const now = current.get(rid);
    if (!now) continue;
    const others = [...texts].filter(
      ([fno, text]) => !isSameText(model.byFno.get(fno)?.pgType ?? 'text', now.get(fno) ?? null, text),
    );
    if (others.length > 0) differing.set(rid, new Map(others));
  }
  return { there: new Set(current.keys()), differing };
}

/** Adds records as one step of the journal; answers their row ids. */
async function add(
  tx: Tx,
  services: PendingServices,
  actor: UserActor,
  context: CollectionContext,
  fresh: readonly Wanted[],
  options: EditOptions,
): Promise<number[]> {
  if (fresh.length === 0) return [];
  const { model } = context;
  const editId = await beginEdit(tx, context, actor, options, 'add');
  const author = { userId: actor.userId, at: services.now(), revision: await nextRevision(tx) };
  const rids = await insertRows(
    tx,
    model,
    author,
    fresh.map(({ texts }) => ({ rid: null, texts })),
  );
  await keepNames(
    tx,
    model.collectionId,
    actor.userId,
    editId,
    fresh.flatMap(({ name }, index) => (name === null ? [] : [{ name, rid: rids[index] ?? 0 }])),
  );
  const images = await imagesOf(tx, model, rids);
  await journal.addRows(
    tx,
    editId,
    rids.map((rid) => ({ rid, kind: 'add', before: null, after: images.get(rid) ?? null })),
  );
  publishRows(tx, model, await revalidateSharing(tx, model, rids, []));
  return rids;
}
