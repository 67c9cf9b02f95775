import type { CallOptions, ProbeAnswer, ReadRecord, Rec, WriteOp } from '@sluice/adapter-kit';
import type { FieldDescriptor, Value } from '@sluice/contract';
import { naturalKeysOf } from './collections.ts';
import { areSameLines } from './lines.ts';
import { toCallFailure } from './link.ts';
import type { Domain } from './link.ts';
import type { TrytonFields } from './metadata.ts';
import { columnsFor, readByKeys } from './read.ts';
import type { Reader } from './read.ts';
import { namesOf, toRecord } from './records.ts';
import { encodeValue, isSameValue, ValueError } from './values.ts';

/** Clocks of two machines, and the whole seconds of HTTP's. */
const clockMarginMs = 60_000;

export interface ProbeCall extends CallOptions {
  collection: string;
  fields: readonly FieldDescriptor[];
  op: WriteOp;
  sentAt: Date;
}

/** Finds out what became of an operation whose answer was lost. The caller has waited `settleMs` before. */
export async function probeOp(reader: Reader, call: ProbeCall): Promise<ProbeAnswer> {
  try {
    if (call.op.action === 'insert') return await probeInsert(reader, call);
    const key = call.op.key ?? '';
    const [record] = await readByKeys(reader, { ...call, fields: writtenFields(call), keys: [key] });
    if (call.op.action === 'delete') {
      return record === undefined ? { state: 'applied', key, version: null } : { state: 'notApplied' };
    }
    if (record === undefined) return { state: 'notApplied' };
    const types = await typesOf(reader, call);
    const isApplied = await holds(reader, call, types, record.values, isSameValue);
    return isApplied ? { state: 'applied', key, version: record.version } : { state: 'notApplied' };
  } catch (error) {
    throw toCallFailure(error, call.collection);
  }
}

function writtenFields(call: ProbeCall): FieldDescriptor[] {
  const written = call.op.values ?? {};
  return call.fields.filter((field) => field.id in written);
}

function typesOf(reader: Reader, call: ProbeCall): Promise<TrytonFields> {
  return reader.metadata.fields(call.collection, call.locale, call);
}

type Sameness = (type: string, left: Value, right: Value) => boolean;

/** Whether a record has the values that were written. */
async function holds(
  reader: Reader,
  call: ProbeCall,
  types: TrytonFields,
  actual: Rec,
  isSame: Sameness,
): Promise<boolean> {
  for (const [name, value] of Object.entries(call.op.values ?? {})) {
    const field = types.get(name);
    if (field === undefined) continue;
    if (field.type === 'one2many' && field.relation) {
      const lineTypes = await reader.metadata.fields(field.relation, call.locale, call);
      if (!areSameLines(lineTypes, value, actual[name] ?? null)) return false;
    } else if (!isSame(field.type, value, actual[name] ?? null)) {
      return false;
    }
  }
  return true;
}

/** A new record is found by its natural key, or by its maker, the time, and equal values. */
async function probeInsert(reader: Reader, call: ProbeCall): Promise<ProbeAnswer> {
  const types = await typesOf(reader, call);
  const { rpc } = reader.link;
  // The sign-in that the first call makes tells who we are to Tryton.
  await reader.link.preferences(call);
  const since = new Date(call.sentAt.getTime() + rpc.clockSkewMs - clockMarginMs);
  const mine = [
    ['create_uid', '=', rpc.userId],
    ['create_date', '>=', encodeValue('datetime', since.toISOString())],
  ];
  const keyDomain = naturalKeyDomain(call, types);
  if (keyDomain !== null) {
    const found = await find(reader, call, [...keyDomain, ...mine]);
    const [only] = found;
    if (found.length === 1 && only !== undefined) {
      return { state: 'applied', key: only.key, version: only.version };
    }
    return found.length === 0 ? { state: 'notApplied' } : { state: 'candidates', records: found };
  }
  const made = await find(reader, call, mine);
  const candidates: ReadRecord[] = [];
  for (const record of made) {
    if (await holds(reader, call, types, record.values, isAlike)) candidates.push(record);
  }
  return candidates.length === 0 ? { state: 'notApplied' } : { state: 'candidates', records: candidates };
}

/** Tryton tidies some texts (phone numbers, spaces): such a record is a candidate all the same. */
function isAlike(type: string, left: Value, right: Value): boolean {
  if (isSameValue(type, left, right)) return true;
  if (typeof left !== 'string' || typeof right !== 'string') return false;
  const core = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\d]/gu, '');
  return ['char', 'text'].includes(type) && core(left) === core(right);
}

async function find(reader: Reader, call: ProbeCall, domain: Domain): Promise<ReadRecord[]> {
  const columns = await columnsFor(reader, call.collection, writtenFields(call), call);
  const rows = await reader.link.rows(call.collection, { domain, fields: namesOf(columns) }, call);
  return rows.map((row) => toRecord(row, columns));
}

/** A search for the natural key that was written; null when none was written whole. */
function naturalKeyDomain(call: ProbeCall, types: TrytonFields): Domain | null {
  const values = call.op.values ?? {};
  const key = naturalKeysOf(call.collection).find((names) =>
    names.every((name) => (values[name] ?? null) !== null && types.get(name)?.searchable === true),
  );
  if (key === undefined) return null;
  try {
    return key.map((name) => [name, '=', encodeValue(types.get(name)?.type ?? 'char', values[name] ?? null)]);
  } catch (error) {
    if (error instanceof ValueError) return null;
    throw error;
  }
}
