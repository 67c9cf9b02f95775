import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { entitySets } from './model/model.ts';
import { seed } from './seed/seed.ts';
import { Store } from './store.ts';

function digest(store: Store, scope: number): string {
  const hash = createHash('sha256');
  for (const set of entitySets) {
    const orderBy = set.key.map((k) => `"${k}"`).join(', ');
    const records = store.select(set, scope, {
      where: 'true',
      params: [],
      orderBy,
      limit: 10_000,
      offset: 0,
    });
    hash.update(JSON.stringify(records.map((r) => r.entity)));
  }
  return hash.digest('hex');
}

describe('the seed', () => {
  it('is the same every time, whatever the number of journal entries before', () => {
    const [a, b] = [new Store(':memory:'), new Store(':memory:')];
    seed(a, 3000);
    seed(b, 1000);
    seed(b, 3000);
    for (const scope of [0, 1, 12]) expect(digest(a, scope)).toBe(digest(b, scope));
    expect(digest(a, 0)).not.toBe(digest(a, 1));
    a.close();
    b.close();
  });

  it('refers only to records that exist', () => {
    const store = new Store(':memory:');
    seed(store, 2000);
    for (const set of entitySets)
      for (const field of set.fields) {
        if (field.kind !== 'scalar' || !field.reference) continue;
        const target = entitySets.find((s) => s.name === field.reference);
        const missing = store.count(
          set,
          0,
          `"${field.name}" IS NOT NULL AND "${field.name}" NOT IN (SELECT "${target?.key[0]}" FROM "${field.reference}" WHERE scope = 0)`,
        );
        expect(missing, `${set.name}.${field.name}`).toBe(0);
      }
    store.close();
  });
});
