import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startFaultProxy, type FaultProxy } from './conformance-proxy.ts';
import { ExternalSystemError } from './errors.ts';
import type { Workbench } from './conformance-workbench.ts';
import type { Outcome, ProbeAnswer, Session, WriteOp } from './types.ts';

/** Either the outcomes, or the code of the error that the call ended with. */
async function attempt(work: Promise<Outcome[]>): Promise<Outcome[] | string> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ExternalSystemError) return error.code;
    throw error;
  }
}

const foundBy = (answer: ProbeAnswer): string[] => {
  if (answer.state === 'applied') return [answer.key];
  return answer.state === 'candidates' ? answer.records.map((r) => r.key) : [];
};

/** Lost lines, aborts, and the search for what became of a write. */
export function registerFaults(bench: Workbench): void {
  /** Runs `work` over a session whose line can be cut; it is signed in already. */
  async function throughProxy(work: (proxy: FaultProxy, session: Session) => Promise<void>): Promise<void> {
    const proxy = await startFaultProxy(bench.partner.config.url);
    const session = bench.openSession({ ...bench.partner.config, url: proxy.url });
    try {
      const { collection, attributeId, missingKey } = bench.partner;
      const query = {
        ...bench.options(),
        collection,
        attributeId,
        fields: bench.fields(),
        keys: [missingKey],
      };
      await session.readByKeys(query);
      await work(proxy, session);
    } finally {
      await session.close();
      await proxy.close();
    }
  }

  it('calls a write whose answer was cut off unknown, and the probe finds that it happened', async () => {
    const values = bench.sample();
    const op = bench.insert(values);
    const sentAt = new Date();
    await throughProxy(async (proxy, session) => {
      proxy.mode = 'cutAnswer';
      const [outcome] = await bench.write([op], session);
      expect(proxy.cuts).toBeGreaterThan(0);
      expect(outcome?.state).toBe('unknown');
    });
    await sleep(bench.session.caps.settleMs);
    expect(await bench.partner.countElsewhere(bench.naturalKeyOf(values))).toBe(1);
    const answer = await bench.probe(op, sentAt);
    expect(foundBy(answer)).toHaveLength(1);
  });

  it('never calls a write done or refused when the line was cut before it', async () => {
    const values = bench.sample();
    await throughProxy(async (proxy, session) => {
      proxy.mode = 'refuse';
      const result = await attempt(bench.write([bench.insert(values)], session));
      if (typeof result === 'string') expect(['UNREACHABLE', 'TIMEOUT']).toContain(result);
      else expect(['unknown', 'notSent']).toContain(result[0]?.state);
    });
    expect(await bench.partner.countElsewhere(bench.naturalKeyOf(values))).toBe(0);
  });

  it('says that nothing was sent when nobody listens', async () => {
    if (bench.partner.deadConfig === null) return;
    const session = bench.openSession(bench.partner.deadConfig);
    const result = await attempt(bench.write([bench.insert()], session));
    if (typeof result === 'string') expect(result).toBe('UNREACHABLE');
    else expect(result[0]?.state).toBe('notSent');
  });

  it('never calls an aborted write done', async () => {
    const abort = new AbortController();
    const op = bench.insert();
    const sentAt = new Date();
    const running = attempt(bench.write([op], bench.session, abort.signal));
    abort.abort();
    const result = await running;
    if (typeof result === 'string') expect(result).toBe('ABORTED');
    else expect(['unknown', 'notSent']).toContain(result[0]?.state);
    // Abort is not rollback: whatever the system did, the probe and an independent count agree.
    await sleep(bench.session.caps.settleMs);
    const count = await bench.partner.countElsewhere(bench.naturalKeyOf(op.values ?? {}));
    const answer = await bench.probe(op, sentAt);
    if (answer.state !== 'undecidable') expect(foundBy(answer)).toHaveLength(count);
  });

  it('probes an insert: found after it happened, not found when it was never sent', async () => {
    const sentAt = new Date();
    const op = bench.insert();
    const [outcome] = await bench.write([op]);
    const key = outcome?.state === 'done' ? outcome.key : null;
    const found = await bench.probe(op, sentAt);
    expect(foundBy(found)).toContain(key);

    const never = await bench.probe(bench.insert(), sentAt);
    expect(['notApplied', 'candidates']).toContain(never.state);
    expect(foundBy(never)).toEqual([]);
  });

  it('probes an update and a delete by reading the record', async () => {
    const sentAt = new Date();
    const { key } = await bench.make();
    const update = bench.update(key, bench.change());
    const state = async (op: WriteOp): Promise<string> => (await bench.probe(op, sentAt)).state;
    expect(await state(update)).toBe('notApplied');
    await bench.write([update]);
    expect(await state(update)).toBe('applied');

    const removal = bench.remove(key);
    expect(await state(removal)).toBe('notApplied');
    await bench.write([removal]);
    expect(await state(removal)).toBe('applied');
    // An update of a record that is gone cannot have happened.
    expect(await state(bench.update(key, bench.change()))).toBe('notApplied');
  });
}
