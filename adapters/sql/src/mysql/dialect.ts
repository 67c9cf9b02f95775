import type { Dialect } from '../dialect.ts';
import { codeOf } from '../failures.ts';
import type { Line } from '../line.ts';
import { hashOf, quote, readCatalog } from './catalog.ts';
import { failure, recordError } from './errors.ts';
import { connectMysql, MysqlLine, parameterOf } from './line.ts';

function own(line: Line): MysqlLine {
  if (!(line instanceof MysqlLine)) throw new Error('a line of another database');
  return line;
}

export const mysqlDialect: Dialect = {
  homeSchema: () => '',
  connect: connectMysql,
  catalog: async (line, settings) => await readCatalog(own(line), settings),
  version: (line) => {
    const { version, isMariaDb } = own(line);
    return Promise.resolve(`${isMariaDb ? 'MariaDB' : 'MySQL'} ${version.split('-')[0]}`);
  },
  quote,
  parameter: parameterOf,
  begin: ['start transaction'],
  rowHash: ({ columns }) => hashOf(columns, 't.'),
  // MySQL itself knows no `returning`, and MariaDB only after an insert.
  canReturn: (line, action) => action === 'insert' && own(line).isMariaDb,
  emptyInsert: '() values ()',
  isWriteWhileReading: (error) => codeOf(error) === 'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  failure,
  recordError,
};
