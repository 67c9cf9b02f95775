import type { PendingOperations } from '@sluice/contract';
import type { UserActor } from '../../platform/actor.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate } from '../../platform/mutate.ts';
import { isSameText } from '../cache/model.ts';
import type { Cell } from '../cache/rebase.ts';
import { openCached } from '../records/context.ts';
import { operationsOf, readRows, resourceOf } from '../records/service.ts';
import {
  applyCells,
  baseOf,
  currentTexts,
  type JournalChange,
  type LockedRow,
  lockRows,
  nextRevision,
} from './apply.ts';
import type { CellTexts } from './changes.ts';
import * as journal from './journal.ts';
import { isRuled, revalidateSharing, sharersOf } from './revalidate.ts';
import { type PendingServices, publishRows } from './service.ts';
import { replayRows } from './undo-rows.ts';
import { keep, type Work } from './undo-work.ts';
import { groupOperations } from './wire.ts';

export interface UndoReply {
  resources: ReturnType<typeof resourceOf>[];
  pendingOperations: PendingOperations;
  clearedIds: string[];
  isReloadNeeded: boolean;
  removedIds: string[];
  returnedIds: string[];
  kept: Work['kept'];
}

/** Records of a step that its answer lists; more of them would be tens of megabytes that nobody looks at. */
const mostTold = 1000;

/** Takes one of the user's own steps back, or does it again; what others changed since stays and is reported. */
export async function replay(
  services: PendingServices,
  actor: UserActor,
  path: string,
  editId: string,
  direction: 'undo' | 'redo',
): Promise<UndoReply> {
  const context = await openCached(services, actor, path);
  const { model } = context;
  return await mutate(
    { pool: services.pool, actor },
    `records.${direction}`,
    { endpoint: context.endpoint, action: 'read' },
    async (tx) => {
      const edit = await journal.takeEdit(tx, editId);
      if (
        edit?.collection_id !== model.collectionId ||
        edit.user_id !== actor.userId ||
        edit.is_over ||
        edit.is_undone !== (direction === 'redo')
      ) {
        throw new AppError('NOT_FOUND');
      }
      const work: Work = {
        tx,
        model,
        actor,
        at: services.now(),
        revision: await nextRevision(tx),
        kept: [],
        touched: new Set(),
        removed: new Set(),
        returned: new Set(),
      };
      const changes = await journal.readCells(tx, editId);
      const steps = await journal.readRowSteps(tx, editId);
      const fnos = new Set(changes.map(({ fno }) => fno));
      const paths = [...fnos].flatMap((fno) => model.byFno.get(fno)?.path ?? []);
      const isToCheck = steps.length > 0 || isRuled(model, paths);
      const rids = [...changes, ...steps].map(({ rid }) => rid);
      const sharers = isToCheck ? await sharersOf(tx, model, rids) : [];
      const { early, late } = aroundRows(changes, steps);
      const [first, last] = direction === 'undo' ? [late, early] : [early, late];
      await replayCells(work, first, direction);
      await replayRows(work, steps, direction);
      await replayCells(work, last, direction);
      await journal.setUndone(tx, editId, direction === 'undo');
      const touched = [...work.touched].filter((rid) => !work.removed.has(rid));
      const concerned = isToCheck ? await revalidateSharing(tx, model, touched, sharers) : touched;
      publishRows(tx, model, concerned, [...work.removed]);
      tx.audit(`collection:${model.collectionId}`, {
        editId,
        records: work.touched.size,
        kept: work.kept.length,
      });
      const told = touched.length > mostTold ? [] : touched;
      const records = (await readRows(tx, model, told)).filter((record) => record !== null);
      const { operations } = await operationsOf(tx, model, actor, records);
      const withOperation = new Set(operations.map(({ id }) => id));
      return {
        resources: records.map((record) => resourceOf(model, record)),
        pendingOperations: groupOperations(operations),
        clearedIds: told.map(String).filter((id) => !withOperation.has(id)),
        isReloadNeeded: told.length < touched.length,
        removedIds: [...work.removed].map(String),
        returnedIds: [...work.returned].filter((rid) => !work.removed.has(rid)).map(String),
        kept: work.kept.slice(0, 1000),
      };
    },
  );
}

