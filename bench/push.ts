/** A push of many records to the sandbox ERP beside a bare loop of the same requests. `node bench/push.ts --records=20000` */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import type { ChangePushAction } from '@sluice/contract';
import {
  type Api,
  connectSandbox,
  loginApi,
  startSandboxProcess,
  tableOf,
  waitFor,
  waitUntilCached,
} from '@sluice/testing';
import { z } from 'zod';
import { report, say, timed } from './measure.ts';
import { benchPassword, startBenchProduct } from './product.ts';

const { values } = parseArgs({ options: { records: { type: 'string', default: '20000' } }, strict: false });
const records = Number(values.records);
const rounds = 7;
/** Requests in one `$batch` that the bare loop is tried with. The sandbox takes no more than 1000. */
const batchSizes = [100, 500, 1000];

const sandbox = await startSandboxProcess({ journalEntries: Math.max(5000, records) });
const product = await startBenchProduct({ roles: ['web', 'worker'] });

async function measure(): Promise<void> {
  const api = await loginApi(product.base, 'admin', benchPassword);
  const domain = await connectSandbox(api, sandbox, { systemName: 'Sandbox', database: 'test' });
  const path = domain.table('journal-entries');
  await waitUntilCached(api, path);
  await quiet();
  const table = tableOf(api, path);
  for (const place of places) {
    if (!schedule(place)) {
      say(`NOT MEASURED: the sandbox ${place.name} (chrt of util-linux and the right to use it are needed)`);
      continue;
    }
    await sandbox.call('POST', '/admin/faults', { faults: latencyFault(place.latencyMs) });
    await measureAt(api, path, table, place);
  }
}

interface Place {
  name: string;
  latencyMs: number;
  /** It gets a core whenever it wants one, as on a machine of its own: what it takes is then what it can take. */
  isFirst: boolean;
  bar: number | null;
}

/**
 * External systems are seldom on our machine: the sandbox is measured as one that has a processor of its own, beside us
 * and at a distance. Where it has none, the bare loop has nearly all of two cores for it, and a push has to share them
 * with PostgreSQL and with Sluice: that is shown, as a matter of cores rather than of pushing.
 */
const places: readonly Place[] = [
  { name: 'with a core whenever it wants one', latencyMs: 0, isFirst: true, bar: 0.9 },
  { name: '50 ms away', latencyMs: 50, isFirst: true, bar: 0.9 },
  { name: 'which shares our cores', latencyMs: 0, isFirst: false, bar: null },
];
const latencyFault = (ms: number) =>
  ms === 0 ? [] : [{ kind: 'latency', ms, method: 'POST', path: '$batch' }];

