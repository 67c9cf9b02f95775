import type { Dialect } from '../dialect.ts';
import { codeOf } from '../failures.ts';
import type { Line } from '../line.ts';
import { readCatalog } from './catalog.ts';
import { failure, recordError } from './errors.ts';
import { connectPostgres, PgLine } from './line.ts';

function own(line: Line): PgLine {
  if (!(line instanceof PgLine)) throw new Error('a line of another database');
  return line;
}

export const postgres: Dialect = {
  homeSchema: ({ schemas }) => (schemas.length === 1 ? (schemas[0] ?? 'public') : 'public'),
  connect: connectPostgres,
  catalog: async (line, settings) => await readCatalog(own(line), settings),
  version: async (line) => {
    const { rows } = await line.query('show server_version');
    return `PostgreSQL ${(rows[0]?.[0] ?? '').split(' ')[0]}`;
  },
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
  parameter: (n) => `$${n}`,
  begin: ['begin', 'set constraints all immediate'],
  rowHash: () => 'md5(t::text)',
  canReturn: () => true,
  emptyInsert: 'default values',
  isWriteWhileReading: (error) => codeOf(error) === '25006',
  failure,
  recordError,
};
