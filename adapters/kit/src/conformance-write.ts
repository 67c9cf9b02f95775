import { expect, it } from 'vitest';
import type { Workbench } from './conformance-workbench.ts';
import type { Outcome, RecordError } from './types.ts';

const errorsOf = (outcome: Outcome | undefined): RecordError[] =>
  outcome?.state === 'rejected' || outcome?.state === 'batchFailed' ? outcome.errors : [];

/** Inserts, updates, deletes, and each way in which they fail. */
export function registerWriting(bench: Workbench): void {
  it('inserts, updates and deletes a record', async () => {
    const made = await bench.make();
    const before = await bench.readOne(made.key);
    expect(before.values).toMatchObject(made.values);
    expect(await bench.partner.countElsewhere(bench.naturalKeyOf(made.values))).toBe(1);

    const change = bench.change();
    const [updated] = await bench.write([bench.update(made.key, change, before.version)]);
    expect(updated?.state).toBe('done');
    const after = await bench.readOne(made.key);
    expect(after.values).toMatchObject({ ...made.values, ...change });
    if (bench.session.caps.concurrency === 'version') expect(after.version).not.toBe(before.version);

    const [removed] = await bench.write([bench.remove(made.key, after.version)]);
    expect(removed?.state).toBe('done');
    expect(await bench.readByKeys([made.key])).toEqual([]);
    expect(await bench.partner.countElsewhere(bench.naturalKeyOf(made.values))).toBe(0);
  });

  it('answers nothing for no operations', async () => {
    const before = bench.budget.calls;
    expect(await bench.write([])).toEqual([]);
    expect(bench.budget.calls).toBe(before);
  });

  it('gives each insert of a batch its own key', async () => {
    const ops = Array.from({ length: Math.min(20, bench.session.caps.batch.size) }, () => bench.insert());
    const outcomes = await bench.write(ops);
    const keys = outcomes.map((o) => (o.state === 'done' ? o.key : null));
    expect(keys).not.toContain(null);
    expect(new Set(keys).size).toBe(ops.length);
    const records = await bench.readByKeys(keys.filter((key) => key !== null));
    for (const [i, op] of ops.entries())
      expect(records.find((r) => r.key === keys[i])?.values).toMatchObject(op.values ?? {});
  });

  it('updates many records in one call, each with its own values', async () => {
    const made = [await bench.make(), await bench.make(), await bench.make()];
    const changes = made.map(() => bench.change());
    const ops = made.map(({ key }, i) => bench.update(key, changes[i] ?? {}));
    for (const outcome of await bench.write(ops)) expect(outcome.state).toBe('done');
    const records = await bench.readByKeys(made.map((m) => m.key));
    for (const [i, { key }] of made.entries())
      expect(records.find((r) => r.key === key)?.values).toMatchObject(changes[i] ?? {});
  });

  it('says why a record is refused, in the words of the system and at the field', async () => {
    const { invalid } = bench.partner;
    const values = { ...bench.sample(), ...invalid.values };
    const [outcome] = await bench.write([bench.insert(values)]);
    expect(['rejected', 'batchFailed']).toContain(outcome?.state);
    const errors = errorsOf(outcome);
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error.msg).not.toBe('');
    if (invalid.field !== null) expect(errors.map((e) => e.field)).toContain(invalid.field);
    expect(await bench.partner.countElsewhere(bench.naturalKeyOf(values))).toBe(0);
  });

  it('refuses one bad record of a batch alone, or undoes the whole call where the system is atomic', async () => {
    const { invalid } = bench.partner;
    const good = [bench.sample(), bench.sample(), bench.sample(), bench.sample()];
    const bad = { ...bench.sample(), ...invalid.values };
    const ops = [...good.slice(0, 2), bad, ...good.slice(2)].map((values) => bench.insert(values));
    const outcomes = await bench.write(ops);
    const counts = await Promise.all(good.map((v) => bench.partner.countElsewhere(bench.naturalKeyOf(v))));
    if (bench.isAtomic) {
      for (const outcome of outcomes) expect(outcome.state).toBe('batchFailed');
      expect(errorsOf(outcomes[2]).length).toBeGreaterThan(0);
      expect(counts).toEqual([0, 0, 0, 0]);
    } else {
      expect(outcomes.map((o) => o.state)).toEqual(['done', 'done', 'rejected', 'done', 'done']);
      if (invalid.field !== null) expect(errorsOf(outcomes[2]).map((e) => e.field)).toContain(invalid.field);
      expect(counts).toEqual([1, 1, 1, 1]);
    }
  });

  it('does not overwrite what another person changed, where the system knows versions', async () => {
    const made = await bench.make();
    const { version } = await bench.readOne(made.key);
    const theirs = bench.change();
    await bench.partner.changeElsewhere(made.key, theirs);
    const [outcome] = await bench.write([bench.update(made.key, bench.change(), version)]);
    if (bench.session.caps.concurrency === 'none') {
      expect(outcome?.state).toBe('done');
      return;
    }
    if (outcome?.state !== 'stale') {
      expect(outcome?.state).toBe('batchFailed');
      expect(errorsOf(outcome).map((e) => e.class)).toContain('conflict');
    }
    expect((await bench.readOne(made.key)).values).toMatchObject(theirs);
  });

  it('does not delete what another person changed, where the system knows versions', async () => {
    if (bench.session.caps.concurrency === 'none') return;
    const made = await bench.make();
    const { version } = await bench.readOne(made.key);
    await bench.partner.changeElsewhere(made.key, bench.change());
    const [outcome] = await bench.write([bench.remove(made.key, version)]);
    expect(['stale', 'batchFailed']).toContain(outcome?.state);
    expect(await bench.readByKeys([made.key])).toHaveLength(1);
  });

  it('writes without the check when no version is known', async () => {
    const made = await bench.make();
    await bench.partner.changeElsewhere(made.key, bench.change());
    const mine = bench.change();
    const [outcome] = await bench.write([bench.update(made.key, mine, null)]);
    expect(outcome?.state).toBe('done');
    expect((await bench.readOne(made.key)).values).toMatchObject(mine);
  });

  it('tells that a record to change is gone', async () => {
    const made = await bench.make();
    await bench.partner.removeElsewhere(made.key);
    const [outcome] = await bench.write([bench.update(made.key, bench.change(), made.version)]);
    if (!bench.isAtomic || outcome?.state === 'gone') expect(outcome?.state).toBe('gone');
    else {
      expect(outcome?.state).toBe('batchFailed');
      expect(errorsOf(outcome).map((e) => e.class)).toContain('notFound');
    }
  });

  it('takes the delete of a record that is gone as done', async () => {
    const made = await bench.make();
    await bench.partner.removeElsewhere(made.key);
    const [outcome] = await bench.write([bench.remove(made.key)]);
    expect(outcome?.state).toBe('done');
  });

  it('reads a refused change back unchanged', async () => {
    const made = await bench.make();
    const [outcome] = await bench.write([bench.update(made.key, bench.partner.invalid.values)]);
    expect(['rejected', 'batchFailed']).toContain(outcome?.state);
    expect((await bench.readOne(made.key)).values).toMatchObject(made.values);
  });
}
