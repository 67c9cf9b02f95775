import pg from 'pg';

/** Creates the database where it is missing; two processes may try at the same time. */
export async function ensureDatabase(serverUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (found.rowCount === 0)
      await client.query(`create database "${name}"`).catch((error: pg.DatabaseError) => {
        if (error.code !== '42P04' && error.code !== '23505') throw error;
      });
  } finally {
    await client.end();
  }
}

/** Processes of the product, besides this one, that work on the database. */
export async function countOtherProcesses(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url, application_name: `sluice ${process.pid} last` });
  await client.connect();
  try {
    const counted = await client.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where application_name like 'sluice %' and application_name not like $1`,
      [`sluice ${process.pid}%`],
    );
    return counted.rows[0]?.n ?? 0;
  } finally {
    await client.end();
  }
}
