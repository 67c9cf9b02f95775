import type { AdapterDefinition } from '@sluice/adapter-kit';
import type { Dialect } from './dialect.ts';
import { databaseLevel, formOf } from './form.ts';
import { mysqlDialect } from './mysql/dialect.ts';
import { postgres } from './postgres/dialect.ts';
import { SqlSession } from './session.ts';
import { readSettings } from './settings.ts';

function adapterOf(options: {
  kind: string;
  title: string;
  dialect: Dialect;
  urlSchemes: readonly string[];
  defaultPort: number;
  example: string;
  hasSchemas: boolean;
}): AdapterDefinition {
  const { kind, title, dialect, urlSchemes, defaultPort, example, hasSchemas } = options;
  const address = { defaultPort, example, isDatabaseMandatory: true };
  return {
    kind,
    title: { EN: title, NL: title },
    systemLevels: databaseLevel,
    authTypes: ['basic'],
    urlSchemes,
    configFields: formOf(
      example,
      true,
      hasSchemas
        ? [
            {
              name: 'settings.schemas',
              label: { EN: 'Schemas', NL: 'Schema’s' },
              hint: {
                EN: 'Empty = all that the account may read',
                NL: 'Leeg = alle die het account mag lezen',
              },
              isMandatory: false,
            },
          ]
        : [],
    ),
    checkConfig: (config, locale) => readSettings(config, locale, address).problems,
    open: (config, context) => new SqlSession(dialect, readSettings(config, 'EN', address).settings, context),
  };
}

/** Tables, views and named queries of a PostgreSQL database. */
export const postgresAdapter = adapterOf({
  kind: 'postgresql',
  title: 'PostgreSQL',
  dialect: postgres,
  urlSchemes: ['postgresql:', 'postgres:'],
  defaultPort: 5432,
  example: 'postgresql://db.example.com:5432',
  hasSchemas: true,
});

/** Tables, views and named queries of a database of MariaDB or MySQL. */
export const mysqlAdapter = adapterOf({
  kind: 'mysql',
  title: 'MariaDB, MySQL',
  dialect: mysqlDialect,
  urlSchemes: ['mysql:', 'mariadb:'],
  defaultPort: 3306,
  example: 'mysql://db.example.com:3306',
  hasSchemas: false,
});
