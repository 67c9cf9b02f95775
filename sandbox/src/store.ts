import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { entitySets, leaves, type Leaf } from './model/model.ts';
import type { Entity, EntitySet, Json } from './model/types.ts';

export type SqlValue = string | number | null;
export interface StoredRecord {
  entity: Entity;
  /** Number of the change that made this state; higher than that of any state before it. */
  seq: number;
}
export interface Selection {
  where: string;
  params: SqlValue[];
  orderBy: string;
  limit: number;
  offset: number;
}
export interface Change {
  seq: number;
  /** null = deleted. */
  entity: Entity | null;
  key: SqlValue[];
}

export const column = (path: string): string => `"${path.replaceAll('/', '_')}"`;

/** More digits than a double holds: kept as text, compared as a number. */
export function isExactDecimal(leaf: Leaf): boolean {
  const { field } = leaf;
  return field.kind === 'scalar' && field.type === 'Edm.Decimal' && (field.precision ?? 0) > 15;
}

function toSql(leaf: Leaf, value: Json | undefined): SqlValue {
  if (value === null || value === undefined) return null;
  if (leaf.field.kind !== 'scalar') return JSON.stringify(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number') return isExactDecimal(leaf) ? String(value) : value;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function fromSql(leaf: Leaf, value: unknown): Json {
  if (value === null || value === undefined) return leaf.field.kind === 'scalar' ? null : [];
  if (leaf.field.kind !== 'scalar') return JSON.parse(String(value)) as Json;
  if (leaf.field.type === 'Edm.Boolean' && typeof value === 'number') return value !== 0;
  return typeof value === 'number' ? value : String(value);
}

function isPlain(value: Json | undefined): value is Entity {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export function valueAt(entity: Json | undefined, path: string): Json | undefined {
  let at: Json | undefined = entity;
  if (!path.includes('/')) return isPlain(entity) ? entity[path] : undefined;
  for (const part of path.split('/')) {
    if (!isPlain(at)) return undefined;
    at = at[part];
  }
  return at;
}

/** A leaf with what is needed to move it between a row and a record. */
interface Cell extends Leaf {
  column: string;
  parts: string[];
}

interface Table {
  name: string;
  cells: Cell[];
  insert: StatementSync;
  update: StatementSync;
  remove: StatementSync;
  get: StatementSync;
}

/** The data of the sandbox: one SQLite table per entity set; `scope` is the company. */
export class Store {
  readonly #db: DatabaseSync;
  readonly #tables = new Map<string, Table>();
  #seq = 0;
  #depth = 0;

  constructor(file: string) {
    this.#db = new DatabaseSync(file);
    // WAL with NORMAL: a commit survives the death of the process, which is what the sandbox promises.
    this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768');
    this.#db.exec(`CREATE TABLE IF NOT EXISTS _meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS _deleted (tbl TEXT, scope INTEGER, seq INTEGER, key TEXT,
        PRIMARY KEY (tbl, scope, seq)) WITHOUT ROWID`);
    for (const set of entitySets) this.#tables.set(set.name, this.#open(set));
    this.#seq = Number(this.meta('seq') ?? 0);
  }

  #open(set: EntitySet): Table {
    const all = leaves(set.fields);
    const name = `"${set.name}"`;
    const columns = all.map((leaf) => column(leaf.path));
    const key = set.key.map(column);
    this.#db.exec(`CREATE TABLE IF NOT EXISTS ${name} (scope INTEGER NOT NULL, _seq INTEGER NOT NULL,
      ${columns.join(', ')}, PRIMARY KEY (scope, ${key.join(', ')})) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS "${set.name}_seq" ON ${name} (scope, _seq)`);
    for (const [i, fields] of set.alternateKeys.entries())
      this.#db.exec(
        `CREATE INDEX IF NOT EXISTS "${set.name}_alt${i}" ON ${name} (scope, ${fields.map(column).join(', ')})`,
      );
    for (const { path, field } of all)
      if (field.kind === 'scalar' && field.reference)
        this.#db.exec(`CREATE INDEX IF NOT EXISTS "${set.name}_${path}" ON ${name} (scope, ${column(path)})`);
    const byKey = `scope = ? AND ${key.map((k) => `${k} = ?`).join(' AND ')}`;
    return {
      name,
      cells: all.map((leaf) => ({
        ...leaf,
        column: leaf.path.replaceAll('/', '_'),
        parts: leaf.path.split('/'),
      })),
      insert: this.#db.prepare(
        `INSERT INTO ${name} (scope, _seq, ${columns.join(', ')}) VALUES (?, ?, ${columns.map(() => '?').join(', ')})`,
      ),
      update: this.#db.prepare(
        `UPDATE ${name} SET _seq = ?, ${columns.map((c) => `${c} = ?`).join(', ')} WHERE ${byKey}`,
      ),
      remove: this.#db.prepare(`DELETE FROM ${name} WHERE ${byKey}`),
      get: this.#db.prepare(`SELECT * FROM ${name} WHERE ${byKey}`),
    };
  }

  #table(set: EntitySet): Table {
    const table = this.#tables.get(set.name);
    if (!table) throw new Error(`no table for ${set.name}`);
    return table;
  }

  #record(table: Table, row: Record<string, unknown>): StoredRecord {
    const entity: Entity = {};
    for (const cell of table.cells) {
      const value = fromSql(cell, row[cell.column]);
      const last = cell.parts.length - 1;
      let target = entity;
      for (let i = 0; i < last; i++) {
        const part = cell.parts[i] ?? '';
        const next = target[part];
        if (isPlain(next)) target = next;
        else {
          const made: Entity = {};
          target[part] = made;
          target = made;
        }
      }
      target[cell.parts[last] ?? cell.path] = value;
    }
    return { entity, seq: Number(row['_seq']) };
  }

  /** Runs `work` in one transaction; inside another one it is a part that can be undone on its own. */
  transaction<T>(work: () => T): T {
    const depth = this.#depth;
    const seq = this.#seq;
    this.#db.exec(depth === 0 ? 'BEGIN IMMEDIATE' : `SAVEPOINT t${depth}`);
    this.#depth = depth + 1;
    try {
      const result = work();
      if (depth === 0 && this.#seq !== seq) this.setMeta('seq', this.#seq);
      this.#db.exec(depth === 0 ? 'COMMIT' : `RELEASE t${depth}`);
      return result;
    } catch (error) {
      this.#db.exec(depth === 0 ? 'ROLLBACK' : `ROLLBACK TO t${depth}; RELEASE t${depth}`);
      this.#seq = seq;
      throw error;
    } finally {
      this.#depth = depth;
    }
  }

  meta(name: string): string | number | null {
    const row = this.#db.prepare('SELECT value FROM _meta WHERE name = ?').get(name);
    const value = row?.['value'];
    return typeof value === 'string' || typeof value === 'number' ? value : null;
  }
  setMeta(name: string, value: string | number): void {
    this.#db.prepare('INSERT OR REPLACE INTO _meta (name, value) VALUES (?, ?)').run(name, value);
  }

  get seq(): number {
    return this.#seq;
  }

  /** The next number that the server gives out in this set of this company; never the same one twice. */
  nextNumber(set: EntitySet, scope: number): number {
    const name = `next:${set.name}:${scope}`;
    const next = Number(this.meta(name) ?? set.firstNumber ?? 1);
    this.setMeta(name, next + 1);
    return next;
  }

  get(set: EntitySet, scope: number, key: readonly SqlValue[]): StoredRecord | undefined {
    const table = this.#table(set);
    const row = table.get.get(scope, ...key);
    return row ? this.#record(table, row) : undefined;
  }

  insert(set: EntitySet, scope: number, entity: Entity): number {
    const table = this.#table(set);
    const values: SQLInputValue[] = table.cells.map((cell) => toSql(cell, valueAt(entity, cell.path)));
    table.insert.run(scope, ++this.#seq, ...values);
    return this.#seq;
  }

  update(set: EntitySet, scope: number, key: readonly SqlValue[], entity: Entity): number {
    const table = this.#table(set);
    const values: SQLInputValue[] = table.cells.map((cell) => toSql(cell, valueAt(entity, cell.path)));
    table.update.run(++this.#seq, ...values, scope, ...key);
    return this.#seq;
  }

  remove(set: EntitySet, scope: number, key: readonly SqlValue[]): void {
    const table = this.#table(set);
    table.remove.run(scope, ...key);
    this.#db
      .prepare('INSERT INTO _deleted (tbl, scope, seq, key) VALUES (?, ?, ?, ?)')
      .run(set.name, scope, ++this.#seq, JSON.stringify(key));
  }

  select(set: EntitySet, scope: number, selection: Selection): StoredRecord[] {
    const table = this.#table(set);
    const rows = this.#db
      .prepare(
        `SELECT * FROM ${table.name} WHERE scope = ? AND (${selection.where}) ORDER BY ${selection.orderBy} LIMIT ? OFFSET ?`,
      )
      .all(scope, ...selection.params, selection.limit, selection.offset);
    return rows.map((row) => this.#record(table, row));
  }

  count(set: EntitySet, scope: number, where = 'true', params: readonly SqlValue[] = []): number {
    const row = this.#db
      .prepare(`SELECT count(*) AS n FROM ${this.#table(set).name} WHERE scope = ? AND (${where})`)
      .get(scope, ...params);
    return Number(row?.['n'] ?? 0);
  }

  /** Changes after `since`, oldest first; a record that changed twice comes once. */
  changes(set: EntitySet, scope: number, since: number, limit: number): Change[] {
    const table = this.#table(set);
    const changed = this.#db
      .prepare(`SELECT * FROM ${table.name} WHERE scope = ? AND _seq > ? ORDER BY _seq LIMIT ?`)
      .all(scope, since, limit)
      .map((row): Change => {
        const { entity, seq } = this.#record(table, row);
        return { seq, entity, key: this.keyOf(set, entity) };
      });
    const deleted = this.#db
      .prepare('SELECT seq, key FROM _deleted WHERE tbl = ? AND scope = ? AND seq > ? ORDER BY seq LIMIT ?')
      .all(set.name, scope, since, limit)
      .map((row): Change => ({
        seq: Number(row['seq']),
        entity: null,
        key: JSON.parse(String(row['key'])) as SqlValue[],
      }));
    return [...changed, ...deleted].toSorted((a, b) => a.seq - b.seq).slice(0, limit);
  }

  keyOf(set: EntitySet, entity: Entity): SqlValue[] {
    return set.key.map((name) => {
      const value = entity[name];
      return typeof value === 'number' || typeof value === 'string' ? value : null;
    });
  }

  clear(): void {
    for (const table of this.#tables.values()) this.#db.exec(`DELETE FROM ${table.name}`);
    this.#db.exec(`DELETE FROM _deleted; DELETE FROM _meta WHERE name <> 'epoch'`);
    this.#seq = 0;
  }

  /** Moves what was written from the log into the database file: after a bulk load, which makes a long log. */
  checkpoint(): void {
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#db.close();
  }
}