/** Lets the sandbox go before everybody else, or not; false where this machine does not allow it. */
function schedule({ isFirst }: Place): boolean {
  const policy = isFirst ? ['--fifo', '--pid', '1'] : ['--other', '--pid', '0'];
  try {
    execFileSync('chrt', ['--all-tasks', ...policy, String(sandbox.pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return !isFirst;
  }
}

async function measureAt(api: Api, path: string, table: Table, { name: place, bar }: Place): Promise<void> {
  const inserts = { rounds: [] as Round[], bare: createBareLoop() };
  const updates = { rounds: [] as Round[], bare: createBareLoop() };
  const mark = (round: number): string => `${place} ${round}`;
  for (let round = 0; round < rounds; round += 1) {
    say(`inserts of ${records} records, the sandbox ${place}, round ${round + 1} of ${rounds}`);
    const made = insertRequests(`pushed ${mark(round)}`).map(({ body }) => body);
    for (const part of parts(made)) await table.insert(part);
    const requests = () => Promise.resolve(insertRequests(`bare ${mark(round)}`));
    inserts.rounds.push(await pushBetween(table, async () => await inserts.bare.run(requests)));
  }
  await refresh(api, path);
  // Seeded entries may be posted already, which the sandbox lets nobody change: the new ones are not. The bare loops
  // change the first of them, the pushes those that come after: these keep the versions that their push expects.
  const isNew = JSON.stringify([{ field: 'number', operator: 'greaterThan', value: lastSeeded }]);
  const found: { internalId: string }[] = [];
  while (found.length < records) {
    const limit = Math.min(mostAtOnce, records - found.length);
    const order = `limit=${limit}&offset=${records + found.length}&noTotal=true&orderBy=number`;
    found.push(...(await table.find(`${order}&filter=${encodeURIComponent(isNew)}`)));
  }
  for (let round = 0; round < rounds; round += 1) {
    say(`updates of ${records} records, the sandbox ${place}, round ${round + 1} of ${rounds}`);
    for (const part of parts(found)) {
      const changeOf = (id: string) => ({ id, changes: { description: `updated ${mark(round)} ${id}` } });
      await table.patch(part.map(({ internalId }) => changeOf(internalId)));
    }
    const requests = async () => await updateRequests(`bare ${mark(round)} `);
    updates.rounds.push(await pushBetween(table, async () => await updates.bare.run(requests)));
  }
  for (const [name, { rounds: all, bare }] of Object.entries({ inserts, updates })) {
    const byRatio = all.toSorted((a, b) => ratioOf(a) - ratioOf(b));
    const middle = byRatio[Math.floor(byRatio.length / 2)];
    if (!middle) continue;
    const wait = Number.isNaN(middle.queuedMs)
      ? ''
      : `; of ${middle.ms.toFixed(0)} ms the sandbox stood ${middle.queuedMs.toFixed(0)} ms in the queue for a core`;
    report({
      name: `push of ${records} ${name} to the sandbox, ${place}`,
      unit: 'rows/s',
      measured: records / (middle.ms / 1000),
      limit: records / (middle.bareMs / 1000),
      bar,
      direction: 'atLeast',
      note:
        `the limit is a bare loop of $batch calls of ${bare.size()}, its best; ` +
        `rounds: ${byRatio.map((round) => ratioOf(round).toFixed(2)).join(' ')}${wait}`,
    });
  }
}

type Table = ReturnType<typeof tableOf>;

interface Round extends Pushed {
  /** The middle between a bare loop right before the push and one right after it. */
  bareMs: number;
}

/**
 * A push between two bare loops: what this machine gives changes by a third within seconds, and a push is compared with
 * what it gave around it. Only the refresh that follows a push comes in between, and is waited for.
 */
async function pushBetween(table: Table, bare: () => Promise<number>): Promise<Round> {
  const operations = await table.pending();
  const beforeMs = await bare();
  const pushed = await push(async () => await table.pushThese(operations));
  return { ...pushed, bareMs: (beforeMs + (await bare())) / 2 };
}

const ratioOf = ({ bareMs, ms }: Round): number => bareMs / ms;

/** A bare loop of the sandbox's best batch, which the first run finds; answers milliseconds. */
function createBareLoop() {
  let best = 0;
  return {
    /** Requests in one `$batch`. */
    size: () => best,
    /** The requests are made anew for each loop: versions change. */
    run: async (requests: () => Promise<BatchRequest[]>): Promise<number> => {
      if (best > 0) return await bareLoop(await requests(), best);
      let bestMs = Infinity;
      for (const size of batchSizes) {
        const ms = await bareLoop(await requests(), size);
        say(`a bare loop of calls of ${size}: ${ms.toFixed(0)} ms`);
        if (ms >= bestMs) continue;
        bestMs = ms;
        best = size;
      }
      return bestMs;
    },
  };
}

/** Records that one call of the API takes. */
const mostAtOnce = 5000;
const parts = <T>(list: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(list.length / mostAtOnce) }, (_, part) =>
    list.slice(part * mostAtOnce, (part + 1) * mostAtOnce),
  );

/** Refreshes would take the sandbox's time from whatever is measured. */
async function quiet(): Promise<void> {
  await waitFor(
    'the cache to be at rest',
    async () => {
      const { rows } = await product.pool.query<{ n: number }>(
        `select count(*)::int as n from collection c join domain_company dc using (domain_id, company_id)
         where dc.is_active and (refreshed_at is null or refresh_id is not null or wanted_at is not null)`,
      );
      return rows[0]?.n === 0;
    },
    300_000,
  );
}

/** Brings what the bare loop wrote into the cache, so that the push meets the versions that it expects. */
async function refresh(api: Api, path: string): Promise<void> {
  await api.send('POST', `${path}/cache`, undefined, z.unknown());
  await quiet();
}

interface Pushed {
  /** From the request until the last outcome is stored. */
  ms: number;
  /** In which the sandbox had work and no core, until the end of the push was seen; NaN where that is not told. */
  queuedMs: number;
}

async function push(work: () => Promise<ChangePushAction>): Promise<Pushed> {
  const queuedBefore = queuedMs();
  const result = await work();
  if (result.succeeded !== records)
    throw new Error(`Only ${result.succeeded} of ${records} succeeded: ${JSON.stringify(result.results[0])}`);
  const queued = queuedMs() - queuedBefore;
  await quiet();
  return { ms: Date.parse(result.finishedAt ?? '') - Date.parse(result.createdAt), queuedMs: queued };
}

/** Milliseconds that the sandbox's main thread has waited for a core so far; NaN where the system does not tell. */
function queuedMs(): number {
  try {
    return Number(fs.readFileSync(`/proc/${sandbox.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return Number.NaN;
  }
}

interface BatchRequest {
  id: string;
  method: 'PATCH' | 'POST';
  url: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/** Numbers above it are given to new entries. */
const lastSeeded = 20_000_000;
const service = "/odata/test/companies('NL01')/";
const pageSchema = z.object({
  value: z.array(z.looseObject({ number: z.union([z.string(), z.number()]), '@odata.etag': z.string() })),
  '@odata.nextLink': z.string().optional(),
});
const answersSchema = z.object({ responses: z.array(z.object({ status: z.number() })) });

/** Changes of the entries that the first bare loop made, with their versions of now. */
async function updateRequests(text: string): Promise<BatchRequest[]> {
  const requests: BatchRequest[] = [];
  const filter = encodeURIComponent(`number gt ${lastSeeded}`);
  let next: string | undefined = `${service}JournalEntries?$select=number&$orderby=number&$filter=${filter}`;
  while (next !== undefined && requests.length < records) {
    const page = pageSchema.parse((await sandbox.call('GET', next)).body);
    for (const { number, '@odata.etag': etag } of page.value) {
      const key = typeof number === 'string' ? `'${number}'` : number;
      requests.push({
        id: String(requests.length),
        method: 'PATCH',
        url: `JournalEntries(${key})`,
        headers: { 'content-type': 'application/json', prefer: 'return=representation', 'if-match': etag },
        body: { description: `${text} ${number}` },
      });
    }
    next = page['@odata.nextLink'];
  }
  return requests.slice(0, records);
}

function insertRequests(text: string): BatchRequest[] {
  return Array.from({ length: records }, (_, index) => ({
    id: String(index),
    method: 'POST',
    url: 'JournalEntries',
    headers: { 'content-type': 'application/json', prefer: 'return=representation' },
    body: {
      entryDate: '2026-03-04',
      journal: 'memo',
      account: 1302,
      description: `${text} ${index}`,
      debit: 1 + (index % 900),
      credit: 0,
      currency: 'EUR',
    },
  }));
}

async function bareLoop(requests: readonly BatchRequest[], perBatch: number): Promise<number> {
  return await timed(async () => {
    for (let at = 0; at < requests.length; at += perBatch) {
      const answer = await sandbox.call(
        'POST',
        `${service}$batch`,
        { requests: requests.slice(at, at + perBatch) },
        { prefer: 'continue-on-error, odata.continue-on-error' },
      );
      const { responses } = answersSchema.parse(answer.body);
      const bad = responses.find(({ status }) => status >= 300);
      if (bad) throw new Error(`The bare loop was refused: ${JSON.stringify(answer.body).slice(0, 500)}`);
    }
  });
}

try {
  await measure();
} finally {
  await product.stop();
  await sandbox.stop();
}
