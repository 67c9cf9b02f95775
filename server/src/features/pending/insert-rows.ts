import { copyField, copyLines, partsOf } from '../../platform/copy.ts';
import { type Db, row, sql } from '../../platform/db.ts';
import type { Tx } from '../../platform/mutate.ts';
import { type CollectionModel, columnOf, pendingTableOf, tableOf } from '../cache/model.ts';
import type { Cells } from '../cache/rebase.ts';
import type { CellTexts } from './changes.ts';

/** A pending insert that is to be made. */
export interface NewRow {
  /** Null: a new row id is given. */
  rid: number | null;
  texts: CellTexts;
  /** Left out: each cell that is not empty is the author's. */
  cells?: Cells;
  origin?: object | null;
  author?: number;
  createdAt?: string;
  isUnknown?: boolean;
  errors?: object | null;
  /** Broken rules that are known already (pending/revalidate.ts). */
  invalid?: object | null;
}

/**
 * Makes pending inserts and answers their row ids. By COPY: it writes many rows at a time where a statement writes
 * them one by one, and thousands of them are a paste or a page of a run.
 */
export async function insertRows(
  tx: Tx,
  model: CollectionModel,
  author: { userId: number; at: Date; revision: number },
  records: readonly NewRow[],
): Promise<number[]> {
  if (records.length === 0) return [];
  const fresh = await takeRids(tx, model, records.filter(({ rid }) => rid === null).length);
  let next = 0;
  const rids = records.map(({ rid }) => rid ?? fresh[next++] ?? 0);
  const fnos = [...new Set(records.flatMap(({ texts }) => [...texts.keys()]))];
  const names = sql.join([sql.id('rid'), sql.id('p'), ...fnos.map(columnOf)]);
  await copyLines(
    tx.client,
    sql`copy ${tableOf(model.collectionId)} (${names}) from stdin`,
    partsOf(records, ({ texts }, index) => {
      const cells = fnos.map((fno) => copyField(texts.get(fno) ?? null));
      return `${[rids[index] ?? 0, 't', ...cells].join('\t')}\n`;
    }),
  );
  const cellsOf = (record: NewRow): Cells =>
    record.cells ??
    Object.fromEntries(
      [...record.texts]
        .filter(([, text]) => text !== null)
        .map(([fno]) => [fno, { o: null, a: author.userId, t: author.at.getTime(), r: author.revision }]),
    );
  const at = author.at.toISOString();
  const [cellsText, originText, errorsText, invalidText] = [
    jsonField(),
    jsonField(),
    jsonField(),
    jsonField(),
  ];
  await copyLines(
    tx.client,
    sql`copy ${pendingTableOf(model.collectionId)} (rid, action, cells, revision, author, created_at, updated_at, origin,
          is_unknown, errors, invalid) from stdin`,
    partsOf(
      records,
      (record, index) =>
        `${rids[index] ?? 0}\ti\t${cellsText(cellsOf(record))}\t${author.revision}\t${record.author ?? author.userId}\t${
          record.createdAt ?? at
        }\t${at}\t${originText(record.origin)}\t${record.isUnknown ? 't' : 'f'}\t${errorsText(record.errors)}\t${invalidText(record.invalid)}\n`,
    ),
  );
  return rids;
}

/** What is the same in all rows of a page, as their origin is, is put into text once. */
function jsonField(): (value: object | null | undefined) => string {
  let last: object | null = null;
  let text = '';
  return (value) => {
    if (value === null || value === undefined) return '\\N';
    if (value !== last) {
      last = value;
      text = copyField(JSON.stringify(value));
    }
    return text;
  };
}

/** New row ids in ascending order; nearly always one range, of which only the ends have to be told. */
async function takeRids(db: Db, model: CollectionModel, count: number): Promise<number[]> {
  if (count === 0) return [];
  const taken = await row<{ first: number; last: number; others: number[] | null }>(
    db,
    sql`select min(n) as first, max(n) as last,
          case when max(n) - min(n) >= ${count}::int then array_agg(n order by n) end as others
        from (select nextval(own.sequence)::int4 as n
              from (select pg_get_serial_sequence(${`cache.c_${model.collectionId}`}, 'rid')::regclass as sequence offset 0) own,
                generate_series(1, ${count}::int)) given`,
  );
  if (!taken) return [];
  return taken.others ?? Array.from({ length: count }, (_, index) => taken.first + index);
}
