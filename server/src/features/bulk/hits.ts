import { arrays, type Db, row, type Sql, sql } from '../../platform/db.ts';
import { type CollectionModel, tableOf } from '../cache/model.ts';
import type { Snapshot } from '../records/views.ts';
import { anyOf, type Matcher } from '../records/matching.ts';

/** Hits of a snapshot in its order: per record with hits its position, and which of the matcher's columns hit. */
export interface Hits {
  positions: Int32Array;
  /** `words` numbers a record, 30 columns each. */
  masks: Uint32Array;
  words: number;
  /** Hits before each record; one longer than `positions`. */
  before: Int32Array;
}

/** int4 has 32 bits; with 30 of them neither side thinks of signs. */
const bitsPerWord = 30;
const wordsOf = ({ columns }: Matcher): number => Math.max(1, Math.ceil(columns.length / bitsPerWord));

export function hasBit(masks: ArrayLike<number>, offset: number, bit: number): boolean {
  const word = masks[offset + Math.floor(bit / bitsPerWord)] ?? 0;
  return ((word >>> (bit % bitsPerWord)) & 1) === 1;
}

function countBits(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** One int4 for each 30 columns, with a bit for each column that hits. */
function maskSql({ conditions }: Matcher): Sql[] {
  const masks: Sql[] = [];
  for (let at = 0; at < conditions.length; at += bitsPerWord) {
    const bits = conditions
      .slice(at, at + bitsPerWord)
      .map((condition, bit) => sql`case when ${condition} then ${sql.raw(String(2 ** bit))} else 0 end`);
    masks.push(sql`(${sql.join(bits, sql` | `)})::int4`);
  }
  return masks;
}

/** Fewer hits than one in so many records are put in order by themselves: vectors of all records cost more. */
const fewShare = 100;

const noHits = (words: number): Hits => ({
  positions: new Int32Array(),
  masks: new Uint32Array(),
  words,
  before: Int32Array.of(0),
});

/** All hits of a snapshot by one scan of the table, or by the index of its texts. */
export async function scanHits(
  db: Db,
  model: CollectionModel,
  matcher: Matcher,
  snapshot: Snapshot,
): Promise<Hits> {
  const masks = maskSql(matcher);
  const words = wordsOf(matcher);
  const packed = sql.join([sql`int4send(t.rid)`, ...masks.map((mask) => sql`int4send(${mask})`)], sql` || `);
  const found = await row<{ hits: Buffer | null }>(
    db,
    sql`select string_agg(${packed}, ''::bytea) as hits from ${tableOf(model.collectionId)} t where ${matcher.rough ? sql`${matcher.rough} and ` : sql``}${anyOf(matcher.conditions)}`,
  );
  const bytes = found?.hits ?? Buffer.alloc(0);
  const { rids } = snapshot;
  const rowBytes = 4 + words * 4;
  const wordsAt = (at: number): number[] =>
    Array.from({ length: words }, (_, word) => bytes.readUInt32BE(at + 4 + word * 4));
  if ((bytes.length / rowBytes) * fewShare < rids.length) {
    const few = new Map<number, number[]>();
    for (let at = 0; at < bytes.length; at += rowBytes) few.set(bytes.readInt32BE(at), wordsAt(at));
    return patchHits(noHits(words), snapshot, new Set(few.keys()), few);
  }
  const positionOf = positionsByRid(rids);
  const byPosition = new Uint32Array(rids.length * words);
  let records = 0;
  for (let at = 0; at < bytes.length; at += rowBytes) {
    const position = (positionOf[bytes.readInt32BE(at)] ?? 0) - 1;
    if (position < 0) continue;
    records += 1;
    for (let word = 0; word < words; word += 1)
      byPosition[position * words + word] = bytes.readUInt32BE(at + 4 + word * 4);
  }
  return collect(byPosition, words, records);
}

/** Row id -> position + 1; 0 = not in the snapshot. */
function positionsByRid(rids: Int32Array): Int32Array {
  let largest = 0;
  for (const rid of rids) if (rid > largest) largest = rid;
  const positions = new Int32Array(largest + 1);
  for (let position = 0; position < rids.length; position += 1) positions[rids[position] ?? 0] = position + 1;
  return positions;
}

function collect(byPosition: Uint32Array, words: number, records: number): Hits {
  const positions = new Int32Array(records);
  const masks = new Uint32Array(records * words);
  let index = 0;
  for (let at = 0; at < byPosition.length; at += words) {
    let isHit = false;
    for (let word = 0; word < words; word += 1) isHit ||= byPosition[at + word] !== 0;
    if (!isHit) continue;
    positions[index] = at / words;
    masks.set(byPosition.subarray(at, at + words), index * words);
    index += 1;
  }
  return { positions, masks, words, before: countBefore(masks, words) };
}

function countBefore(masks: Uint32Array, words: number): Int32Array {
  const before = new Int32Array(masks.length / words + 1);
  let cells = 0;
  for (let at = 0; at < masks.length; at += 1) {
    cells += countBits(masks[at] ?? 0);
    if ((at + 1) % words === 0) before[(at + 1) / words] = cells;
  }
  return before;
}

/** The masks of some rows as they are now; rows without a hit are absent. */
export async function masksOf(
  db: Db,
  model: CollectionModel,
  matcher: Matcher,
  rids: readonly number[],
): Promise<Map<number, number[]>> {
  if (rids.length === 0) return new Map();
  const found = await arrays(
    db,
    sql`select t.rid, ${sql.join(maskSql(matcher))} from ${tableOf(model.collectionId)} t
        where t.rid = any(${rids}::int4[]) and ${anyOf(matcher.conditions)}`,
  );
  return new Map(found.map(([rid, ...masks]) => [rid as number, masks as number[]]));
}

/** The hits with those of some rows as they are now. */
export function patchHits(
  hits: Hits,
  snapshot: Snapshot,
  rids: ReadonlySet<number>,
  masks: ReadonlyMap<number, readonly number[]>,
): Hits {
  const { words } = hits;
  const changed = positionsAmong(snapshot.rids, rids);
  const positions = new Int32Array(hits.positions.length + changed.length);
  const kept = new Uint32Array(positions.length * words);
  let count = 0;
  const copy = (first: number, last: number): void => {
    positions.set(hits.positions.subarray(first, last), count);
    kept.set(hits.masks.subarray(first * words, last * words), count * words);
    count += last - first;
  };
  let next = 0;
  for (const { rid, position } of changed) {
    const index = indexAt(hits.positions, position);
    copy(next, index);
    next = hits.positions[index] === position ? index + 1 : index;
    const mask = masks.get(rid);
    if (!mask) continue;
    positions[count] = position;
    kept.set(mask, count * words);
    count += 1;
  }
  copy(next, hits.positions.length);
  const packed = kept.slice(0, count * words);
  return { positions: positions.slice(0, count), masks: packed, words, before: countBefore(packed, words) };
}

/** Index of the first position at or behind this one. */
export function indexAt(positions: Int32Array, position: number): number {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((positions[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A few are looked up one by one: that is a third of a millisecond each in a million. */
function positionsAmong(all: Int32Array, rids: ReadonlySet<number>): { rid: number; position: number }[] {
  const found: { rid: number; position: number }[] = [];
  if (rids.size <= 16) {
    for (const rid of rids) {
      const position = all.indexOf(rid);
      if (position >= 0) found.push({ rid, position });
    }
    return found.sort((a, b) => a.position - b.position);
  }
  all.forEach((rid, position) => {
    if (rids.has(rid)) found.push({ rid, position });
  });
  return found;
}

/** Records that hit among some of a snapshot, in the order given: at most `limit` of them. */
export async function scanSome(
  db: Db,
  model: CollectionModel,
  matcher: Matcher,
  rids: readonly number[],
  limit: number,
): Promise<{ rid: number; masks: number[] }[]> {
  const found = await arrays(
    db,
    sql`select t.rid, ${sql.join(maskSql(matcher))}
        from unnest(${rids}::int4[]) with ordinality x(rid, o) join ${tableOf(model.collectionId)} t using (rid)
        where ${anyOf(matcher.conditions)} order by x.o limit ${limit}`,
  );
  return found.map(([rid, ...masks]) => ({ rid: rid as number, masks: masks as number[] }));
}
