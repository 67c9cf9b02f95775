import { createHash } from 'node:crypto';
import type { Db } from '../../platform/db.ts';
import { type ChainRow, readChain, readHead } from './store.ts';

export interface Verdict {
  /** Rows that were found to be as they were written. */
  checked: number;
  /** Fingerprint of the last row: kept elsewhere, it later proves that nothing before it was touched. */
  fingerprint: string;
  /** What is wrong, and where; null when nothing is. */
  problem: string | null;
  /** Was the fingerprint that was asked for among them? Null when none was. */
  isExpectedFound: boolean | null;
}

const pageSize = 5000;

/** The same as `audit_part` of the migration: a text that cannot be confused with its neighbours. */
const part = (value: string | null): string =>
  value === null ? '-' : `${Buffer.byteLength(value)}:${value}`;

function hashOf(before: Uint8Array, row: ChainRow): Buffer {
  const content = [
    String(row.seq),
    row.micros,
    row.actor_user_id,
    row.actor_name,
    row.verb,
    row.target,
    row.details,
  ]
    .map(part)
    .join('');
  return createHash('sha256').update(before).update(content).digest();
}

const described = (row: ChainRow): string => `row ${row.seq} (${row.at}, ${row.actor_name}, ${row.verb})`;

/** Follows the chain from its first row and stops where it breaks. Computed here, not by the database's own function. */
export async function verifyAudit(db: Db, expected: string | null = null): Promise<Verdict> {
  let hash: Buffer = createHash('sha256').digest();
  let seq = 0;
  let isExpectedFound = expected === null ? null : false;
  const verdict = (problem: string | null): Verdict => ({
    checked: seq,
    fingerprint: hash.toString('hex'),
    problem,
    isExpectedFound,
  });
  // The end is read first: rows that are written while we look lie behind it.
  const head = await readHead(db);
  for (;;) {
    const page = await readChain(db, seq, pageSize);
    for (const row of page) {
      if (row.seq !== seq + 1)
        return verdict(
          `Rows ${seq + 1} to ${row.seq - 1} are missing: somebody has removed them, before ${described(row)}.`,
        );
      const wanted = hashOf(hash, row);
      if (!wanted.equals(row.hash))
        return verdict(
          `The content of ${described(row)} does not fit its fingerprint: it, or a row before it, was changed afterwards.`,
        );
      hash = wanted;
      seq = row.seq;
      if (hash.toString('hex') === expected) isExpectedFound = true;
      if (head?.seq === seq && !head.hash.equals(hash))
        return verdict(
          `The end of the log was tampered with: ${described(row)} is not what was noted as last.`,
        );
    }
    if (page.length < pageSize) break;
  }
  if (!head) return verdict('The note of where the log ends is gone.');
  if (seq < head.seq)
    return verdict(`Rows ${seq + 1} to ${head.seq} are missing at the end: somebody has removed them.`);
  return verdict(null);
}
