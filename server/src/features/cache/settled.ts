import { sql } from '../../platform/db.ts';

/**
 * Push items that got their end at this time or later, as a derived table: looked up by the pushes that were at work
 * then, because an index over times would have to be written with every outcome. None where `since` is null.
 */
export function settledSince(collectionId: number, since: Date | string | null) {
  return sql`(select i.* from push p join push_item i using (push_id)
              where p.collection_id = ${collectionId} and (p.finished_at is null or p.finished_at >= ${since})
                and i.settled_at >= ${since})`;
}
