import { setTimeout as sleep } from 'node:timers/promises';
import { tableOf } from '@sluice/testing';
import {
  type Lane,
  longestLatencyMs,
  type Outcome,
  type Planned,
  type TableName,
  tableNames,
} from './lane.ts';

export interface Tally {
  begun: number;
  rounds: number;
  kills: number;
  crashes: number;
  outcomes: Record<string, number>;
}

/** Makes pending operations of all kinds, most of them good ones. */
async function prepare(lane: Lane, prefix: string): Promise<Planned[]> {
  const { random } = lane;
  const plans: Planned[] = [];
  const add = async (table: TableName, records: { values: Record<string, unknown>; isBad: boolean }[]) => {
    const field = table === 'journal' ? 'description' : 'name';
    const { resources } = await tableOf(lane.api, lane.paths[table]).insert(
      records.map(({ values }) => values),
    );
    resources.forEach((resource, index) => {
      const record = records[index];
      const common = { table, action: 'insert' as const, key: null, before: null };
      const marker = String(record?.values[field]);
      plans.push({ ...common, id: resource.internalId, marker, isBad: record?.isBad ?? false });
    });
  };
  const entries = Array.from({ length: 1 + random.below(4) }, (_, n) => entryOf(lane, `${prefix}i${n}`));
  // Equal in every value: only their number can tell whether one was sent twice.
  if (random.chance(0.3)) entries.push(...entries.slice(0, 1));
  await add('journal', entries);
  const customers = [];
  for (let n = 0; n < 1 + random.below(2); n += 1) customers.push(await customerOf(lane, `${prefix}c${n}`));
  await add('customers', customers);

  if (random.chance(0.12)) plans.push(...(await planMany(lane, `${prefix}m`)));
  for (const table of tableNames) {
    for (let n = 0; n < 1 + random.below(2); n += 1)
      plans.push(await planUpdate(lane, table, `${prefix}u${n}`));
    if (random.chance(0.6)) {
      const { id, key, text } = lane.spare(table);
      await tableOf(lane.api, lane.paths[table]).remove([id]);
      plans.push({ id, table, action: 'delete', marker: '', key, isBad: false, before: text });
    }
  }
  return plans;
}

function entryOf({ random }: Lane, description: string) {
  // 2023 is closed: a rule that only the ERP knows.
  const isBad = random.chance(0.15);
  const entryDate = isBad ? '2023-03-04' : '2026-03-04';
  return {
    isBad,
    values: { entryDate, journal: 'memo', account: 1302, description, debit: 1, credit: 0, currency: 'EUR' },
  };
}

async function customerOf(lane: Lane, name: string) {
  const { random } = lane;
  const values = { name, customerGroup: 'retail', invoiceMethod: 'post', invoiceFormat: 'paper' };
  if (random.chance(0.4)) return { values, isBad: false };
  const number = `X${name.replaceAll(/\W/g, '')}`.slice(0, 10);
  const isBad = random.chance(0.25);
  // A colleague takes the number, and the cache does not know yet.
  if (isBad) await lane.erp('POST', 'Customers', { ...values, number, name: `Colleague ${number}` });
  return { values: { ...values, number }, isBad };
}

async function planUpdate(lane: Lane, table: TableName, marker: string): Promise<Planned> {
  const { random } = lane;
  const { id, key, text } = lane.spare(table);
  const field = table === 'journal' ? 'description' : 'name';
  await tableOf(lane.api, lane.paths[table]).patch([{ id, changes: { [field]: marker } }]);
  const plan: Planned = { id, table, action: 'update', marker, key, isBad: false, before: text };
  if (random.chance(0.15)) {
    // A colleague changes the same field: nothing may be overwritten.
    const theirs = `Theirs ${marker}`;
    await lane.erpChange(table, key, { [field]: theirs });
    return { ...plan, isBad: true, before: theirs };
  }
  // Another field: that is no conflict.
  if (random.chance(0.15))
    await lane.erpChange(table, key, table === 'journal' ? { document: 'Moved' } : { notes: 'Moved' });
  return plan;
}

/** More updates than one call takes, so that two are on their way at once; colleagues have changed some of the records. */
async function planMany(lane: Lane, prefix: string): Promise<Planned[]> {
  const { random } = lane;
  const plans = Array.from({ length: 130 }, (_, n): Planned => {
    const { id, key, text } = lane.spare('journal');
    const marker = `${prefix}${n}`;
    return { id, table: 'journal', action: 'update', marker, key, isBad: false, before: text };
  });
  const changes = plans.map(({ id, marker }) => ({ id, changes: { description: marker } }));
  await tableOf(lane.api, lane.paths.journal).patch(changes);
  for (const plan of plans) {
    if (!random.chance(0.03)) continue;
    plan.isBad = random.chance(0.5);
    if (plan.isBad) plan.before = `Theirs ${plan.marker}`;
    await lane.erpChange(
      'journal',
      plan.key ?? '',
      plan.isBad ? { description: plan.before } : { document: 'Moved' },
    );
  }
  return plans;
}

