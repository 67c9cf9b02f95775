import type { CollectionModel } from '../../server/src/features/cache/model.ts';
import { createSnapshots } from '../../server/src/features/records/views.ts';
import type { RecordServices } from '../../server/src/features/records/service.ts';
import { modelOf } from '../../server/src/features/records/context.ts';
import { createGenerator, type RowGenerator } from '../generator.ts';
import {
  addGeneratedTables,
  type BenchProduct,
  type GeneratedTables,
  startBenchProduct,
} from '../product.ts';

/** What the parts of the database's benchmark share. */
export interface Workbench {
  rows: number;
  product: BenchProduct;
  generator: RowGenerator;
  session: GeneratedTables['session'];
  /** Stays without pending changes. */
  clean: BenchTable;
  /** The same rows, with pending changes on top. */
  edited: BenchTable;
  services: RecordServices & { now(): Date };
  stop(): Promise<void>;
}

export interface BenchTable {
  collectionId: number;
  path: string;
  model(): Promise<CollectionModel>;
}

/** Name of the table that limits are measured on: the same columns, rows and indexes, and nothing else. */
export const limitTable = 'cache.bench_limit';

export async function openWorkbench(rows: number): Promise<Workbench> {
  // Pages of 1000 records, as the product's own adapters read them.
  const generator = createGenerator({ rows, pageSize: 1000 });
  const product = await startBenchProduct({ roles: ['web'], adapters: [generator.definition] });
  const { session, tables } = await addGeneratedTables(product);
  const [clean, edited] = tables.map((table): BenchTable => ({
    ...table,
    model: async () => await modelOf(product.pool, table.collectionId),
  }));
  if (!clean || !edited) throw new Error('The generated system has two tables');
  const { pool, catalogue, connections } = product.app.systems;
  return {
    rows,
    product,
    generator,
    session,
    clean,
    edited,
    services: {
      pool,
      catalogue,
      connections,
      snapshots: createSnapshots(),
      timeZone: 'Europe/Amsterdam',
      now: () => new Date(),
    },
    stop: product.stop,
  };
}
