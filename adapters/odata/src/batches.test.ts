import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ExternalSystemError, type Outcome, type Session } from '@sluice/adapter-kit';
import type { Sandbox } from '@sluice/sandbox';
import { startSandbox } from '@sluice/testing';
import { odataAdapter } from './index.ts';
import { callOptions, configOf, freeContext } from './test-support.ts';

const authorization = `Basic ${btoa('sandbox:sandbox')}`;
const logSchema = z.object({
  total: z.number(),
  last: z.array(z.object({ path: z.string(), status: z.number() })),
});
const foundSchema = z.object({ value: z.array(z.object({ number: z.number(), description: z.string() })) });

describe('the size of a $batch', () => {
  let sandbox: Sandbox;
  const sessions: Session[] = [];
  const options = callOptions('push');
  beforeAll(async () => {
    sandbox = await startSandbox({ journalEntries: 10 });
  });
  afterEach(() => faults());
  afterAll(async () => {
    for (const session of sessions) await session.close();
    await sandbox.close();
  });

  async function admin(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${sandbox.url}/admin/${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(response.status).toBe(200);
    return await response.json();
  }
  async function faults(...list: Record<string, unknown>[]): Promise<void> {
    await admin('POST', 'faults', { faults: list });
  }
  /** What the sandbox answered to the batches that came while `work` went on. */
  async function batchesOf(work: () => Promise<unknown>): Promise<number[]> {
    const before = logSchema.parse(await admin('GET', 'log'));
    await work();
    const { total, last } = logSchema.parse(await admin('GET', 'log'));
    return last
      .slice(before.total - total)
      .flatMap(({ path, status }) => (path.endsWith('$batch') ? [status] : []));
  }
  let hours = 0;
  /** A session that knows that the sandbox takes batches. `isLater`: what was asked before is asked anew. */
  async function open(isLater = true): Promise<Session> {
    await faults();
    if (isLater) hours += 2;
    const ahead = hours * 3_600_000;
    const session = odataAdapter.open(
      configOf(`${sandbox.url}/odata`, 'production'),
      freeContext({ now: () => new Date(Date.now() + ahead) }),
    );
    sessions.push(session);
    await insert(session, 'warm', 2);
    return session;
  }
  async function insert(
    session: Session,
    name: string,
    count: number,
    pass?: () => void,
  ): Promise<Outcome[]> {
    const { fields } = await session.describe('JournalEntries', options);
    const ops = Array.from({ length: count }, (_, i) => ({
      opId: `${name} ${i}`,
      action: 'insert' as const,
      values: {
        entryDate: '2026-06-01',
        account: 1000,
        description: `${name} ${i}`,
        debit: 1,
        credit: 0,
      },
    }));
    const turn = pass && { come: () => Promise.resolve(), pass };
    return await session.write({ ...options, collection: 'JournalEntries', fields, ops, turn });
  }
  const counted = (outcomes: readonly Outcome[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { state } of outcomes) counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  };
  /** The descriptions of what is in the sandbox, in the order of the numbers that it gave. */
  async function kept(name: string): Promise<string[]> {
    const query = new URLSearchParams({
      $filter: `startswith(description,'${name} ')`,
      $orderby: 'number',
      $select: 'number,description',
      $top: '1000',
    });
    const url = `${sandbox.url}/odata/production/Companies('NL01')/JournalEntries?${String(query)}`;
    const found = foundSchema.parse(await (await fetch(url, { headers: { authorization } })).json());
    return found.value.map(({ description }) => description);
  }
  const names = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name} ${i}`);

  it('[PEND-13] grows beyond the usual when the system has shown with reads that it takes more', async () => {
    const session = await open();
    expect(await batchesOf(() => insert(session, 'many', 400))).toEqual([200, 200]);
    expect(await kept('many')).toEqual(names('many', 400));
    // What it has shown to take is sent without asking.
    expect(await batchesOf(() => insert(session, 'same', 500))).toEqual([200]);
    expect(await batchesOf(() => insert(session, 'more', 1000))).toEqual([200, 200]);
    expect(session.caps.batch.size).toBe(1000);
    const next = await open(false);
    expect(await batchesOf(() => insert(next, 'next', 1000))).toEqual([200]);
    const later = await open();
    expect(await batchesOf(() => insert(later, 'later', 1000))).toEqual([200, 200]);
  });

  it('[PEND-13] stays at the usual where it does not, and nothing but a read was refused', async () => {
    const session = await open();
    await faults({ kind: 'batchLimit', most: 100 });
    let outcomes: Outcome[] = [];
    let passed = 0;
    const answers = await batchesOf(async () => {
      outcomes = await insert(session, 'usual', 450, () => (passed += 1));
    });
    // Asked for 500, then for 250.
    expect(answers).toEqual([400, 400, 200, 200, 200, 200, 200]);
    expect(counted(outcomes)).toEqual({ done: 450 });
    expect(outcomes.map(({ opId }) => opId)).toEqual(names('usual', 450));
    // The next call may leave when nothing more of this one does, or its records would come in between.
    expect(passed).toBe(1);
    expect(await kept('usual')).toEqual(names('usual', 450));
    expect(await batchesOf(() => insert(session, 'again', 450))).toEqual([200, 200, 200, 200, 200]);
    expect(session.caps.batch.size).toBe(100);
  });

  it('[PEND-13] finds what it takes between the usual and the most', async () => {
    const session = await open();
    await faults({ kind: 'batchLimit', most: 300 });
    expect(session.caps.batch.size).toBe(1000);
    expect(await batchesOf(() => insert(session, 'between', 450))).toEqual([400, 200, 200, 200]);
    expect(await kept('between')).toEqual(names('between', 450));
    expect(session.caps.batch.size).toBe(250);
    expect(await batchesOf(() => insert(session, 'whole', 250))).toEqual([200]);
    // Two hours later by its clock it is asked anew.
    const later = await open();
    expect(await batchesOf(() => insert(later, 'all', 450))).toEqual([200, 200]);
  });

  it.each([400, 413])(
    '[PEND-13] halves what is refused with %i, and remembers what was taken',
    async (status) => {
      const session = await open();
      await faults({ kind: 'batchLimit', most: 30, status });
      let outcomes: Outcome[] = [];
      const name = `small${status}`;
      const answers = await batchesOf(async () => {
        outcomes = await insert(session, name, 100);
      });
      expect(answers.filter((answer) => answer === 200)).toHaveLength(4);
      expect(counted(outcomes)).toEqual({ done: 100 });
      expect(await kept(name)).toEqual(names(name, 100));
      expect(await batchesOf(() => insert(session, `${name}b`, 75))).toEqual([200, 200, 200]);
    },
  );

  it('[PEND-13] refuses all of it when it was not for the size', async () => {
    const session = await open();
    await faults({ kind: 'fail', status: 400, path: '$batch', times: 1 });
    const outcomes = await insert(session, 'refused', 60);
    expect(counted(outcomes)).toEqual({ rejected: 60 });
    expect(outcomes[0]).toMatchObject({ errors: [{ msg: 'Failure switched on by the administrator' }] });
    expect(await kept('refused')).toEqual([]);
    expect(await batchesOf(() => insert(session, 'then', 60))).toEqual([200]);
  });

  it.each([
    ['signed out', { kind: 'fail', status: 401 }, 'notSent'],
    ['asked to wait', { kind: 'fail', status: 429, retryAfterSeconds: 3 }, 'notSent'],
    ['cut off', { kind: 'cutBefore' }, 'unknown'],
  ])(
    '[PEND-13] keeps what the first half did when it is %s before the second',
    async (what, fault, state) => {
      const session = await open();
      const name = what.replace(' ', '');
      await faults(
        { kind: 'fail', status: 413, path: '$batch', times: 1 },
        // Of what reaches them, the second: what was refused before is not counted by the same switch.
        { ...fault, path: '$batch', every: fault.kind === 'fail' ? 2 : 3 },
      );
      const outcomes = await insert(session, name, 60);
      expect(counted(outcomes)).toEqual({ done: 30, [state]: 30 });
      expect(outcomes.slice(0, 30).every((outcome) => outcome.state === 'done')).toBe(true);
      if (what === 'asked to wait') expect(outcomes[45]).toMatchObject({ retryAfterMs: 3000 });
      expect(await kept(name)).toEqual(names(name, 30));
    },
  );

  it('[PEND-13] sends nothing again of a half that was done when the system takes no batches any more', async () => {
    const session = await open();
    await faults(
      { kind: 'fail', status: 413, path: '$batch', times: 1 },
      { kind: 'fail', status: 404, path: '$batch', every: 2 },
    );
    expect(counted(await insert(session, 'gone', 6))).toEqual({ done: 6 });
    expect(await kept('gone')).toEqual(names('gone', 6));
    expect(await batchesOf(() => insert(session, 'singly', 6))).toEqual([]);
  });

  it('[PEND-13] tells by an error that nothing was done when the first request fails', async () => {
    const session = await open();
    await faults({ kind: 'fail', status: 401, path: '$batch' });
    await expect(insert(session, 'nothing', 10)).rejects.toThrow(ExternalSystemError);
    expect(await kept('nothing')).toEqual([]);
  });
});
