import net, { type LookupFunction } from 'node:net';
import type { SessionContext } from '@sluice/adapter-kit';
import pg from 'pg';
import type { Answer, Line, RowStream } from '../line.ts';
import { type SqlSettings, tlsOf } from '../settings.ts';

const connectTimeoutMs = 15_000;
/** Values come as PostgreSQL writes them. */
const asText = { getTypeParser: () => (text: string) => text };

export async function connectPostgres(settings: SqlSettings, context: SessionContext): Promise<PgLine> {
  const { host, port, database, username, password } = settings;
  const client = new pg.Client({
    host,
    port,
    database,
    user: username,
    password,
    ssl: tlsOf(settings),
    stream: () => guardedSocket(context.lookup),
    connectionTimeoutMillis: Math.min(connectTimeoutMs, context.requestTimeoutMs),
    application_name: 'Sluice',
  });
  const line = new PgLine(client);
  await client.connect();
  await client.query(
    `set datestyle to 'ISO, YMD'; set timezone to 'UTC'; set intervalstyle to 'iso_8601'; set extra_float_digits to 1;
     set client_encoding to 'UTF8'; set default_transaction_read_only to ${settings.canWrite ? 'off' : 'on'}`,
  );
  return line;
}

/** A socket that resolves names by the product's own rules. */
function guardedSocket(lookup: LookupFunction | undefined): net.Socket {
  const socket = new net.Socket();
  const connect = socket.connect.bind(socket);
  return Object.assign(socket, {
    connect: (port: number, host: string) => connect({ port, host, ...(lookup ? { lookup } : {}) }),
  });
}

export interface PgColumnInfo {
  name: string;
  typeId: number;
  modifier: number;
}

export class PgLine implements Line {
  readonly #client: pg.Client;
  #isBroken = false;
  #cursors = 0;

  constructor(client: pg.Client) {
    this.#client = client;
    client.on('error', () => (this.#isBroken = true));
    client.on('end', () => (this.#isBroken = true));
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  async query(text: string, values: readonly (string | null)[] = []): Promise<Answer> {
    const answer = await this.#client.query<(string | null)[]>({
      text,
      values: [...values],
      rowMode: 'array',
      types: asText,
    });
    return { rows: answer.rows, count: answer.rowCount ?? 0, insertId: null };
  }

  async read(text: string, values: readonly (string | null)[] = []): Promise<Answer> {
    return await this.#reading(async () => await this.query(text, values));
  }

  async #reading<T>(work: () => Promise<T>): Promise<T> {
    await this.query('begin read only');
    try {
      return await work();
    } finally {
      if (!this.#isBroken) await this.query('rollback');
    }
  }

  /** Columns of a query, without running it. */
  async describe(text: string): Promise<PgColumnInfo[]> {
    const empty = { text: `select * from (${text}\n) q limit 0`, rowMode: 'array' };
    const { fields } = await this.#reading(async () => await this.#client.query(empty));
    return fields.map(({ name, dataTypeID, dataTypeModifier }) => ({
      name,
      typeId: dataTypeID,
      modifier: dataTypeModifier,
    }));
  }

  async open(text: string, values: readonly (string | null)[]): Promise<RowStream> {
    this.#cursors += 1;
    const cursor = `sluice_${this.#cursors}`;
    await this.query('begin isolation level repeatable read, read only');
    await this.query(`declare ${cursor} no scroll cursor for ${text}`, values);
    return {
      next: async (count) => (await this.query(`fetch ${count} from ${cursor}`)).rows,
      close: async () => {
        if (!this.#isBroken) await this.query('rollback');
      },
    };
  }

  destroy(): void {
    this.#isBroken = true;
    this.#client.connection.stream.destroy();
  }

  async close(): Promise<void> {
    const wasBroken = this.#isBroken;
    this.#isBroken = true;
    if (!wasBroken) await this.#client.end().catch(() => undefined);
  }
}
