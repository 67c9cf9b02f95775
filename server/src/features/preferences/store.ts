import type { Locale, UserPreferences } from '@sluice/contract';
import { type Db, execute, row, sql } from '../../platform/db.ts';

export async function findPreferences(
  db: Db,
  userId: number,
): Promise<{ language: Locale; options: Record<string, unknown> } | null> {
  return await row(db, sql`select language, options from user_preference where user_id = ${userId}`);
}

/** Two tabs that save at the same time must not undo each other. */
export async function lockPreferences(db: Db, userId: number): Promise<void> {
  await execute(db, sql`insert into user_preference (user_id) values (${userId}) on conflict do nothing`);
  await execute(db, sql`select 1 from user_preference where user_id = ${userId} for update`);
}

export async function savePreferences(db: Db, userId: number, preferences: UserPreferences): Promise<void> {
  await execute(
    db,
    sql`update user_preference set language = ${preferences.language}, options = ${JSON.stringify(preferences.options)}
        where user_id = ${userId}`,
  );
}
