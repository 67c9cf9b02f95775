import { type App, type AppSettings, createApp } from '@sluice/server/app';
import { createLog } from '@sluice/server/log';
import { hashPassword } from '@sluice/server/passwords';
import { connectSandbox } from '@sluice/server/sandbox';
import pg from 'pg';
import { type Api, loginApi } from './api.ts';
import { createDatabase } from './database.ts';

export interface Product {
  app: App;
  base: string;
  databaseUrl: string;
  /** The first administrator, a superuser. */
  admin: Api;
  /** Adds a user and logs him in; rights as the database keeps them. */
  addUser(user: NewUser): Promise<Api>;
  /** Past the product, to look at what it stored. */
  query<T extends object>(statement: string, values?: unknown[]): Promise<T[]>;
  /** Stops it without warning other processes would get (sockets and pool closed) and keeps the database. */
  close(): Promise<void>;
  stop(): Promise<void>;
}

export interface NewUser {
  username: string;
  fullName?: string;
  isSuperuser?: boolean;
  isActive?: boolean;
  rights?: { endpointId: string; create: boolean; read: boolean; update: boolean; delete: boolean }[];
  systems?: { externalSystemId: string; levelIds: string[] | null }[];
}

export const testPassword = 'correct horse battery';
export const testSecretKey = Buffer.alloc(32, 7);

export interface ProductOptions {
  roles?: readonly ('web' | 'worker')[];
  /** An existing database instead of a fresh one. */
  databaseUrl?: string;
  secretKey?: Buffer;
  sandboxUrl?: string;
  now?: () => Date;
  mail?: { url: string; from: string };
  publicUrl?: string;
  providers?: AppSettings['providers'];
  /** Where files may be read, and where uploaded ones are kept; absent = nowhere. */
  files?: { roots: readonly string[]; uploads: string };
}

/** No folder may be read, and none is made. */
export const noFiles = { roots: [], uploads: '/nonexistent' };

/** The product in this process on a database of its own, listening on a free port. */
export async function startProduct(postgresUrl: string, options: ProductOptions = {}): Promise<Product> {
  const database = options.databaseUrl ? null : await createDatabase(postgresUrl);
  const databaseUrl = options.databaseUrl ?? database?.url ?? '';
  const lines: string[] = [];
  const app = await createApp({
    databaseUrl,
    roles: options.roles ?? ['web', 'worker'],
    secretKey: options.secretKey ?? testSecretKey,
    publicUrl: options.publicUrl ?? null,
    helpUrl: null,
    providers: options.providers ?? [],
    timeZone: 'Europe/Amsterdam',
    mail: options.mail ?? null,
    inactivityMinutes: 30,
    allowPrivateAddresses: true,
    files: options.files ?? noFiles,
    log: createLog((line) => lines.push(line)),
    checkReplies: true,
    ...(options.now ? { now: options.now } : {}),
  });
  const base = await app.http.listen({ port: 0, host: '127.0.0.1' });
  const query = async <T extends object>(statement: string, values: unknown[] = []): Promise<T[]> => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      return (await client.query<T>(statement, values)).rows;
    } finally {
      await client.end();
    }
  };
  const addUser = async (user: NewUser): Promise<Api> => {
    const [row] = await query<{ user_id: number }>(
      `insert into app_user (username, full_name, password_hash, is_superuser, is_active) values ($1, $2, $3, $4, $5)
       on conflict do nothing returning user_id`,
      [
        user.username,
        user.fullName ?? user.username,
        await hashPassword(testPassword),
        user.isSuperuser ?? false,
        user.isActive ?? true,
      ],
    );
    if (row) {
      await query(`insert into user_right (user_id, rights, external_system_rights) values ($1, $2, $3)`, [
        row.user_id,
        JSON.stringify(user.rights ?? []),
        JSON.stringify(user.systems ?? []),
      ]);
    }
    return await loginApi(base, user.username, testPassword);
  };
  const admin = await addUser({ username: 'admin', fullName: 'Ada Minster', isSuperuser: true });
  if (options.sandboxUrl) await connectSandbox(app.systems, options.sandboxUrl);
  return {
    app,
    base,
    databaseUrl,
    admin,
    addUser,
    query,
    close: async () => await app.close(),
    stop: async () => {
      await app.close();
      await database?.drop();
    },
  };
}

/**
 * Waits until the check answers something else than null; says what it waited for when it gives up. What takes longer is
 * asked for less often: asking is work of the same machine.
 */
export async function waitFor<T>(
  what: string,
  check: () => Promise<T | null | undefined | false>,
  timeoutMs = 60_000,
  everyMs = 50,
): Promise<T> {
  const begun = Date.now();
  for (;;) {
    const result = await check();
    if (result !== null && result !== undefined && result !== false) return result;
    const waited = Date.now() - begun;
    if (waited > timeoutMs) throw new Error(`Waited ${timeoutMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Math.max(everyMs, Math.min(waited / 10, 250))));
  }
}
