import type { RunCounts } from '@sluice/contract';
import type { Tx } from '../../../platform/mutate.ts';
import { type CollectionModel, textOfValue } from '../../cache/model.ts';
import {
  applyCells,
  deleteRows,
  insertRows,
  type LockedRow,
  lockRows,
  nextRevision,
} from '../../pending/apply.ts';
import type { CellTexts } from '../../pending/changes.ts';
import * as journal from '../../pending/journal.ts';
import { isRuled, revalidateSharing, sharersOf } from '../../pending/revalidate.ts';
import { markDeleted, publishRows } from '../../pending/service.ts';
import { type Decision, failure } from './decide.ts';
import { noCounts, type LinkRow, type StoredError } from './run-store.ts';

/** Who writes, and for which run: what a table shows as the origin of a change. */
export interface RunAuthor {
  userId: number;
  at: Date;
  runId: string;
  actionId: string;
  /** What people call the run. */
  run: { connector: string; action: string; number: number };
}

const originOf = ({ runId, actionId, run }: RunAuthor) => ({ type: 'connector', actionId, runId, run });

export interface Written {
  counts: RunCounts;
  links: LinkRow[];
  failures: { decision: Decision; kind: 'failed' | 'conflict'; errors: StoredError[] }[];
}

/**
 * Makes decisions pending changes. What a person has pending on the same field is never overwritten: such a record is
 * left as it is and reported, and taken up again by the next run.
 */
export async function writeDecisions(
  tx: Tx,
  model: CollectionModel,
  author: RunAuthor,
  decisions: readonly Decision[],
): Promise<Written> {
  const written: Written = { counts: { ...noCounts }, links: [], failures: [] };
  const fail = (decision: Decision, kind: 'failed' | 'conflict', errors: StoredError[]): void => {
    written.failures.push({ decision, kind, errors });
    written.counts[kind === 'failed' ? 'failed' : 'conflicts'] += 1;
  };
  const adds: Decision[] = [];
  const updates: Decision[] = [];
  for (const decision of decisions) {
    if (decision.action === 'failed') fail(decision, 'failed', decision.errors);
    else if (decision.action === 'add') adds.push(decision);
    else if (decision.action === 'update') updates.push(decision);
    else {
      written.counts.unchanged += 1;
      const { rid, link, hash } = decision;
      const isKnown = link !== null && link.rid === rid && link.hash === hash;
      if (rid !== null && !isKnown) written.links.push(linkOf(decision, rid));
    }
  }
  const locked = await lockRows(
    tx,
    model,
    updates.map(({ rid }) => rid ?? 0),
  );
  const wanted = new Map<number, CellTexts>();
  for (const decision of updates) {
    const rid = decision.rid ?? 0;
    const texts = textsOf(model, decision);
    const reason = obstacle(locked.get(rid), texts, author);
    if (reason) fail(decision, 'conflict', [failure(reason)]);
    else {
      wanted.set(rid, texts);
      written.counts.updated += 1;
      written.links.push(linkOf(decision, rid));
    }
  }
  await writeRows(tx, model, author, { adds, locked, wanted }, written);
  return written;
}

const linkOf = ({ record, hash }: Decision, rid: number): LinkRow => ({ source_key: record.key, rid, hash });

function textsOf(model: CollectionModel, { values }: Decision): CellTexts {
  const texts: CellTexts = new Map();
  for (const [path, value] of Object.entries(values)) {
    const column = model.byPath.get(path);
    if (column) texts.set(column.fno, textOfValue(column.pgType, value));
  }
  return texts;
}

/** Why a row must not be written; null = nothing is in the way. */
function obstacle(row: LockedRow | undefined, texts: CellTexts, author: RunAuthor): string | null {
  if (!row) return 'TARGET_GONE';
  if (row.push_id) return 'BEING_PUSHED';
  if (row.is_gone) return 'TARGET_GONE';
  if (row.action === 'd') return 'PENDING_DELETE';
  const isOfPerson = (fno: number): boolean => {
    const cell = row.cells[fno];
    return cell !== undefined && cell.a !== author.userId;
  };
  return [...texts.keys()].some(isOfPerson) ? 'PENDING_OF_PERSON' : null;
}

async function writeRows(
  tx: Tx,
  model: CollectionModel,
  author: RunAuthor,
  {
    adds,
    locked,
    wanted,
  }: { adds: readonly Decision[]; locked: Map<number, LockedRow>; wanted: Map<number, CellTexts> },
  written: Written,
): Promise<void> {
  if (adds.length === 0 && wanted.size === 0) return;
  const origin = originOf(author);
  const stamp = { userId: author.userId, at: author.at, revision: await nextRevision(tx), origin };
  const before = await sharersOf(tx, model, [...wanted.keys()]);
  const applied = await applyCells(tx, model, stamp, locked, wanted);
  if (applied.changes.length > 0) {
    // So that the history of a record says what a run changed of it.
    const edit = {
      editId: author.runId,
      collectionId: model.collectionId,
      userId: author.userId,
      kind: 'run',
    };
    if (await journal.openEdit(tx, edit)) await journal.addCells(tx, author.runId, applied.changes);
  }
  const texts = adds.map((decision) => textsOf(model, decision));
  const rids = await insertRows(
    tx,
    model,
    stamp,
    // Whose cells they are follows from the row: a list of them all would be most of what is written.
    texts.map((of) => ({ rid: null, texts: of, cells: {}, origin })),
  );
  adds.forEach((decision, index) => {
    const rid = rids[index] ?? 0;
    written.counts.inserted += 1;
    written.links.push(linkOf(decision, rid));
  });
  const paths = new Set([...texts, ...wanted.values()].flatMap((of) => [...of.keys()]));
  const changed = [...rids, ...applied.touched, ...applied.cleared];
  const isToCheck = isRuled(
    model,
    [...paths].flatMap((fno) => model.byFno.get(fno)?.path ?? []),
  );
  const concerned = isToCheck ? await revalidateSharing(tx, model, changed, before) : [];
  publishRows(tx, model, [...new Set([...changed, ...concerned])]);
}

/** Pending deletes of rows whose source record is gone; what a run itself wanted to add is simply dropped. */
export async function writeDeletes(
  tx: Tx,
  model: CollectionModel,
  author: RunAuthor,
  links: readonly LinkRow[],
): Promise<{ deleted: number; conflicts: LinkRow[]; gone: LinkRow[] }> {
  const locked = await lockRows(
    tx,
    model,
    links.map(({ rid }) => rid),
  );
  const marks: number[] = [];
  const drops: number[] = [];
  const conflicts: LinkRow[] = [];
  const gone: LinkRow[] = [];
  for (const link of links) {
    const row = locked.get(link.rid);
    if (!row) gone.push(link);
    else if (row.push_id || row.is_gone || Object.values(row.cells).some((cell) => cell.a !== author.userId))
      conflicts.push(link);
    else if (row.action === 'i') {
      drops.push(link.rid);
      gone.push(link);
    } else if (row.action !== 'd') marks.push(link.rid);
  }
  const sharers = await sharersOf(tx, model, [...marks, ...drops]);
  await markDeleted(tx, model, author, author.at, marks, originOf(author));
  await deleteRows(tx, model, drops);
  publishRows(tx, model, await revalidateSharing(tx, model, marks, sharers), drops);
  return { deleted: marks.length + drops.length, conflicts, gone };
}
