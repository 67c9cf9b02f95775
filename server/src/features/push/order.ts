import { type Db, rows, type Sql, sql } from '../../platform/db.ts';
import { type CollectionModel, columnOf, tableOf } from '../cache/model.ts';

/** Columns that hold the key of another record of the same table, each with the column that it names. */
function selfReferences(model: CollectionModel): { reference: Sql; value: Sql }[] {
  return model.columns.flatMap(({ fno, field }) => {
    const { reference } = field;
    if (reference?.resourceTypeUriId !== model.uriId) return [];
    const value = model.byPath.get(reference.valueField);
    return value ? [{ reference: columnOf(fno), value: columnOf(value.fno) }] : [];
  });
}

/** By record of these: those of them that it refers to. Empty for a table whose records do not refer to each other. */
async function parentsAmong(
  db: Db,
  model: CollectionModel,
  rids: readonly number[],
): Promise<Map<number, number[]>> {
  const parentsOf = new Map<number, number[]>();
  const references = rids.length > 1 ? selfReferences(model) : [];
  for (const { reference, value } of references) {
    const those = sql`${tableOf(model.collectionId)} where rid = any(${rids}::int4[])`;
    // As text: an external system may keep a reference in another type than the key. One parent for each value: what
    // many new records have in common by mistake would otherwise be joined each with each.
    const found = await rows<{ child: number; parent: number }>(
      db,
      sql`select c.rid as child, p.rid as parent
          from (select rid, ${reference}::text as value from ${those}) c
            join (select min(rid) as rid, ${value}::text as value from ${those} group by 2) p using (value)
          where p.rid <> c.rid`,
    );
    for (const { child, parent } of found) parentsOf.set(child, [...(parentsOf.get(child) ?? []), parent]);
  }
  return parentsOf;
}

/** The same records in their order, but none before one that it refers to; where they refer in a ring, as they come. */
export function parentsFirst(
  rids: readonly number[],
  parentsOf: ReadonlyMap<number, readonly number[]>,
): number[] {
  const placed = new Set<number>();
  const visited = new Set<number>();
  for (const rid of rids) {
    // A stack of our own: a chain of thousands must not overflow that of the language.
    const stack = [rid];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      visited.add(top);
      const next = (parentsOf.get(top) ?? []).find((parent) => !visited.has(parent));
      if (next === undefined) {
        placed.add(top);
        stack.pop();
      } else stack.push(next);
    }
  }
  return [...placed];
}

/**
 * Records of one list in the order of the sending (decisions Q-PUSH-04): of those that refer to others of their table
 * a new parent goes before its children, and one that is deleted after them. Otherwise the order of creation.
 */
export async function sendingOrder(
  db: Db,
  model: CollectionModel,
  list: 'insert' | 'update' | 'delete',
  rids: readonly number[],
): Promise<number[]> {
  const ordered = rids.toSorted((a, b) => a - b);
  if (list === 'update') return ordered;
  const parentsOf = await parentsAmong(db, model, ordered);
  if (parentsOf.size === 0) return ordered;
  return list === 'insert'
    ? parentsFirst(ordered, parentsOf)
    : parentsFirst(ordered.toReversed(), parentsOf).toReversed();
}