/** Cells that a record already had when the same step deleted or discarded it are undone behind that. */
function aroundRows(
  changes: readonly JournalChange[],
  steps: readonly journal.RowStep[],
): { early: JournalChange[]; late: JournalChange[] } {
  const images = Map.groupBy(
    steps.flatMap(({ rid, before }) => (before ? [{ rid, before }] : [])),
    ({ rid }) => rid,
  );
  const isEarly = ({ rid, fno, new: value }: JournalChange): boolean =>
    (images.get(rid) ?? []).some(({ before }) => fno in before.cells && before.values[fno] === value);
  const { early = [], late = [] } = Object.groupBy(changes, (change) => (isEarly(change) ? 'early' : 'late'));
  return { early, late };
}

/** Cells that still are as the step left them go back to what they were, or on again. */
async function replayCells(
  work: Work,
  changes: readonly JournalChange[],
  direction: 'undo' | 'redo',
): Promise<void> {
  const { tx, model, actor } = work;
  if (changes.length === 0) return;
  const steps = netChanges(changes);
  const rids = [...new Set(steps.map(({ rid }) => rid))];
  const locked = await lockRows(tx, model, rids);
  const current = await currentTexts(tx, model, rids, [...new Set(steps.map(({ fno }) => fno))]);
  const wanted = new Map<number, CellTexts>();
  const restored = new Map<number, Map<number, Cell | null>>();
  for (const step of steps) {
    const { rid, fno } = step;
    const row = locked.get(rid);
    const now = current.get(rid)?.get(fno) ?? null;
    const reason = cannotReplay(row, step, now, actor.userId, direction);
    if (reason) {
      keep(work, rid, fno, reason);
      continue;
    }
    const target = direction === 'undo' ? asBefore(work, row, step, now) : { text: step.new };
    put(wanted, rid, fno, target.text);
    if (target.cell !== undefined) put(restored, rid, fno, target.cell);
  }
  const author = { userId: actor.userId, at: work.at, revision: work.revision };
  const applied = await applyCells(tx, model, author, locked, wanted, restored);
  for (const rid of [...applied.touched, ...applied.cleared]) work.touched.add(rid);
}

function put<T>(map: Map<number, Map<number, T>>, rid: number, fno: number, value: T): void {
  const known = map.get(rid) ?? new Map<number, T>();
  map.set(rid, known.set(fno, value));
}

/** A cell that one step changed twice goes straight to its last value. */
function netChanges(changes: readonly JournalChange[]): JournalChange[] {
  const net = new Map<string, JournalChange>();
  for (const change of changes) {
    const key = `${change.rid}.${change.fno}`;
    const first = net.get(key);
    net.set(key, first ? { ...first, new: change.new, isKept: change.isKept } : change);
  }
  return [...net.values()];
}

function cannotReplay(
  row: LockedRow | undefined,
  step: JournalChange,
  now: string | null,
  userId: number,
  direction: 'undo' | 'redo',
): string | null {
  if (!row) return 'gone';
  if (row.push_id) return 'beingPushed';
  if (row.action === 'd') return 'deleted';
  const cell = row.cells[step.fno];
  if (direction === 'redo') {
    // What was somebody else's before the step is his again after the undo.
    const isAsBefore = cell?.a === step.was?.a && cell?.t === step.was?.t;
    if (cell && cell.a !== userId && !isAsBefore) return 'changedByOther';
    return now === step.old ? null : 'changedSince';
  }
  if (cell && cell.a !== userId) return 'changedByOther';
  // A pending cell that is none any more was pushed, discarded or taken over by the external system.
  return now === step.new && (cell !== undefined) === step.isKept ? null : 'changedSince';
}

/**
 * The cell as it was before the step. Without a pending change it shows what the external system holds by now; a
 * pending one keeps its author and the old value that he saw, so that what has moved since is a conflict.
 */
function asBefore(
  work: Work,
  row: LockedRow | undefined,
  { fno, old, was }: JournalChange,
  now: string | null,
): { text: string | null; cell?: Cell | null } {
  const cell = row?.cells[fno];
  const base = cell ? baseOf(cell) : now;
  const pgType = work.model.byFno.get(fno)?.pgType ?? 'text';
  if (row?.action === 'i') {
    if (was) return { text: old, cell: { ...was, r: work.revision } };
    return old === null ? { text: null, cell: null } : { text: old };
  }
  if (!was || isSameText(pgType, old, base)) return { text: base, cell: null };
  const { c: _, ...kept } = was;
  const moved = isSameText(pgType, base, was.o) ? {} : { c: base };
  return { text: old, cell: { ...kept, r: work.revision, ...moved } };
}
