import { setImmediate } from 'node:timers/promises';
import type { ReadRecord } from '@sluice/adapter-kit';
import type { PoolClient } from 'pg';
import { LineMemory } from '../../platform/copy.ts';
import { execute, sql } from '../../platform/db.ts';
import type { copyEncoder } from './encode.ts';
import { type CollectionModel, columnOf, tableOf } from './model.ts';
import type { Incoming } from './rebase.ts';
import { settledSince } from './settled.ts';

const linesPerChunk = 200;

/** COPY's lines of a page, some at a time: people's requests get their turn in between. */
export async function linesOf(
  records: readonly ReadRecord[],
  encode: ReturnType<typeof copyEncoder>,
  memory = new LineMemory(),
): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  for (let at = 0; at < records.length; at += linesPerChunk) {
    const lines = records.slice(at, at + linesPerChunk).map(encode);
    parts.push(memory.keep(lines.join('')));
    await setImmediate();
  }
  return parts;
}

/** Where lines of `copyEncoder` go. */
export const copyInto = (model: CollectionModel, target: ReturnType<typeof tableOf>) =>
  sql`copy ${target} (${sql.join([sql.id('k'), sql.id('ver'), sql.id('bad'), ...model.columns.map(({ fno }) => columnOf(fno))])}) from stdin`;

/** Brings incoming records into the rows without pending changes; answers how many records were left out. */
export async function mergeClean(
  client: PoolClient,
  model: CollectionModel,
  { source: staging, isFull, startedAt }: Incoming,
): Promise<number> {
  const table = tableOf(model.collectionId);
  const names = [sql.id('ver'), sql.id('bad'), ...model.columns.map(({ fno }) => columnOf(fno))];
  const own = sql.join(names.map((name) => sql`t.${name}`));
  const theirs = sql.join(names.map((name) => sql`s.${name}`));
  const assignments = sql.join(names.map((name) => sql`${name} = s.${name}`));
  // What a push wrote after this refresh began was read before it: the push knows better.
  const settled = settledSince(model.collectionId, startedAt);
  const isKnownBetter = sql`k in (select coalesce(new_key, key) from ${settled} i where coalesce(new_key, key) is not null)`;
  const left = await execute(client, sql`delete from ${staging} where ${isKnownBetter}`);
  await execute(client, sql`analyze ${staging}`);
  // Asked again within the statement, because outcomes go on being stored meanwhile.
  await execute(
    client,
    sql`merge into ${table} t using (select * from ${staging} where not (${isKnownBetter})) s on t.k = s.k
        when matched and not t.p and (${own}) is distinct from (${theirs}) then update set ${assignments}
        when not matched then insert (k, ${sql.join(names)}) values (s.k, ${theirs})
        ${
          isFull
            ? sql`when not matched by source and not t.p and t.k is not null and t.rid not in (select rid from ${settled} i) then delete`
            : sql``
        }`,
  );
  return left;
}
