import net from 'node:net';
import type { Readable } from 'node:stream';
import type { SessionContext } from '@sluice/adapter-kit';
import mysql from 'mysql2';
import { z } from 'zod';
import type { Answer, Line, RowStream } from '../line.ts';
import { type SqlSettings, tlsOf } from '../settings.ts';

const connectTimeoutMs = 15_000;
const rowSchema = z.array(z.string().nullable());
const resultSchema = z.object({ affectedRows: z.number(), insertId: z.union([z.number(), z.string()]) });

export async function connectMysql(settings: SqlSettings, context: SessionContext): Promise<MysqlLine> {
  const { host, port, database, username, password } = settings;
  const tls = tlsOf(settings);
  const { lookup } = context;
  const connection = mysql.createConnection({
    host,
    port,
    database,
    user: username,
    password,
    charset: 'utf8mb4',
    supportBigNumbers: true,
    connectTimeout: Math.min(connectTimeoutMs, context.requestTimeoutMs),
    ...(tls ? { ssl: tls } : {}),
    stream: () => net.connect({ host, port, ...(lookup ? { lookup } : {}) }),
  });
  const line = new MysqlLine(connection);
  await new Promise<void>((resolve, reject) =>
    connection.connect((error) => {
      if (error) reject(error);
      else resolve();
    }),
  );
  // The mode decides how texts are written (backslashes) and that no value is cut or changed silently.
  await line.query(
    `set session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO',
     time_zone = '+00:00', net_write_timeout = 86400`,
  );
  if (!settings.canWrite) await line.query('set session transaction read only');
  const { rows } = await line.query('select version()');
  line.version = rows[0]?.[0] ?? '';
  return line;
}

const marker = (n: number): string => `:sluice_${n}:`;
export const parameterOf = marker;

export interface MysqlColumnInfo {
  name: string;
  type: number;
  length: number;
  decimals: number;
  isUnsigned: boolean;
  isBinary: boolean;
}

export class MysqlLine implements Line {
  version = '';
  readonly #connection: mysql.Connection;
  #isBroken = false;

  constructor(connection: mysql.Connection) {
    this.#connection = connection;
    connection.on('error', () => (this.#isBroken = true));
    connection.on('end', () => (this.#isBroken = true));
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }
  get isMariaDb(): boolean {
    return this.version.includes('MariaDB');
  }

  /**
   * One round trip: values stand in the text, escaped as the session's `sql_mode` demands. (A statement that is
   * prepared first would take two, and a write whose preparation got lost could not be told from one that was done.)
   */
  async query(text: string, values: readonly (string | null)[] = []): Promise<Answer> {
    const { result } = await this.#run(text, values);
    if (!Array.isArray(result)) {
      const { affectedRows, insertId } = resultSchema.parse(result);
      return { rows: [], count: affectedRows, insertId: String(insertId) };
    }
    return { rows: z.array(rowSchema).parse(result), count: result.length, insertId: null };
  }

  async read(text: string, values: readonly (string | null)[] = []): Promise<Answer> {
    return await this.#reading(async () => await this.query(text, values));
  }

  async #reading<T>(work: () => Promise<T>): Promise<T> {
    await this.query('start transaction read only');
    try {
      return await work();
    } finally {
      if (!this.#isBroken) await this.query('rollback');
    }
  }

  /** Columns of a query, without its rows. */
  async describe(text: string): Promise<MysqlColumnInfo[]> {
    const empty = `select * from (${text}\n) q limit 0`;
    const { fields } = await this.#reading(async () => await this.#run(empty, []));
    return fields.map(({ name, columnType, type, columnLength, decimals, flags, characterSet }) => {
      const bits = typeof flags === 'number' ? flags : 0;
      return {
        name,
        type: columnType ?? type ?? 0,
        length: columnLength ?? 0,
        decimals,
        isUnsigned: (bits & 32) !== 0,
        isBinary: characterSet === 63,
      };
    });
  }

  async #run(
    text: string,
    values: readonly (string | null)[],
  ): Promise<{ result: unknown; fields: mysql.FieldPacket[] }> {
    return await new Promise((resolve, reject) => {
      this.#connection.query<mysql.RowDataPacket[][] | mysql.ResultSetHeader>(
        { sql: filled(text, values), rowsAsArray: true, typeCast: asText },
        (error, result, fields) => {
          if (!error) {
            resolve({ result, fields });
            return;
          }
          if (error.fatal) this.#isBroken = true;
          reject(error);
        },
      );
    });
  }

  async open(text: string, values: readonly (string | null)[]): Promise<RowStream> {
    await this.query('set transaction isolation level repeatable read');
    await this.query('start transaction with consistent snapshot, read only');
    const stream: Readable = this.#connection
      .query({ sql: filled(text, values), rowsAsArray: true, typeCast: asText })
      .stream({ highWaterMark: 1000 });
    const rows = stream[Symbol.asyncIterator]();
    let isEnd = false;
    return {
      next: async (count) => {
        const found: (string | null)[][] = [];
        while (found.length < count && !isEnd) {
          const next = await rows.next();
          if (next.done) isEnd = true;
          else found.push(rowSchema.parse(next.value));
        }
        return found;
      },
      close: async () => {
        // Rows that nobody wants any more would all have to be read: the line is given up instead.
        if (!isEnd) this.destroy();
        if (!this.#isBroken) await this.query('rollback');
      },
    };
  }

  destroy(): void {
    this.#isBroken = true;
    this.#connection.destroy();
  }

  async close(): Promise<void> {
    const wasBroken = this.#isBroken;
    this.#isBroken = true;
    if (!wasBroken) await new Promise<void>((resolve) => this.#connection.end(() => resolve()));
  }
}

const asText = (field: { string(): string | null }): string | null => field.string();

const filled = (text: string, values: readonly (string | null)[]): string =>
  text.replaceAll(/:sluice_(\d+):/g, (_, n: string) => mysql.escape(values[Number(n) - 1] ?? null));
