import {
  ExternalSystemError,
  type ProbeAnswer,
  type ProbeCall,
  type ReadRecord,
  type Rec,
} from '@sluice/adapter-kit';
import type { ProfileCollection } from './profile.ts';
import type { Reader } from './read.ts';
import { isSame } from './values.ts';

/** How far the clock of the service may lag behind ours. */
const clockSkewMs = 5 * 60_000;
const mostRead = 20_000;

function writtenValues({ op, fields }: ProbeCall): Rec {
  const known = new Set(fields.filter((field) => !field.isReadOnly).map(({ id }) => id));
  return Object.fromEntries(Object.entries(op.values ?? {}).filter(([id]) => known.has(id)));
}

/** What became of an operation whose answer was lost. */
export async function probe(
  reader: Reader,
  collection: ProfileCollection,
  call: ProbeCall,
  pageSize: number,
): Promise<ProbeAnswer> {
  const { op, fields } = call;
  const written = writtenValues(call);
  if (op.action === 'insert') return await findInsert(reader, collection, call, written, pageSize);
  const key = op.key ?? '';
  const [record] = await reader.byKeys(collection, fields, [key], call);
  if (op.action === 'delete')
    return record ? { state: 'notApplied' } : { state: 'applied', key, version: null };
  if (!record) return { state: 'notApplied' };
  return Object.entries(written).every(([id, value]) => isSame(value, record.values[id]))
    ? { state: 'applied', key, version: record.version }
    : { state: 'notApplied' };
}

async function findInsert(
  reader: Reader,
  collection: ProfileCollection,
  call: ProbeCall,
  written: Rec,
  pageSize: number,
): Promise<ProbeAnswer> {
  const scalar = (id: string) => {
    const value = written[id];
    return value === undefined || value === null || typeof value === 'object' ? [] : [{ field: id, value }];
  };
  const natural = [...collection.naturalKeys, collection.keyFields].find(
    (ids) => ids.length > 0 && ids.every((id) => scalar(id).length > 0),
  );
  const query = { ...call, collection: collection.code, cursor: null, pageSize };
  const isEqual = ({ values }: ReadRecord): boolean =>
    Object.entries(written).every(([id, value]) => value === null || isSame(value, values[id]));
  const named = natural?.flatMap(scalar) ?? [];
  const isNamed = ({ values }: ReadRecord): boolean =>
    named.every(({ field, value }) => isSame(value, values[field]));
  const read = async (
    part: Partial<Parameters<Reader['read']>[1]>,
    isWanted: (record: ReadRecord) => boolean,
  ): Promise<ProbeAnswer> => {
    const records: ReadRecord[] = [];
    let count = 0;
    for await (const page of reader.read(collection, { ...query, ...part })) {
      records.push(...page.records.filter(isWanted));
      count += page.records.length;
      if (count > mostRead) return { state: 'undecidable', reason: 'too many records to look through' };
    }
    return records.length === 0 ? { state: 'notApplied' } : { state: 'candidates', records };
  };
  try {
    // Who has our natural key is a candidate even when the service changed other values.
    if (named.length > 0 && collection.filter) return await read({ filter: named }, isNamed);
    const isWanted = named.length > 0 ? isNamed : isEqual;
    if (named.length === 0 && Object.values(written).every((value) => value === null))
      return { state: 'undecidable', reason: 'the record has no values to look for' };
    return await read(
      collection.changedSince ? { changedSince: new Date(call.sentAt.getTime() - clockSkewMs) } : {},
      isWanted,
    );
  } catch (error) {
    const isRefused =
      error instanceof ExternalSystemError && ['REFUSED', 'NOT_FOUND', 'PROTOCOL'].includes(error.code);
    if (!isRefused) throw error;
    return { state: 'undecidable', reason: `the service cannot search for it: ${error.message}` };
  }
}
