import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { MailSettings } from './mail.ts';
import { type ProviderSettings, readProviders } from './providers.ts';

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');

export const roles = ['web', 'worker'] as const;
export type Role = (typeof roles)[number];

const schema = z.object({
  PORT: z.coerce.number('must be a number').int().min(0).max(65_535).default(4000),
  HOST: z.string().min(1).default('127.0.0.1'),
  SLUICE_HOME: z.string().min(1).default(path.join(repository, '.sluice')),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must look like postgres://user:password@host:5432/database')
    .optional(),
  SLUICE_ROLES: z
    .string()
    .default('web,worker')
    .transform((text) => text.split(',').map((role) => role.trim()))
    .pipe(z.array(z.enum(roles, `must be a list of ${roles.join(' and ')}`)).min(1)),
  SLUICE_ADMIN_USERNAME: z.string().trim().min(1).max(200).default('admin'),
  SLUICE_ADMIN_PASSWORD: z.string().min(12, 'must have at least 12 characters').optional(),
  SLUICE_SECRET_KEY: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits (32 bytes)')
    .optional(),
  SLUICE_SANDBOX: z.enum(['on', 'off'], 'must be on or off').default('on'),
  SLUICE_SANDBOX_JOURNAL_ENTRIES: z.coerce
    .number('must be a number')
    .int()
    .min(1000)
    .max(1_000_000)
    .default(100_000),
  SLUICE_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .transform((url) => url?.replace(/\/+$/, '')),
  SLUICE_HELP_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .transform((url) => url?.replace(/\/+$/, '')),
  SLUICE_TIME_ZONE: z
    .string()
    .default(Intl.DateTimeFormat().resolvedOptions().timeZone)
    .refine(
      (zone) => Intl.supportedValuesOf('timeZone').includes(zone) || zone === 'UTC',
      'must be a time zone such as Europe/Amsterdam',
    ),
  SLUICE_FILE_ROOTS: z
    .string()
    .default('')
    .transform((text) => text.split(path.delimiter).filter((folder) => folder !== ''))
    .refine((folders) => folders.every((folder) => path.isAbsolute(folder)), 'must be whole paths'),
  SLUICE_SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must look like smtp://user:password@host:587' })
    .optional(),
  SLUICE_MAIL_FROM: z.string().regex(/@/, 'must be a mail address').default('Sluice <sluice@localhost>'),
  SLUICE_INACTIVITY_MINUTES: z.coerce.number('must be a number').int().min(0).max(1440).default(30),
  SLUICE_ALLOW_PRIVATE_ADDRESSES: z.enum(['on', 'off'], 'must be on or off').default('on'),
});

export interface Config {
  port: number;
  host: string;
  home: string;
  databaseUrl: string | null;
  roles: readonly Role[];
  adminUsername: string;
  adminPassword: string | null;
  secretKey: Buffer;
  sandbox: { isOn: boolean; journalEntries: number };
  /** Without a slash at the end; null = derived from host and port. */
  publicUrl: string | null;
  /** Help pages, without a slash at the end; null = none. */
  helpUrl: string | null;
  /** The organisation's time zone, for dates with a time. */
  timeZone: string;
  /** Folders below which files may be read as external systems. */
  fileRoots: readonly string[];
  /** Null: no mail is sent. */
  mail: MailSettings | null;
  /** The browser logs out after so many minutes without a key or pointer; 0 = never. */
  inactivityMinutes: number;
  /** Identity providers by which people sign in. */
  providers: readonly ProviderSettings[];
  /** May external systems be reached at private addresses (10.x, 192.168.x, this machine)? */
  allowPrivateAddresses: boolean;
}

/** Every setting that is wrong, each with its name; printed at start instead of a stack trace. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`These settings are wrong:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** Reads the settings (README, table of settings) and creates the key file where no key is given. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  // An empty variable counts as not set: `PORT= npm start` should not be an error.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  const { providers, problems } = readProviders(given);
  if (!parsed.success || problems.length > 0) {
    const others = (parsed.error?.issues ?? []).map((issue) => {
      const name = String(issue.path[0]);
      const isSecret = /PASSWORD|KEY|DATABASE_URL|SMTP_URL/.test(name);
      const value = isSecret ? '' : ` (it is '${given[name] ?? ''}')`;
      return `${name}: ${issue.message}${value}`;
    });
    throw new ConfigError([...others, ...problems]);
  }
  const values = parsed.data;
  const home = path.resolve(values.SLUICE_HOME);
  return {
    port: values.PORT,
    host: values.HOST,
    home,
    databaseUrl: values.DATABASE_URL ?? null,
    roles: values.SLUICE_ROLES,
    adminUsername: values.SLUICE_ADMIN_USERNAME,
    adminPassword: values.SLUICE_ADMIN_PASSWORD ?? null,
    secretKey: values.SLUICE_SECRET_KEY ? Buffer.from(values.SLUICE_SECRET_KEY, 'hex') : keyFile(home),
    sandbox: { isOn: values.SLUICE_SANDBOX === 'on', journalEntries: values.SLUICE_SANDBOX_JOURNAL_ENTRIES },
    publicUrl: values.SLUICE_PUBLIC_URL ?? null,
    helpUrl: values.SLUICE_HELP_URL ?? null,
    timeZone: values.SLUICE_TIME_ZONE,
    fileRoots: values.SLUICE_FILE_ROOTS,
    mail: values.SLUICE_SMTP_URL ? { url: values.SLUICE_SMTP_URL, from: values.SLUICE_MAIL_FROM } : null,
    providers,
    inactivityMinutes: values.SLUICE_INACTIVITY_MINUTES,
    allowPrivateAddresses: values.SLUICE_ALLOW_PRIVATE_ADDRESSES === 'on',
  };
}

function keyFile(home: string): Buffer {
  const file = path.join(home, 'secret-key');
  try {
    fs.mkdirSync(home, { recursive: true, mode: 0o700 });
    // `wx`: two processes that start together must agree on one key.
    fs.writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new ConfigError([`SLUICE_HOME: cannot write to ${home} (${(error as Error).message})`]);
    }
  }
  const key = Buffer.from(fs.readFileSync(file, 'utf8').trim(), 'hex');
  if (key.length !== 32) throw new ConfigError([`SLUICE_HOME: ${file} does not hold a key of 32 bytes`]);
  return key;
}
