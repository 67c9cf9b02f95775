import { isIP } from 'node:net';
import type { ConfigField, ConnectionConfig } from '@sluice/adapter-kit';
import type { Locale } from '@sluice/contract';
import { z } from 'zod';

const schema = z.object({
  tls: z.enum(['verify', 'encrypt', 'off']).default('verify'),
  certificate: z.string().default(''),
  access: z.enum(['read', 'write']).default('read'),
  schemas: z.string().default(''),
  queries: z.string().default(''),
  keys: z.string().default(''),
  changes: z.string().default(''),
  timeZone: z.string().default('UTC'),
});

export interface NamedQuery {
  name: string;
  sql: string;
}

/** The settings of a domain, read. */
export interface SqlSettings {
  host: string;
  port: number;
  database: string;
  username: string;
  password: string;
  tls: 'verify' | 'encrypt' | 'off';
  /** PEM of the authority that signed the server's certificate; empty = those that the machine knows. */
  certificate: string;
  canWrite: boolean;
  /** Schemas to show; empty = all that the account may see. */
  schemas: readonly string[];
  queries: readonly NamedQuery[];
  /** Columns per table (code, slug or name): the key where the database declares none. */
  keys: ReadonlyMap<string, readonly string[]>;
  /** The column that tells when a record was changed last. */
  changes: ReadonlyMap<string, string>;
  /** Zone of times that are stored without one. */
  timeZone: string;
}

export interface SettingsProblem {
  field: ConfigField['name'];
  message: string;
}

const texts = {
  address: {
    EN: 'Write the address as {example}',
    NL: 'Schrijf het adres als {example}',
  },
  database: { EN: 'Name the database', NL: 'Noem de database' },
  line: {
    EN: 'Line {line} is not of the form “table: column”: {text}',
    NL: 'Regel {line} heeft niet de vorm “tabel: kolom”: {text}',
  },
  query: {
    EN: 'Line {line} does not begin a query: write “name: select …”',
    NL: 'Regel {line} begint geen query: schrijf “naam: select …”',
  },
  parameter: {
    EN: 'The query “{name}” has a parameter ({text}); queries are run as they stand',
    NL: 'De query “{name}” heeft een parameter ({text}); query’s worden uitgevoerd zoals ze er staan',
  },
  several: {
    EN: 'The query “{name}” holds several statements; write one',
    NL: 'De query “{name}” bevat meer dan één opdracht; schrijf er één',
  },
  twice: { EN: 'There are two queries “{name}”', NL: 'Er zijn twee query’s “{name}”' },
  zone: { EN: '“{text}” is not a time zone', NL: '“{text}” is geen tijdzone' },
  choice: { EN: '“{text}” is not one of the options', NL: '“{text}” is geen van de opties' },
} satisfies Record<string, Record<Locale, string>>;

/** Reads what the domain form holds; each problem at its field. */
export function readSettings(
  config: ConnectionConfig,
  locale: Locale,
  kind: { defaultPort: number; example: string; isDatabaseMandatory: boolean },
): { settings: SqlSettings; problems: SettingsProblem[] } {
  const problems: SettingsProblem[] = [];
  const say = (
    field: ConfigField['name'],
    key: keyof typeof texts,
    params: Record<string, string | number>,
  ) =>
    problems.push({
      field,
      message: texts[key][locale].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? '')),
    });
  const parsed = schema.safeParse(config.settings);
  if (!parsed.success)
    for (const { path } of parsed.error.issues) {
      const name = String(path[0]);
      say(`settings.${name}`, 'choice', { text: config.settings[name] ?? '' });
    }
  const wrong = new Set(parsed.error?.issues.map(({ path }) => path[0]));
  const good = Object.entries(config.settings).filter(([name]) => !wrong.has(name));
  const values = parsed.data ?? schema.parse(Object.fromEntries(good));
  const url = URL.canParse(config.url) ? new URL(config.url) : null;
  if (!url?.hostname) say('url', 'address', { example: kind.example });
  const database = config.database || decodeURIComponent(url?.pathname.slice(1) ?? '');
  if (database === '' && kind.isDatabaseMandatory) say('database', 'database', {});
  if (!isZone(values.timeZone)) say('settings.timeZone', 'zone', { text: values.timeZone });

  const columnsOf = (field: 'keys' | 'changes'): Map<string, string[]> => {
    const found = new Map<string, string[]>();
    for (const [index, text] of values[field].split('\n').entries()) {
      if (text.trim() === '') continue;
      const [, table = '', columns = ''] = /^\s*([^:]+?)\s*:\s*(.+?)\s*$/.exec(text) ?? [];
      if (table === '') say(`settings.${field}`, 'line', { line: index + 1, text: text.trim() });
      else
        found.set(
          table,
          columns.split(',').map((name) => name.trim()),
        );
    }
    return found;
  };
  const keys = columnsOf('keys');
  const changes = new Map([...columnsOf('changes')].map(([table, [column = '']]) => [table, column]));
  const queries = readQueries(values.queries, (key, params) => say('settings.queries', key, params));
  return {
    settings: {
      host: url?.hostname.replace(/^\[|\]$/g, '') ?? '',
      port: Number(url?.port) || kind.defaultPort,
      database,
      username: config.username,
      password: config.password,
      tls: values.tls,
      certificate: values.certificate,
      canWrite: values.access === 'write',
      schemas: values.schemas.split(/[\s,]+/).filter((name) => name !== ''),
      queries,
      keys,
      changes,
      timeZone: isZone(values.timeZone) ? values.timeZone : 'UTC',
    },
    problems,
  };
}

const beginning = /^\s*([\p{L}\p{N}_][\p{L}\p{N}_ -]{0,59}?)\s*:\s*((?:select|with|values|table)\b.*)$/iu;

/** `name: select …` blocks; a block goes on until the next line that begins one. */
function readQueries(
  text: string,
  say: (key: 'query' | 'parameter' | 'several' | 'twice', params: Record<string, string | number>) => void,
): NamedQuery[] {
  const found: NamedQuery[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const [, name, start] = beginning.exec(line) ?? [];
    const last = found.at(-1);
    if (name !== undefined && start !== undefined) {
      if (found.some((other) => other.name === name)) say('twice', { name });
      found.push({ name, sql: start });
    } else if (last) last.sql += `\n${line}`;
    else if (line.trim() !== '') {
      say('query', { line: index + 1 });
      return [];
    }
  }
  for (const query of found) {
    query.sql = query.sql.trim().replace(/;+\s*$/, '');
    const bare = query.sql
      .replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`/g, "''")
      .replace(/--.*$|\/\*[\s\S]*?\*\//gm, '');
    const parameter = /\$\d+|\?(?![|&?])|(?<!:):[a-z_]\w*/i.exec(bare)?.[0];
    if (parameter !== undefined) say('parameter', { name: query.name, text: parameter });
    if (bare.includes(';')) say('several', { name: query.name });
  }
  return found;
}

function isZone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Options of the TLS socket; false = none. */
export function tlsOf(
  settings: SqlSettings,
): false | { rejectUnauthorized: boolean; ca?: string; servername?: string } {
  if (settings.tls === 'off') return false;
  return {
    rejectUnauthorized: settings.tls === 'verify',
    ...(settings.certificate === '' ? {} : { ca: settings.certificate }),
    ...(isIP(settings.host) ? {} : { servername: settings.host }),
  };
}
