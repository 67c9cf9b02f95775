import { startFaultProxy } from './fault-proxy.ts';
import type { FaultProxy } from './fault-proxy.ts';
import { runSql } from './run-sql.ts';
import { joinTrytonCluster } from './tryton-cluster.ts';
import { findTrytonProblem, startTrytond } from './tryton-process.ts';
import { connectTryton } from './tryton-rpc.ts';
import type { TrytonRpc } from './tryton-rpc.ts';
import { trytonAdmin } from './tryton-template.ts';

export interface TrytonServer {
  /** Where the adapter connects; goes through the proxy, which passes everything until told otherwise. */
  url: string;
  database: string;
  username: string;
  password: string;
  /** `[euro company, dollar company]`, both with a chart of accounts and prices of their own. */
  companies: [number, number];
  /** Verification past the proxy and past the adapter. */
  rpc: TrytonRpc;
  /** The same for another user. */
  login(username: string, password: string): Promise<TrytonRpc>;
  proxy: FaultProxy;
  /** Another fresh database on the same server; answers its name. */
  createDatabase(): Promise<string>;
  /** Reaches below Tryton, to make what its own rules forbid. */
  sql(statement: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/** A real trytond on a real PostgreSQL with a fresh database of its own. Throws with the reason when it cannot. */
export async function startTryton(): Promise<TrytonServer> {
  const problem = findTrytonProblem();
  if (problem !== null) throw new Error(problem);
  const cluster = await joinTrytonCluster();
  const database = await cluster.createDatabase();
  const trytond = await startTrytond(cluster.folder, cluster.url);
  const proxy = await startFaultProxy(trytond.port);
  const login = (username: string, password: string) =>
    connectTryton(`http://127.0.0.1:${trytond.port}/${database}/`, username, password);
  const rpc = await login(trytonAdmin.username, trytonAdmin.password);
  const companies = await rpc.search('company.company', [], ['id']);
  return {
    url: `http://127.0.0.1:${proxy.port}`,
    database,
    ...trytonAdmin,
    companies: [Number(companies[0]?.['id']), Number(companies[1]?.['id'])],
    rpc,
    login,
    proxy,
    createDatabase: cluster.createDatabase,
    sql: (statement) => runSql(cluster.url(database), statement),
    async stop() {
      await proxy.stop();
      await trytond.stop();
      await cluster.release();
    },
  };
}
