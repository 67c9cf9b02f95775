import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { FieldDescriptor } from '@sluice/contract';
import { ExternalSystemError } from './errors.ts';
import type { Workbench } from './conformance-workbench.ts';
import type { Page } from './types.ts';

const keysOf = (pages: readonly Page[]): string[] => pages.flatMap((page) => page.records.map((r) => r.key));

/** Signing in, companies, collections, descriptions, pages. */
export function registerReading(bench: Workbench): void {
  it('tells that good credentials work', async () => {
    const { locale, signal } = bench.options();
    const result = await bench.session.test({ locale, signal });
    expect(result.status, result.message).toBe('OK');
    expect(result.message).not.toBe('');
  });

  it('tells that a wrong password is refused, in both languages', async () => {
    if (bench.partner.badConfig === null) return;
    const session = bench.openSession(bench.partner.badConfig);
    const { signal } = bench.options();
    const result = await session.test({ locale: 'EN', signal });
    expect(result.status).toBe('INVALID_CREDENTIALS_OR_URL');
    const dutch = await session.test({ locale: 'NL', signal });
    expect(dutch.status).toBe('INVALID_CREDENTIALS_OR_URL');
    expect(dutch.message).not.toBe(result.message);
  });

  it('tells that nobody answers at the address', async () => {
    if (bench.partner.deadConfig === null) return;
    const session = bench.openSession(bench.partner.deadConfig);
    const result = await session.test({ locale: 'EN', signal: bench.options().signal });
    expect(result.status).not.toBe('OK');
  });

  it('lists companies with ids, names and acronyms, each id once', async () => {
    const { locale, signal } = bench.options();
    const companies = await bench.session.companies({ locale, signal });
    if (bench.partner.twoCompanies) expect(companies.length).toBeGreaterThanOrEqual(2);
    expect(new Set(companies.map((c) => c.id)).size).toBe(companies.length);
    for (const company of companies) {
      expect(company.id).not.toBe('');
      expect(company.name).not.toBe('');
      expect(company.acronym).not.toBe('');
    }
  });

  it('lists collections with slugs that are unique and fit into an address', async () => {
    const collections = await bench.session.collections(bench.options());
    const slugs = collections.map((c) => c.resourceTypeUriId);
    expect(new Set(slugs).size).toBe(slugs.length);
    for (const slug of slugs) expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(collections.map((c) => c.code)).toContain(bench.partner.collection);
    const levels = bench.partner.definition.systemLevels.length;
    for (const { numberOfSystemLevels, title } of collections) {
      expect(numberOfSystemLevels).toBeGreaterThanOrEqual(1);
      expect(numberOfSystemLevels).toBeLessThanOrEqual(levels);
      expect(title).not.toBe('');
    }
  });

  it('describes a collection the same way twice, also in another session', async () => {
    const { collection } = bench.partner;
    const again = await bench.session.describe(collection, bench.options());
    expect(again).toEqual(bench.description);
    const other = await bench.openSession(bench.partner.config).describe(collection, bench.options());
    expect(other.fingerprint).toBe(bench.description.fingerprint);
  });

  it('describes fields that fit together: unique ids, known keys, natural keys and labels', () => {
    const { fields, keyFields, labelField, naturalKeys } = bench.description;
    const ids = idsOf(fields);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of [...keyFields, ...naturalKeys.flat(), ...(labelField === null ? [] : [labelField])])
      expect(ids).toContain(id);
    for (const field of fields) {
      expect(field.name).not.toBe('');
      if (field.kind === 'field') expect(field.dataType).toBeDefined();
      if (field.kind.endsWith('Array') && field.kind !== 'primitiveValuesArray')
        expect(field.children?.length).toBeGreaterThan(0);
    }
  });

  it('reads every record once, in pages', async () => {
    const pages = await bench.pages(bench.session, null);
    const keys = keysOf(pages);
    const { pageSize } = bench.partner.large;
    expect(keys.length).toBeGreaterThanOrEqual(pageSize * 3);
    expect(new Set(keys).size).toBe(keys.length);
    for (const page of pages) {
      expect(page.records.length).toBeLessThanOrEqual(pageSize);
      if (page.total !== null) expect(page.total).toBe(keys.length);
    }
    expect(pages.at(-1)?.cursor).toBeNull();
    expect(pages.slice(0, -1).every((page) => page.cursor !== null)).toBe(true);
  });

  it('resumes a read from a stored cursor in another session, with no gap and no double', async () => {
    const whole = keysOf(await bench.pages(bench.session, null));
    const first = await bench.pages(bench.session, null, 2);
    const stored = first.at(-1)?.cursor ?? null;
    expect(stored).not.toBeNull();
    const rest = await bench.pages(bench.openSession(bench.partner.config), stored);
    expect([...keysOf(first), ...keysOf(rest)]).toEqual(whole);
  });

  it('gives values in the form of their data type', async () => {
    const { key } = await bench.make();
    const { values } = await bench.readOne(key);
    for (const field of bench.fields()) {
      const value = values[field.id];
      if (field.kind !== 'field' || value === null || value === undefined) continue;
      const form = `${field.id} (${field.dataType}): ${JSON.stringify(value)}`;
      switch (field.dataType) {
        case 'bool':
          expect(typeof value, form).toBe('boolean');
          break;
        case 'int':
        case 'uint':
        case 'nonFormattableInt':
          expect(Number.isInteger(value), form).toBe(true);
          break;
        case 'float64':
          expect(String(value), form).toMatch(/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i);
          break;
        case 'date':
          expect(value, form).toMatch(/^\d{4}-\d\d-\d\d$/);
          break;
        case 'datetime':
          expect(value, form).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
          break;
        case 'time':
          expect(value, form).toMatch(/^\d\d:\d\d(:\d\d(\.\d{1,6})?)?$/);
          break;
        case 'uuid':
          expect(value, form).toMatch(/^[0-9a-f-]{36}$/);
          break;
        default:
          expect(typeof value, form).toBe('string');
      }
    }
  });

  it('reads records by key and leaves out one that does not exist', async () => {
    const a = await bench.make();
    const b = await bench.make();
    const records = await bench.readByKeys([a.key, bench.partner.missingKey, b.key]);
    expect(records.map((r) => r.key).toSorted()).toEqual([a.key, b.key].toSorted());
    for (const made of [a, b]) {
      const record = records.find((r) => r.key === made.key);
      expect(record?.values).toMatchObject(made.values);
    }
  });

  it('reads no keys without a call', async () => {
    const before = bench.budget.calls;
    expect(await bench.readByKeys([])).toEqual([]);
    expect(bench.budget.calls).toBe(before);
  });

  it('gives the values of the company that was asked', async () => {
    const proof = bench.partner.twoCompanies;
    if (!proof) return;
    const values = await Promise.all(
      proof.levels.map(async (levels) => {
        const options = bench.options(undefined, levels);
        const { fields } = await bench.session.describe(proof.collection, options);
        const query = { ...options, collection: proof.collection, fields, keys: [proof.key] };
        const [record] = await bench.session.readByKeys(query);
        return record?.values[proof.field];
      }),
    );
    expect(values[0]).toBeDefined();
    expect(values[1]).toBeDefined();
    expect(values[0]).not.toEqual(values[1]);
  });

  it('reads what changed since a time, where it says that it can', async () => {
    const { collection, attributeId } = bench.partner;
    const since = new Date();
    const { key } = await bench.make();
    const query = {
      ...bench.options(),
      collection,
      attributeId,
      fields: bench.fields(),
      cursor: null,
      pageSize: bench.session.caps.maxPage,
      // The clocks of two machines differ a little.
      changedSince: bench.tellsChanges ? new Date(since.getTime() - 2000) : null,
    };
    const keys: string[] = [];
    for await (const page of bench.session.read(query)) keys.push(...page.records.map((r) => r.key));
    expect(keys).toContain(key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('reads what was changed by somebody else since a time, and nothing older, where it says that it can', async () => {
    if (!bench.tellsChanges) return;
    const old = await bench.make();
    const changed = await bench.make();
    await sleep(bench.partner.clockMs ?? 0);
    const since = new Date();
    await bench.partner.changeElsewhere(changed.key, bench.change());
    const keys = await bench.keysOf({ changedSince: since });
    expect(keys).toContain(changed.key);
    if (bench.partner.clockMs !== undefined) expect(keys).not.toContain(old.key);
  });

  it('finds records by a value, in an order, a part of them, where it says that it can', async () => {
    const { query } = bench.session.caps;
    const { naturalKey } = bench.partner;
    const made = [await bench.make(), await bench.make(), await bench.make()];
    if (query?.filter) {
      const value = bench.naturalKeyOf(made[1]?.values ?? {});
      expect(await bench.keysOf({ filter: [{ field: naturalKey, value }] })).toEqual([made[1]?.key]);
      expect(await bench.keysOf({ filter: [{ field: naturalKey, value: 'nobody has this' }] })).toEqual([]);
    }
    if (query?.orderBy) {
      const up = await bench.keysOf({ orderBy: [{ field: naturalKey, isDescending: false }] });
      const down = await bench.keysOf({ orderBy: [{ field: naturalKey, isDescending: true }] });
      expect(down).toEqual(up.toReversed());
      expect(up).toEqual(expect.arrayContaining(made.map(({ key }) => key)));
      if (query.offset) {
        const orderBy = [{ field: naturalKey, isDescending: false }];
        expect(await bench.keysOf({ orderBy, offset: 1, limit: 2 })).toEqual(up.slice(1, 3));
      }
    }
  });

  it('stops a read that is aborted', async () => {
    const abort = new AbortController();
    const { collection, levels, attributeId } = bench.partner.large;
    const options = bench.options(abort.signal, levels);
    const { fields } = await bench.session.describe(collection, bench.options(undefined, levels));
    const pages = bench.session.read({
      ...options,
      collection,
      attributeId,
      fields,
      cursor: null,
      pageSize: 10,
    });
    const error = await (async () => {
      for await (const _ of pages) abort.abort();
      return null;
    })().catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ExternalSystemError);
    expect(error instanceof ExternalSystemError ? error.code : null).toBe('ABORTED');
  });

  it('refuses a collection that does not exist', async () => {
    const { missingCollection } = bench.partner;
    const error = await bench.session.describe(missingCollection, bench.options()).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ExternalSystemError);
    expect(['NOT_FOUND', 'FORBIDDEN']).toContain(error instanceof ExternalSystemError ? error.code : null);
  });

  it('pays for every request from the budget', async () => {
    const before = bench.budget.calls;
    await bench.pages(bench.session, null, 1);
    expect(bench.budget.calls).toBeGreaterThan(before);
  });
}

/** What an adapter that only reads answers to a write. */
export function registerRefusals(bench: Workbench): void {
  it('says that nothing may be written, and writes nothing', async () => {
    expect(bench.description.rights).toEqual({ create: false, update: false, delete: false });
    const values = bench.sample();
    const [outcome] = await bench.write([bench.insert(values)]);
    expect(outcome?.state).toBe('rejected');
    expect(await bench.partner.countElsewhere(bench.naturalKeyOf(values))).toBe(0);
  });
}

/** Ids of all fields that have a value of their own in a record: those of nested objects are flat. */
function idsOf(fields: readonly FieldDescriptor[]): string[] {
  return fields.flatMap((field) =>
    field.kind === 'nestedElements' ? [field.id, ...idsOf(field.children ?? [])] : [field.id],
  );
}
