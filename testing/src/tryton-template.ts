import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSql } from './run-sql.ts';
import { runTrytonAdmin, startTrytond } from './tryton-process.ts';
import type { DatabaseUrl } from './tryton-process.ts';
import { connectTryton } from './tryton-rpc.ts';
import { seedCompanies } from './tryton-seed.ts';

export const trytonAdmin = { username: 'admin', password: 'admin-Pw-1' };

const modules =
  'party product company account account_product account_invoice sale purchase currency country stock'.split(
    ' ',
  );

/** Another name, hence another database, whenever what goes into it changes. */
function nameOf(kind: string, content: unknown): string {
  return `tryton_${kind}_${createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 12)}`;
}

/**
 * Tryton's set-up asks the catalogs so often that without fresh statistics it takes three times as long. Afterwards a
 * look at thousands of tables in every second would take a fifth of what the tests do.
 */
const whileBuilding = {
  autovacuum_naptime: '1s',
  autovacuum_analyze_threshold: '10',
  autovacuum_analyze_scale_factor: '0.01',
};

let names: { bare: string; template: string } | null = null;

/** `bare`: Tryton with its modules, slow to build; `template`: that with two companies, cloned by every test. */
export function templateNames(): { bare: string; template: string } {
  if (names !== null) return names;
  const version = spawnSync('trytond', ['--version'], { encoding: 'utf8' }).stdout;
  const seed = readFileSync(join(import.meta.dirname, 'tryton-seed.ts'), 'utf8');
  names = {
    bare: nameOf('bare', [version, modules]),
    template: nameOf('template', [version, modules, seed]),
  };
  return names;
}

/** Builds what is missing of the two; the slow one takes about a minute. `folder` is for trytond's files. */
export async function buildTemplate(url: DatabaseUrl, folder: string): Promise<void> {
  const sql = (statement: string) => runSql(url('postgres'), statement);
  const rows = await sql('select datname from pg_database');
  const existing = rows.map((row) => String(row['datname']));
  if (existing.includes(templateNames().template)) return;
  for (const [name, value] of Object.entries(whileBuilding))
    await sql(`alter system set ${name} = '${value}'`);
  await sql('select pg_reload_conf()');
  try {
    await buildMissing(url, folder, existing);
  } finally {
    await sql('alter system reset all');
    await sql('select pg_reload_conf()');
  }
}

async function buildMissing(url: DatabaseUrl, folder: string, existing: readonly string[]): Promise<void> {
  const sql = (statement: string) => runSql(url('postgres'), statement);
  const { bare, template } = templateNames();
  const partial = 'tryton_partial';
  const build = async (name: string, source: string, work: () => void | Promise<void>) => {
    await sql(`drop database if exists ${partial} with (force)`);
    await sql(`create database ${partial} template ${source}`);
    await work();
    await sql(`alter database ${partial} rename to ${name}`);
  };
  if (!existing.includes(bare)) {
    console.log('Building the Tryton database that tests are cloned from (once per machine, about a minute)');
    await build(bare, 'template0', () => {
      const admin = (args: string[]) =>
        runTrytonAdmin(folder, url, trytonAdmin.password, ['-d', partial, ...args]);
      admin(['--all', '--email', 'admin@example.org', '-l', 'nl']);
      admin(['-u', ...modules, '--activate-dependencies']);
    });
  }
  await build(template, bare, async () => {
    const trytond = await startTrytond(folder, url);
    try {
      const address = `http://127.0.0.1:${trytond.port}/${partial}/`;
      await seedCompanies(await connectTryton(address, trytonAdmin.username, trytonAdmin.password));
    } finally {
      await trytond.stop();
    }
  });
}
