import type { RunCounts } from '@sluice/contract';
import type { Tx } from '../../../platform/mutate.ts';
import { type CollectionModel, textOfValue } from '../../cache/model.ts';
import { applyCells, deleteRows, type LockedRow, lockRows, nextRevision } from '../../pending/apply.ts';
import type { Cells } from '../../cache/rebase.ts';
import type { CellTexts } from '../../pending/changes.ts';
import * as journal from '../../pending/journal.ts';
import { insertRows } from '../../pending/insert-rows.ts';
import {
  checkerOfNew,
  isRuled,
  revalidate,
  revalidateSharing,
  sharersOf,
  sharingAdded,
} from '../../pending/revalidate.ts';
import { markDeleted, publishRows } from '../../pending/service.ts';
import { type Decision, failure } from './decide.ts';
import { noCounts, type LinkRow, type NewLink, type StoredError } from './run-store.ts';

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
  links: NewLink[];
  failures: { decision: Decision; kind: 'failed' | 'conflict'; errors: StoredError[] }[];
}

/**
 * Makes decisions pending changes. What a person has pending on the same field is never overwritten: such a record is
 * left as it is and reported, and taken up again by the next run. `matchFields`: the unique fields of the mappings.
 */
export async function writeDecisions(
  tx: Tx,
  model: CollectionModel,
  author: RunAuthor,
  decisions: readonly Decision[],
  matchFields: readonly string[],
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
  await writeUpdates(tx, model, author, { locked, wanted });
  await writeAdds(tx, model, author, adds, matchFields, written);
  return written;
}

const linkOf = ({ record, hash, link }: Decision, rid: number): NewLink => ({
  source_key: record.key,
  rid,
  hash,
  isNew: link === null,
});

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

const stampOf = async (tx: Tx, author: RunAuthor) => ({
  userId: author.userId,
  at: author.at,
  revision: await nextRevision(tx),
  origin: originOf(author),
});

async function writeUpdates(
  tx: Tx,
  model: CollectionModel,
  author: RunAuthor,
  { locked, wanted }: { locked: Map<number, LockedRow>; wanted: Map<number, CellTexts> },
): Promise<void> {
  if (wanted.size === 0) return;
  const before = await sharersOf(tx, model, [...wanted.keys()]);
  const applied = await applyCells(tx, model, await stampOf(tx, author), locked, wanted);
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
  const paths = [...new Set([...wanted.values()].flatMap((of) => [...of.keys()]))];
  const changed = [...applied.touched, ...applied.cleared];
  const isToCheck = isRuled(
    model,
    paths.flatMap((fno) => model.byFno.get(fno)?.path ?? []),
  );
  const concerned = isToCheck ? await revalidateSharing(tx, model, changed, before) : [];
  publishRows(tx, model, [...new Set([...changed, ...concerned])]);
}

/** Whose cells they are follows from the row: a list of them all would be most of what is written. */
const noCells: Cells = {};

/** The values have been checked by the plan that made them; what only the whole record tells is looked at here. */
async function writeAdds(
  tx: Tx,
  model: CollectionModel,
  author: RunAuthor,
  adds: readonly Decision[],
  matchFields: readonly string[],
  written: Written,
): Promise<void> {
  if (adds.length === 0) return;
  const stamp = await stampOf(tx, author);
  const { origin } = stamp;
  const check = checkerOfNew(model);
  const rids = await insertRows(
    tx,
    model,
    stamp,
    adds.map((decision) => ({
      rid: null,
      texts: textsOf(model, decision),
      cells: noCells,
      origin,
      invalid: check(decision.values),
    })),
  );
  adds.forEach((decision, index) => {
    written.links.push(linkOf(decision, rids[index] ?? 0));
  });
  written.counts.inserted += adds.length;
  const fields = new Set<string>();
  for (const { values } of adds) for (const field of Object.keys(values)) fields.add(field);
  const sharing = await sharingAdded(tx, model, rids, { written: fields, matched: matchFields });
  await revalidate(tx, model, sharing);
  publishRows(tx, model, [...new Set([...rids, ...sharing])]);
}

/** Links whose records are gone that are looked at together. */
export const deleteBatch = 2000;

/** What becomes of rows whose source record is gone: marked as deletes, dropped, left to a person, or gone already. */
export function deletesOf(
  links: readonly LinkRow[],
  rows: ReadonlyMap<number, LockedRow>,
  authorId: number,
): { marks: number[]; drops: number[]; conflicts: LinkRow[]; gone: LinkRow[] } {
  const marks: number[] = [];
  const drops: number[] = [];
  const conflicts: LinkRow[] = [];
  const gone: LinkRow[] = [];
  for (const link of links) {
    const row = rows.get(link.rid);
    if (!row) gone.push(link);
    else if (row.push_id || row.is_gone || Object.values(row.cells).some((cell) => cell.a !== authorId))
      conflicts.push(link);
    else if (row.action === 'i') {
      drops.push(link.rid);
      gone.push(link);
    } else if (row.action !== 'd') marks.push(link.rid);
  }
  return { marks, drops, conflicts, gone };
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
  const { marks, drops, conflicts, gone } = deletesOf(links, locked, author.userId);
  const sharers = await sharersOf(tx, model, [...marks, ...drops]);
  await markDeleted(tx, model, author, author.at, marks, originOf(author));
  await deleteRows(tx, model, drops);
  publishRows(tx, model, await revalidateSharing(tx, model, marks, sharers), drops);
  return { deleted: marks.length + drops.length, conflicts, gone };
}
