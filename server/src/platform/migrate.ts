import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pool } from './db.ts';
import { transaction } from './db.ts';

const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../migrations');
// One number of our own for pg_advisory_xact_lock: several processes that start together migrate once.
const lockId = 716_253_001;

/** Applies the numbered SQL files that this database does not have yet, all in one transaction. */
export async function migrate(pool: Pool): Promise<string[]> {
  const files = fs
    .readdirSync(folder)
    .filter((name) => /^\d{4}_.+\.sql$/.test(name))
    .sort();
  return await transaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [lockId]);
    await client.query(
      'create table if not exists migration (name text primary key, hash text not null, applied_at timestamptz not null default now())',
    );
    const done = new Map(
      (await client.query<{ name: string; hash: string }>('select name, hash from migration')).rows.map(
        (row) => [row.name, row.hash],
      ),
    );
    const applied: string[] = [];
    for (const name of files) {
      const statements = fs.readFileSync(path.join(folder, name), 'utf8');
      const hash = createHash('sha256').update(statements).digest('hex');
      const known = done.get(name);
      if (known === hash) continue;
      if (known) throw new Error(`Migration ${name} was changed after it had been applied to this database`);
      await client.query(statements);
      await client.query('insert into migration (name, hash) values ($1, $2)', [name, hash]);
      applied.push(name);
    }
    return applied;
  });
}
