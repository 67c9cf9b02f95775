import type { Author } from '@sluice/contract';
import { type Db, perDatabase, rows, sql } from '../../platform/db.ts';

const lifeMs = 60_000;
const knownIn = perDatabase(() => new Map<number, { author: Author; at: number }>());

/** Names behind user ids; somebody who was deleted is a former user (decisions Q-PEND-15). */
export async function authorsOf(db: Db, userIds: Iterable<number>): Promise<ReadonlyMap<number, Author>> {
  const known = knownIn(db);
  const wanted = [...new Set(userIds)];
  const now = Date.now();
  const missing = wanted.filter((id) => now - (known.get(id)?.at ?? 0) > lifeMs);
  if (missing.length > 0) {
    const found = await rows<{
      user_id: number;
      internal_id: string;
      full_name: string;
      is_deleted: boolean;
    }>(
      db,
      sql`select user_id, internal_id, full_name, is_deleted from app_user where user_id = any(${missing}::int4[])`,
    );
    for (const { user_id, internal_id, full_name, is_deleted } of found) {
      known.set(user_id, {
        author: { internalId: internal_id, fullName: is_deleted ? 'former user' : full_name },
        at: now,
      });
    }
  }
  return new Map(
    wanted.map((id) => [id, known.get(id)?.author ?? { internalId: '', fullName: 'former user' }]),
  );
}
