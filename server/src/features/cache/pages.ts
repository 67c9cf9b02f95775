import type { Page } from '@sluice/adapter-kit';
import { copyLines } from '../../platform/copy.ts';
import { type Pool, transaction } from '../../platform/db.ts';
import { copyInto } from './merge.ts';
import type { CollectionModel, tableOf } from './model.ts';
import * as store from './store.ts';

/** Pages that go to the database together, and what is known behind the last of them. */
export interface Batch {
  pages: number;
  lines: Buffer[];
  poisoned: Page['poisoned'];
  cursor: string | null;
  loaded: number;
  total: number | null;
}

/** More are not held back: they cost memory, and a crash loses them. */
export const mostPages = 8;

export function withPage(batch: Batch | null, page: Page, lines: readonly Buffer[], loaded: number): Batch {
  return {
    pages: (batch?.pages ?? 0) + 1,
    lines: [...(batch?.lines ?? []), ...lines],
    poisoned: [...(batch?.poisoned ?? []), ...page.poisoned],
    cursor: page.cursor,
    loaded,
    total: page.total ?? batch?.total ?? null,
  };
}

/** Pages and the cursor behind them, together or not at all. */
export async function savePages(
  pool: Pool,
  model: CollectionModel,
  target: ReturnType<typeof tableOf>,
  { lines, poisoned, cursor, loaded, total }: Batch,
): Promise<void> {
  await transaction(pool, async (client) => {
    await client.query('set local synchronous_commit = off');
    await copyLines(client, copyInto(model, target), lines);
    await store.savePoisoned(client, model.collectionId, poisoned);
    await store.updateCollection(client, model.collectionId, {
      refresh_cursor: cursor,
      loaded,
      ...(total === null ? {} : { expected: total }),
    });
  });
}
