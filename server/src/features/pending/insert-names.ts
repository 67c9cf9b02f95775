import { type Db, execute, rows, sql } from '../../platform/db.ts';

/** A record that was added under a name before, and the step that added it. */
export interface NamedRecord {
  rid: number;
  editId: string;
}

/** Within this time a call that got no answer is sent again, if at all. */
const keptDays = 30;

/**
 * Takes names for records that are to be added, and answers which of them were taken before. A name that another call
 * is just using is waited for: the same call twice at once adds its records once.
 */
export async function takeNames(
  db: Db,
  collectionId: number,
  userId: number,
  names: readonly string[],
): Promise<Map<string, NamedRecord>> {
  if (names.length === 0) return new Map();
  await execute(
    db,
    // In one order, so that two calls wait for each other and never block each other for good.
    sql`insert into insert_name (collection_id, user_id, name)
        select ${collectionId}, ${userId}, v.name from unnest(${names}::uuid[]) v(name) order by v.name
        on conflict do nothing`,
  );
  const taken = await rows<{ name: string; rid: number; edit_id: string }>(
    db,
    sql`select name, rid, edit_id from insert_name
        where collection_id = ${collectionId} and user_id = ${userId} and name = any(${names}::uuid[]) and rid is not null`,
  );
  return new Map(taken.map(({ name, rid, edit_id: editId }) => [name, { rid, editId }]));
}

/** Remembers which record was added under which name. */
export async function keepNames(
  db: Db,
  collectionId: number,
  userId: number,
  editId: string,
  named: readonly { name: string; rid: number }[],
): Promise<void> {
  if (named.length === 0) return;
  await execute(
    db,
    sql`update insert_name n set rid = v.rid, edit_id = ${editId}
        from unnest(${named.map(({ name }) => name)}::uuid[], ${named.map(({ rid }) => rid)}::int4[]) v(name, rid)
        where n.collection_id = ${collectionId} and n.user_id = ${userId} and n.name = v.name`,
  );
}

export async function trimNames(db: Db): Promise<void> {
  await execute(db, sql`delete from insert_name where at < now() - make_interval(days => ${keptDays})`);
}