/** What goes wrong in the ERP while a round pushes; null = nothing. */
function faultOf({ random }: Lane): Record<string, unknown> | null {
  const times = 1 + random.below(2);
  const ms = 20 + random.below(longestLatencyMs - 20);
  return random.pick([
    null,
    null,
    { kind: 'latency', ms },
    { kind: 'latency', ms, method: 'POST' },
    { kind: 'cutAfterCommit', times },
    { kind: 'cutAfterCommit', times, every: 2 },
    { kind: 'cutBefore', times },
    { kind: 'crashAfterCommit', times: 1 },
    { kind: 'crashAfterCommit', times: 1, afterRequests: 1 + random.below(3) },
    { kind: 'fail', status: 500, times },
    { kind: 'fail', status: 503, times, every: 2, inBatch: true },
    { kind: 'fail', status: 429, times, retryAfterSeconds: 0 },
    { kind: 'truncate', times, method: 'POST' },
    { kind: 'truncate', times },
    { kind: 'html', times, method: 'POST' },
  ]);
}

/** One round: operations, a push of each table, and death at some moment of it. Throws what is wrong afterwards. */
export async function runRound(lane: Lane, round: number, tally: Tally): Promise<void> {
  const { random, product, sandbox } = lane;
  const prefix = `${lane.name}${round}-`;
  const plans = await prepare(lane, prefix);
  const countsBefore = await countsOf(lane);
  const fault = faultOf(lane);
  if (fault) await sandbox.faults([fault]);
  const story = [`round ${prefix} fault ${JSON.stringify(fault)}`];

  const starts = Promise.all(tableNames.map((table) => startPush(lane, table, plans)));
  // Most of the time the pushes are under way when death comes, sometimes they are being stored.
  if (random.chance(0.85)) await starts;
  for (let kills = random.chance(0.15) ? 2 : 1; kills > 0; kills -= 1) {
    const after = random.below(250);
    await sleep(after);
    story.push(`killed after ${after} ms`);
    tally.kills += 1;
    await product.kill();
    await product.start();
  }
  await starts;
  await lane.untilReady();
  await lane.untilPushed();
  if (fault?.['kind'] === 'crashAfterCommit') tally.crashes += 1;
  await lane.liftSandbox();
  await sandbox.faults([]);
  for (const table of tableNames) {
    const pushes = await lane.newPushes(table);
    // Killed before the push was stored: then nothing has been sent, and it is started now.
    if (pushes.length === 0) {
      await demandUntouched(lane, table, plans, story);
      await startPush(lane, table, plans);
      await lane.untilPushed();
      pushes.push(...(await lane.newPushes(table)));
      story.push(`${table} was not stored`);
    }
    const [pushId = ''] = pushes;
    await verify(lane, table, pushId, plans, { prefix, story, tally });
  }

  await verifyCounts(lane, plans, countsBefore, prefix, story);
  for (const table of tableNames) await dropRest(lane, table);
  tally.rounds += 1;
}

