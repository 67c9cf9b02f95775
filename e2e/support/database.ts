import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';

/** Works in the database of a running product on its data folder: for what no screen and no call can bring about. */
export async function inDatabase<T>(home: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl(home) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function databaseUrl(home: string): string {
  const password = fs.readFileSync(path.join(home, 'postgres-password'), 'utf8').trim();
  const id = path.join(home, 'database-id');
  const root = fs.existsSync(id) ? path.join('/var/lib/sluice', fs.readFileSync(id, 'utf8').trim()) : home;
  const pidFile = path.join(root, 'postgres-18', 'postmaster.pid');
  const [, , , port] = fs.readFileSync(pidFile, 'utf8').split('\n');
  return `postgres://sluice:${password}@127.0.0.1:${port}/sluice`;
}

/** As if what is pending in the tables of that name had been changed so many days ago. */
export async function agePending(home: string, uriId: string, days: number): Promise<void> {
  await inDatabase(home, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select name from collection, format('cache.c_%s_p', collection_id) name
       where resource_type_uri_id = $1 and to_regclass(name) is not null`,
      [uriId],
    );
    for (const { name } of rows)
      await client.query(`update ${name} set created_at = created_at - make_interval(days => $1)`, [days]);
  });
}
