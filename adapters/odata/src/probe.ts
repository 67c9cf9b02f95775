import {
  ExternalSystemError,
  type ProbeAnswer,
  type ProbeCall,
  type ReadRecord,
  type Rec,
} from '@sluice/adapter-kit';
import type { Value } from '@sluice/contract';
import { attributeOf, describeSet, timestampOf } from './describe.ts';
import type { HttpClient } from './http.ts';
import { pathOf } from './keys.ts';
import { attributeFilter, both, readFiltered, readOne } from './read.ts';
import type { Collection } from './service.ts';
import { literalOf, propertyAt } from './values.ts';

/** How far the clock of the system may lag behind ours. */
const clockSkewMs = 5 * 60_000;
const mostCandidates = 1000;
/** A push may have made thousands of records itself in the minutes before the answer was lost. */
const mostNew = 20_000;
const filterLength = 1500;

/** The system may trim, change case or write a number another way; that does not make it another value. */
function isSame(written: Value | undefined, found: Value | undefined): boolean {
  const plain = (value: Value | undefined): unknown => {
    if (value === undefined || value === null || value === '') return null;
    if (typeof value === 'string') {
      const text = value.trim().toLowerCase();
      return text !== '' && Number.isFinite(Number(text))
        ? Number(text)
        : text.replace(/^(\d\d:\d\d):00$/, '$1');
    }
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object') return value;
    const entries = Object.entries(value).map(([name, inner]) => [name, plain(inner)] as const);
    return Object.fromEntries(
      entries.filter(([, inner]) => inner !== null).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  };
  return JSON.stringify(plain(written)) === JSON.stringify(plain(found));
}

function isEqual(written: Rec, found: Rec): boolean {
  // What the system left empty in our hands it may have filled itself.
  return Object.entries(written).every(
    ([id, value]) => value === null || !(id in found) || isSame(value, found[id]),
  );
}

/** Finds out what became of an operation whose answer was lost. */
export async function probe(
  http: HttpClient,
  collection: Collection,
  asked: ProbeCall,
): Promise<ProbeAnswer> {
  const { op } = asked;
  if (op.action === 'insert') return probeInsert(http, collection, asked);
  const { model, type, set } = collection;
  const key = op.key ?? '';
  const record = await readOne(http, collection, asked, pathOf(model, type, set.name, key));
  if (op.action === 'delete')
    return record ? { state: 'notApplied' } : { state: 'applied', key, version: null };
  if (!record) return { state: 'notApplied' };
  const written = writtenValues(asked);
  return Object.entries(written).every(([id, value]) => isSame(value, record.values[id]))
    ? { state: 'applied', key, version: record.version }
    : { state: 'notApplied' };
}

function writtenValues({ op, fields }: ProbeCall): Rec {
  const readOnly = new Set(fields.filter((f) => f.isReadOnly).map((f) => f.id));
  return Object.fromEntries(Object.entries(op.values ?? {}).filter(([id]) => !readOnly.has(id)));
}

/** `a eq 1 and b eq 'x'` over the given fields; null when one of them has no value or no literal form. */
function equals(collection: Collection, values: Rec, ids: readonly string[]): string | null {
  const parts = ids.map((id) => {
    const property = propertyAt(collection.model, collection.type, id);
    const value = values[id];
    const literal =
      property && value !== undefined && value !== null ? literalOf(collection.model, property, value) : null;
    return literal === null ? null : `${id.replaceAll('.', '/')} eq ${literal}`;
  });
  return parts.includes(null) || parts.length === 0 ? null : parts.join(' and ');
}

async function probeInsert(http: HttpClient, collection: Collection, asked: ProbeCall): Promise<ProbeAnswer> {
  const attribute = attributeOf(collection.set)?.property;
  const given =
    attribute !== undefined && asked.attributeId !== undefined ? { [attribute]: asked.attributeId } : {};
  const values = { ...given, ...writtenValues(asked) };
  const { naturalKeys, keyFields } = describeSet(collection.model, collection.set);
  const createdAt = timestampOf(collection.type, 'CreatedAt');
  const since = new Date(asked.sentAt.getTime() - clockSkewMs).toISOString();
  const isNew = createdAt === null ? null : `${createdAt} ge ${since}`;
  const natural = [keyFields, ...naturalKeys]
    .map((ids) => equals(collection, values, ids))
    .find((f) => f !== null);
  const own = attributeFilter(collection, asked.attributeId);
  const alike = similar(collection, values);
  if (natural === undefined && isNew === null && alike === null)
    return { state: 'undecidable', reason: 'nothing that was written can be searched for' };
  const read = async (filter: string) =>
    await readFiltered(http, collection, asked, filter, '', mostCandidates);
  try {
    // Who has our natural key is a candidate even when the system changed other values.
    if (natural !== undefined) return candidates((await read(natural)).records);
    const matching = ({ records }: Found): ReadRecord[] =>
      records.filter((record) => isEqual(values, record.values));
    if (isNew !== null) {
      const made = both(own, isNew) ?? isNew;
      const found = await madeSince(asked, `${collection.root}${collection.set.name}?${made}`, async () =>
        readFiltered(http, collection, asked, made, '', mostNew),
      );
      if (found.isComplete) return candidates(matching(found));
    }
    if (alike === null) return tooMany;
    // The system may have written a value another way: that no search finds it proves nothing where all is not seen.
    const found = await read(both(own, both(isNew, alike)) ?? alike);
    const isProof = found.isComplete && isNew === null;
    return isProof || matching(found).length > 0 ? candidates(matching(found)) : tooMany;
  } catch (error) {
    const isRefused =
      error instanceof ExternalSystemError && ['REFUSED', 'NOT_FOUND', 'SERVER'].includes(error.code);
    if (!isRefused) throw error;
    return { state: 'undecidable', reason: `the system cannot search for it: ${error.message}` };
  }
}

const tooMany: ProbeAnswer = { state: 'undecidable', reason: 'too many records were made at that time' };
const candidates = (records: ReadRecord[]): ProbeAnswer =>
  records.length === 0 ? { state: 'notApplied' } : { state: 'candidates', records };

type Found = Awaited<ReturnType<typeof readFiltered>>;
/** What was made at a time, read once for all the records that are probed together. */
const looks = new WeakMap<object, Map<string, Promise<Found>>>();

async function madeSince({ look }: ProbeCall, of: string, read: () => Promise<Found>): Promise<Found> {
  if (!look) return await read();
  const seen = looks.get(look) ?? new Map<string, Promise<Found>>();
  looks.set(look, seen);
  const found = seen.get(of) ?? read();
  seen.set(of, found);
  // What failed is tried again.
  found.catch(() => seen.delete(of));
  return await found;
}

/** As many written values as fit into an address, all of which must match; the rest is compared here. */
function similar(collection: Collection, values: Rec): string | null {
  let filter: string | null = null;
  for (const id of Object.keys(values)) {
    // Not every service reads the literal of an enumeration.
    if (collection.model.enums.has(propertyAt(collection.model, collection.type, id)?.type.name ?? ''))
      continue;
    const next = both(filter, equals(collection, values, [id]));
    if (next !== null && encodeURIComponent(next).length <= filterLength) filter = next;
  }
  return filter;
}