async function startPush(lane: Lane, table: TableName, plans: readonly Planned[]): Promise<void> {
  const lists = lane.lists(plans.filter((plan) => plan.table === table));
  const answer = await lane.api.call('POST', `${lane.paths[table]}/push`, lists).catch(() => null);
  if (answer && answer.status !== 202)
    throw new Error(`push answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}

async function countsOf(lane: Lane): Promise<Record<TableName, number>> {
  return { journal: await lane.erpCount('journal'), customers: await lane.erpCount('customers') };
}

function complain(lane: Lane, what: string, story: readonly string[], details: unknown): never {
  const log = lane.product.log().split('\n').slice(-30).join('\n');
  throw new Error(`${what}\n${story.join('\n')}\n${JSON.stringify(details, null, 1)}\n${log}`);
}

async function demandUntouched(
  lane: Lane,
  table: TableName,
  plans: readonly Planned[],
  story: readonly string[],
): Promise<void> {
  for (const plan of plans.filter((one) => one.table === table && one.key !== null)) {
    const text = await lane.erpText(table, plan.key ?? '');
    if (text !== plan.before) complain(lane, 'sent without a push', story, { plan, text });
  }
}

/** Every record is exactly one of: pushed once, refused, unknown, or pending as before. */
async function verify(
  lane: Lane,
  table: TableName,
  pushId: string,
  plans: readonly Planned[],
  { prefix, story, tally }: { prefix: string; story: readonly string[]; tally: Tally },
): Promise<void> {
  const own = plans.filter((plan) => plan.table === table);
  const push = await lane.pushed(table, pushId);
  const outcomes = new Map(push.results.map(({ id, outcome }) => [id, outcome]));
  const counted = (outcome: Outcome): number => push.results.filter((one) => one.outcome === outcome).length;
  const isAdded =
    push.finishedAt !== null &&
    push.results.length === own.length &&
    own.every(({ id }) => outcomes.has(id)) &&
    push.counts.insert + push.counts.update + push.counts.delete === own.length &&
    push.succeeded === counted('succeeded') &&
    push.failed === counted('rejected') &&
    push.unknown === counted('unknown') &&
    counted('waiting') === 0;
  if (!isAdded) complain(lane, 'the counts of the push do not add up', story, { push, own });

  const inserted = await lane.erpStarting(table, prefix);
  const pending = new Map((await lane.pending(table)).map((operation) => [operation.id, operation]));
  if (pending.size !== own.length - push.succeeded)
    complain(lane, 'pending is not what was not pushed', story, { push, pending: [...pending.keys()] });
  for (const plan of own) {
    const outcome = outcomes.get(plan.id) ?? 'waiting';
    const name = `${plan.action} ${outcome}`;
    tally.outcomes[name] = (tally.outcomes[name] ?? 0) + 1;
    const operation = pending.get(plan.id);
    const problem =
      (await problemOf(lane, plan, outcome, inserted, own)) ??
      (outcome === 'succeeded' && operation ? 'still pending' : null) ??
      (outcome !== 'succeeded' && !operation ? 'not pending any more' : null) ??
      (operation?.pushId ? 'still locked' : null) ??
      (outcome === 'unknown' && !operation?.isOutcomeUnknown ? 'not marked as unknown' : null) ??
      (outcome === 'rejected' && operation?.state !== 'rejected' ? 'not marked as rejected' : null) ??
      (outcome === 'succeeded' && plan.isBad ? 'must not succeed' : null) ??
      (outcome === 'rejected' && !plan.isBad && plan.action !== 'delete' ? 'must not be rejected' : null);
    if (problem) complain(lane, problem, story, { plan, outcome, operation, push, inserted });
  }
}

/** What the ERP holds against the outcome. */
async function problemOf(
  lane: Lane,
  plan: Planned,
  outcome: Outcome,
  inserted: readonly { key: string; text: string }[],
  own: readonly Planned[],
): Promise<string | null> {
  const { table, action, key, marker, before } = plan;
  if (action !== 'insert') {
    const text = await lane.erpText(table, key ?? '');
    const after = action === 'update' ? marker : null;
    if (outcome === 'succeeded') return text === after ? null : 'not written';
    if (outcome === 'unknown') return text === after || text === before ? null : 'something else was written';
    return text === before ? null : 'written all the same';
  }
  const found = inserted.filter(({ text }) => text === marker);
  const equal = own.filter((one) => one.action === 'insert' && one.marker === marker);
  if (found.length > equal.length) return 'inserted twice';
  if (outcome !== 'succeeded') return null;
  const rowKey = await lane.keyOf(table, plan.id);
  return found.some((one) => one.key === rowKey) ? null : 'pushed, but not in the ERP under its key';
}

async function verifyCounts(
  lane: Lane,
  plans: readonly Planned[],
  before: Record<TableName, number>,
  prefix: string,
  story: readonly string[],
): Promise<void> {
  const after = await countsOf(lane);
  for (const table of tableNames) {
    const markers = new Set(plans.filter(({ action }) => action === 'insert').map(({ marker }) => marker));
    const inserted = (await lane.erpStarting(table, prefix)).filter(({ text }) => markers.has(text));
    let gone = 0;
    for (const plan of plans.filter((one) => one.table === table && one.action === 'delete'))
      if ((await lane.erpText(table, plan.key ?? '')) === null) gone += 1;
    if (after[table] !== before[table] + inserted.length - gone)
      complain(lane, 'something else was touched', story, { before, after, inserted, gone });
  }
}

/** The next round begins with nothing pending. */
async function dropRest(lane: Lane, table: TableName): Promise<void> {
  const rest = await lane.pending(table);
  if (rest.length === 0) return;
  const of = (action: string): string[] => rest.filter((one) => one.action === action).map(({ id }) => id);
  const lists = { insert: of('add'), update: of('update'), delete: of('delete') };
  const { status, body } = await lane.api.call('DELETE', `${lane.paths[table]}/push`, lists);
  if (status !== 200) throw new Error(`discard answered ${status}: ${JSON.stringify(body)}`);
}
