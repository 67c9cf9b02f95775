import type { Crud } from '@sluice/contract';
import { type Db, rows, sql } from '../../platform/db.ts';

/** People who may do this at an endpoint, by role, by right of their own or as superuser. */
export async function usersWithRight(db: Db, endpointId: string, action: keyof Crud): Promise<number[]> {
  const right = JSON.stringify([{ endpointId, [action]: true }]);
  const found = await rows<{ user_id: number }>(
    db,
    sql`select user_id from app_user u where is_active and not is_technical and (is_superuser
          or exists (select 1 from user_right o where o.user_id = u.user_id and o.rights @> ${right}::jsonb)
          or exists (select 1 from user_role m join role r using (role_id)
                     where m.user_id = u.user_id and r.rights @> ${right}::jsonb))`,
  );
  return found.map(({ user_id }) => user_id);
}
