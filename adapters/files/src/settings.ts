import { isIP } from 'node:net';
import type { ConfigField, ConnectionConfig } from '@sluice/adapter-kit';
import type { Formats, Locale } from '@sluice/contract';
import { z } from 'zod';
import type { Encoding } from './csv.ts';

const numberFormats = { point: 'commaSeparated', comma: 'dotSeparated' } as const;

const schema = z.object({
  folder: z.string().default(''),
  files: z.string().default(''),
  keys: z.string().default(''),
  encoding: z.enum(['auto', 'utf-8', 'windows-1252', 'utf-16le', 'utf-16be']).default('auto'),
  delimiter: z.enum(['auto', 'comma', 'semicolon', 'tab', 'bar']).default('auto'),
  numbers: z.enum(['auto', 'point', 'comma']).default('auto'),
  dates: z
    .enum(['auto', 'dd-mm-yyyy', 'mm/dd/yyyy', 'yyyy-mm-dd', 'dd/mm/yyyy', 'dd.mm.yyyy'])
    .default('auto'),
  headings: z.coerce.number().int().min(0).max(100).default(1),
  privateKey: z.string().default(''),
  passphrase: z.string().default(''),
  fingerprint: z.string().default(''),
});

export interface FileSettings {
  folder: string;
  /** Collections by name, with the pattern of their files; none = each file is one. */
  patterns: readonly { name: string; pattern: string; matches(file: string): boolean }[];
  keys: ReadonlyMap<string, readonly string[]>;
  encoding: Encoding | null;
  delimiter: string | null;
  numberFormat: Formats['numberFormat'] | null;
  dateFormat: Formats['shortDate'] | null;
  /** Line of the headings; 0 = there are none. */
  headings: number;
  privateKey: string;
  passphrase: string;
  fingerprint: string;
}

const texts = {
  folder: { EN: 'Name the folder by its whole path', NL: 'Noem de map met het volledige pad' },
  line: {
    EN: 'Line {line} is not of the form “{form}”: {text}',
    NL: 'Regel {line} heeft niet de vorm “{form}”: {text}',
  },
  choice: { EN: '“{text}” is not one of the options', NL: '“{text}” is geen van de opties' },
  address: {
    EN: 'Write the address as sftp://files.example.com:22/folder',
    NL: 'Schrijf het adres als sftp://bestanden.example.com:22/map',
  },
} satisfies Record<string, Record<Locale, string>>;

const delimiters = { comma: ',', semicolon: ';', tab: '\t', bar: '|' };

export function readSettings(
  config: ConnectionConfig,
  locale: Locale,
  kind: 'folder' | 'upload' | 'sftp',
): { settings: FileSettings; problems: { field: ConfigField['name']; message: string }[] } {
  const problems: { field: ConfigField['name']; message: string }[] = [];
  const say = (
    field: ConfigField['name'],
    key: keyof typeof texts,
    params: Record<string, string | number> = {},
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
  if (kind === 'folder' && !/^([/\\]|[a-z]:[/\\])/i.test(values.folder)) say('settings.folder', 'folder');
  if (kind === 'sftp' && !(URL.canParse(config.url) && new URL(config.url).hostname)) say('url', 'address');
  const lines = (field: 'files' | 'keys', form: string): [string, string][] =>
    values[field].split('\n').flatMap((text, index): [string, string][] => {
      if (text.trim() === '') return [];
      const [, name, rest] = /^\s*([^:]+?)\s*:\s*(.+?)\s*$/.exec(text) ?? [];
      if (name === undefined || rest === undefined) {
        say(`settings.${field}`, 'line', { line: index + 1, form, text: text.trim() });
        return [];
      }
      return [[name, rest]];
    });
  return {
    settings: {
      folder: values.folder,
      patterns: lines('files', 'orders: orders-*.csv').map(([name, pattern]) => {
        const expression = expressionOf(pattern);
        return { name, pattern, matches: (file) => expression.test(file) };
      }),
      keys: new Map(
        lines('keys', 'orders: number').map(([name, columns]) => [
          name,
          columns.split(',').map((one) => one.trim()),
        ]),
      ),
      encoding: values.encoding === 'auto' ? null : values.encoding,
      delimiter: values.delimiter === 'auto' ? null : delimiters[values.delimiter],
      numberFormat: values.numbers === 'auto' ? null : numberFormats[values.numbers],
      dateFormat: values.dates === 'auto' ? null : values.dates,
      headings: values.headings,
      privateKey: values.privateKey,
      passphrase: values.passphrase,
      fingerprint: values.fingerprint,
    },
    problems,
  };
}

/** `orders-*.csv` with `*` for any letters and `?` for one. */
const expressionOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    'iu',
  );

/** Host, port and folder of an SFTP address. */
export function addressOf(url: string): { host: string; port: number; folder: string } {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const host = parsed?.hostname.replace(/^\[|\]$/g, '') ?? '';
  return {
    host: isIP(host) ? host : decodeURIComponent(host),
    port: Number(parsed?.port) || 22,
    folder: decodeURIComponent(parsed?.pathname ?? '').replace(/\/+$/, ''),
  };
}
