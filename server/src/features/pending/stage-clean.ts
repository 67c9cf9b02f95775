import { type Db, rows, sql } from '../../platform/db.ts';
import { type CollectionModel, columnOf, pendingTableOf, tableOf } from '../cache/model.ts';
import type { CellTexts } from './changes.ts';

/**
 * First changes of rows without a pending operation: value, operation and journal by one statement in the database.
 * Through JavaScript the same takes five times as long, because every value goes out and comes back (bench/database).
 * Answers the rows that it changed and how many cells of them. All others are as they were: missing, already
 * pending (also by somebody who was quicker: the row is looked at again under its lock), or of those values anyway.
 */
export async function stageClean(
  db: Db,
  model: CollectionModel,
  author: { userId: number; at: Date; revision: number },
  editId: string,
  wanted: ReadonlyMap<number, CellTexts>,
): Promise<{ changed: number[]; cells: number }> {
  const changed: number[] = [];
  let cells = 0;
  for (const group of byFields(wanted).values()) {
    const done = await stageGroup(db, model, author, editId, group);
    changed.push(...done.rids);
    cells += done.cells;
  }
  return { changed, cells };
}

interface Group {
  fnos: number[];
  rids: number[];
  rows: CellTexts[];
}

/** Rows by the set of fields that they change: a paste has one, separate edits a few. */
function byFields(wanted: ReadonlyMap<number, CellTexts>): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const [rid, texts] of wanted) {
    const fnos = [...texts.keys()].sort((a, b) => a - b);
    const name = fnos.join();
    const group = groups.get(name) ?? { fnos, rids: [], rows: [] };
    groups.set(name, group);
    group.rids.push(rid);
    group.rows.push(texts);
  }
  return groups;
}

async function stageGroup(
  db: Db,
  model: CollectionModel,
  author: { userId: number; at: Date; revision: number },
  editId: string,
  { fnos, rids, rows: texts }: Group,
): Promise<{ rids: number[]; cells: number }> {
  if (fnos.length === 0) return { rids: [], cells: 0 };
  const columns = fnos.map((fno) => ({
    fno,
    next: sql`v.${sql.id(`v${fno}`)}::${sql.raw(model.byFno.get(fno)?.pgType ?? 'text')}`,
    was: sql.id(`o${fno}`),
    now: sql.id(`n${fno}`),
  }));
  const inputs = fnos.map((fno) => sql`${texts.map((of) => of.get(fno) ?? null)}::text[]`);
  const names = fnos.map((fno) => sql.id(`v${fno}`));
  const assignments = columns.map(({ fno, next }) => sql`${columnOf(fno)} = ${next}`);
  const differs = columns.map(({ fno, next }) => sql`t.${columnOf(fno)} is distinct from ${next}`);
  const returned = columns.map(
    ({ fno, was, now }) => sql`old.${columnOf(fno)}::text as ${was}, new.${columnOf(fno)}::text as ${now}`,
  );
  // Only the old value is put in: built name by name, the operations took a fifth of all.
  const cellOf = ({ fno, was }: (typeof columns)[number]) => {
    const cell = { o: null, a: author.userId, t: author.at.getTime(), r: author.revision };
    return sql`jsonb_set(${JSON.stringify({ [fno]: cell })}::jsonb, ${[String(fno), 'o']}::text[], coalesce(to_jsonb(${was}), 'null'))`;
  };
  const [only] = columns;
  const operation =
    columns.length === 1 && only
      ? cellOf(only)
      : sql.join(
          columns.map(
            (column) =>
              sql`case when ${column.was} is distinct from ${column.now} then ${cellOf(column)} else '{}' end`,
          ),
          sql` || `,
        );
  const steps = columns.map(
    ({ fno, was, now }) =>
      sql`select rid, ${fno}::int4 as fno, ${was} as was, ${now} as now from changed where ${was} is distinct from ${now}`,
  );
  const [done] = await rows<{ rids: number[] | null; cells: number }>(
    db,
    sql`with changed as (
          update ${tableOf(model.collectionId)} t set p = true, ${sql.join(assignments)}
          from unnest(${rids}::int4[], ${sql.join(inputs)}) v(rid, ${sql.join(names)})
          where t.rid = v.rid and not t.p and t.k is not null and (${sql.join(differs, sql` or `)})
          returning t.rid, ${sql.join(returned)}),
        operations as (
          insert into ${pendingTableOf(model.collectionId)} (rid, action, cells, revision, author, created_at, updated_at)
          select rid, 'u', ${operation}, ${author.revision}, ${author.userId}, ${author.at}, ${author.at} from changed order by rid),
        steps as (
          insert into edit_cell (edit_id, rid, fno, old, new)
          select ${editId}, rid, fno, was, now from (${sql.join(steps, sql` union all `)}) s
          returning 1)
        select (select array_agg(rid) from changed) as rids, (select count(*)::int from steps) as cells`,
  );
  return { rids: done?.rids ?? [], cells: done?.cells ?? 0 };
}
