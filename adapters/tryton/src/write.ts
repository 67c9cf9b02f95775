import { ExternalSystemError } from '@sluice/adapter-kit';
import type { Outcome, Rec, RecordError, WriteCall, WriteOp } from '@sluice/adapter-kit';
import { z } from 'zod';
import type { ErrorScopes } from './error-scope.ts';
import { isPassing, toRecordError } from './errors.ts';
import { encodeLines, encodeLinks } from './lines.ts';
import { parse, toCallFailure } from './link.ts';
import { languages } from './metadata.ts';
import type { TrytonFields } from './metadata.ts';
import { columnsFor } from './read.ts';
import type { Reader } from './read.ts';
import { namesOf, toId, toRecord } from './records.ts';
import type { Column } from './records.ts';
import { CallError, TrytonError } from './rpc.ts';
import { encodeValue, ValueError } from './values.ts';

/** What writing needs beyond reading. */
export interface Writer extends Reader {
  scopes: ErrorScopes;
}

interface Prepared {
  op: WriteOp;
  id: number | null;
  encoded: Record<string, unknown>;
}

/** Writes operations of one kind in one transaction of Tryton, and tells what became of each. */
export async function writeOps(writer: Writer, call: WriteCall): Promise<Outcome[]> {
  const { ops } = call;
  if (ops.length === 0) return [];
  const settled = new Map<string, Outcome>();
  let ready: Prepared[] = [];
  try {
    ready = await prepareOps(writer, call, settled);
    if (ready.length > 0) {
      const ids = await send(writer, call, ready);
      const outcomes = await readBack(writer, call, ready, ids);
      for (const outcome of outcomes) settled.set(outcome.opId, outcome);
    }
  } catch (error) {
    for (const outcome of await explainFailure(writer, call, ready, error))
      settled.set(outcome.opId, outcome);
  }
  return ops.map((op) => settled.get(op.opId) ?? { opId: op.opId, state: 'notSent', reason: 'Not sent.' });
}

/** Encodes the values; what cannot be encoded is settled here and never sent. */
async function prepareOps(
  writer: Writer,
  call: WriteCall,
  settled: Map<string, Outcome>,
): Promise<Prepared[]> {
  const fields = await writer.metadata.fields(call.collection, call.locale, call);
  await writer.link.checkCompany(call, fields.get('company')?.relation === 'company.company');
  const before = await readLists(writer, call, fields);
  const lineTypes = await lineTypesOf(writer, call, fields);
  const prepared: Prepared[] = [];
  for (const op of call.ops) {
    const id = op.action === 'insert' ? null : toId(op.key);
    if (op.action !== 'insert' && id === null) {
      // No record can have this key.
      const isDone = op.action === 'delete';
      settled.set(
        op.opId,
        isDone
          ? { opId: op.opId, state: 'done', key: op.key ?? '', version: null }
          : { opId: op.opId, state: 'gone' },
      );
      continue;
    }
    const result = encodeRecord(call, fields, lineTypes, op.values ?? {}, before.get(id ?? -1) ?? {});
    if ('errors' in result) settled.set(op.opId, { opId: op.opId, state: 'rejected', errors: result.errors });
    else prepared.push({ op, id, encoded: result.encoded });
  }
  return prepared;
}

/** Types of the lines of each written list, by field. */
async function lineTypesOf(writer: Writer, call: WriteCall, fields: TrytonFields) {
  const types = new Map<string, TrytonFields>();
  for (const name of new Set(call.ops.flatMap((op) => Object.keys(op.values ?? {})))) {
    const field = fields.get(name);
    if (field?.type !== 'one2many' || !field.relation) continue;
    types.set(name, await writer.metadata.fields(field.relation, call.locale, call));
  }
  return types;
}

/** Lists are written as differences, so those that a call changes are read first. */
async function readLists(writer: Writer, call: WriteCall, fields: TrytonFields): Promise<Map<number, Rec>> {
  const isList = (name: string) => ['one2many', 'many2many'].includes(fields.get(name)?.type ?? '');
  const changed = call.ops.filter(
    (op) => op.action === 'update' && Object.keys(op.values ?? {}).some(isList),
  );
  if (changed.length === 0) return new Map();
  const names = new Set(changed.flatMap((op) => Object.keys(op.values ?? {}).filter(isList)));
  const descriptors = call.fields.filter((field) => names.has(field.id));
  const columns = await columnsFor(writer, call.collection, descriptors, call);
  const ids = changed.flatMap((op) => toId(op.key) ?? []);
  const rows = await writer.link.rows(
    call.collection,
    { domain: [['id', 'in', ids]], fields: namesOf(columns) },
    call,
  );
  return new Map(rows.map((row) => [Number(row['id']), toRecord(row, columns).values]));
}

function encodeRecord(
  call: WriteCall,
  fields: TrytonFields,
  lineTypes: ReadonlyMap<string, TrytonFields>,
  values: Rec,
  before: Rec,
): { encoded: Record<string, unknown> } | { errors: RecordError[] } {
  const encoded: Record<string, unknown> = {};
  const errors: RecordError[] = [];
  for (const [name, value] of Object.entries(values)) {
    const field = fields.get(name);
    const descriptor = call.fields.find((candidate) => candidate.id === name);
    const types = lineTypes.get(name);
    try {
      if (field === undefined) throw new ValueError('Tryton has no such field.');
      if (types !== undefined && descriptor !== undefined) {
        encoded[name] = encodeLines(descriptor, types, value, before[name] ?? []);
      } else if (field.type === 'many2many') {
        encoded[name] = encodeLinks(value, before[name] ?? []);
      } else {
        encoded[name] = encodeValue(field.type, value);
      }
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      const msg = `${field?.string ?? name}: ${error.message}`;
      errors.push({ errCode: 'VALUE', msg, field: name, class: 'validation' });
    }
  }
  return errors.length > 0 ? { errors } : { encoded };
}

/** The one call that writes; answers the ids in the order of the operations. */
async function send(writer: Writer, call: WriteCall, ready: readonly Prepared[]): Promise<number[]> {
  const { link } = writer;
  const model = call.collection;
  const versions = ready.flatMap(({ op, id }) =>
    id !== null && op.version ? [[`${model},${id}`, op.version]] : [],
  );
  const extra = {
    language: await languageFor(writer, call),
    ...(versions.length === 0 ? {} : { timestamps: Object.fromEntries(versions) }),
  };
  const ids = ready.flatMap(({ id }) => (id === null ? [] : [id]));
  const action = call.ops[0]?.action;
  if (action === 'insert') {
    const answer = await link.call(model, 'create', [ready.map(({ encoded }) => encoded)], call, extra);
    const created = parse(z.array(z.number()), answer, `new records of ${model}`);
    if (created.length !== ready.length) {
      throw new CallError('PROTOCOL', `Tryton made ${created.length} of ${ready.length} records.`, {
        retryable: false,
        wasSent: true,
      });
    }
    return created;
  }
  if (action === 'delete') await link.call(model, 'delete', [ids], call, extra);
  else await link.call(model, 'write', groupEqual(ready), call, extra);
  return ids;
}

/**
 * Translated values are kept per language, so they are written in the language in which they are read. Everything
 * else is written in the language of the person, so that Tryton's refusals are in it.
 */
async function languageFor(writer: Writer, call: WriteCall): Promise<string> {
  const fields = await writer.metadata.fields(call.collection, call.locale, call);
  const names = new Set(call.ops.flatMap((op) => Object.keys(op.values ?? {})));
  const isTranslated = [...names].some((name) => {
    const field = fields.get(name);
    return field?.translate === true || field?.type === 'one2many';
  });
  return isTranslated ? (await writer.link.preferences(call)).language : languages[call.locale];
}

/** `ids, values, ids, values …`; equal values share one entry, which Tryton writes many times faster. */
function groupEqual(ready: readonly Prepared[]): unknown[] {
  const groups = new Map<string, { ids: number[]; values: Record<string, unknown> }>();
  for (const { id, encoded } of ready) {
    if (id === null) continue;
    const key = JSON.stringify(encoded);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { ids: [id], values: encoded });
    else group.ids.push(id);
  }
  return [...groups.values()].flatMap(({ ids, values }) => [ids, values]);
}

/** New versions, and what Tryton made of the values. That this fails does not undo what was written. */
async function readBack(
  writer: Writer,
  call: WriteCall,
  ready: readonly Prepared[],
  ids: readonly number[],
): Promise<Outcome[]> {
  const action = call.ops[0]?.action;
  const done = (opId: string, id: number | undefined): Outcome => ({
    opId,
    state: 'done',
    key: String(id),
    version: null,
  });
  if (action === 'delete') return ready.map(({ op }, index) => done(op.opId, ids[index]));
  try {
    const written = new Set(ready.flatMap(({ op }) => Object.keys(op.values ?? {})));
    const wanted = call.fields.filter((field) =>
      action === 'insert' ? !field.isHidden : written.has(field.id),
    );
    const columns: Column[] = await columnsFor(writer, call.collection, wanted, call);
    const rows = await writer.link.readIds(call.collection, ids, namesOf(columns), call);
    const records = new Map(rows.map((row) => [Number(row['id']), toRecord(row, columns)]));
    return ready.map(({ op }, index) => {
      const record = records.get(ids[index] ?? -1);
      if (record === undefined) return done(op.opId, ids[index]);
      return { ...done(op.opId, ids[index]), version: record.version, values: record.values };
    });
  } catch (error) {
    if (!(error instanceof TrytonError || error instanceof ExternalSystemError)) throw error;
    return ready.map(({ op }, index) => done(op.opId, ids[index]));
  }
}

/** Outcomes of a call that failed as a whole; what concerns no single record is thrown. */
async function explainFailure(
  writer: Writer,
  call: WriteCall,
  ready: readonly Prepared[],
  error: unknown,
): Promise<Outcome[]> {
  const ops = ready.length > 0 ? ready.map(({ op }) => op) : call.ops;
  if (error instanceof TrytonError) return explainRefusal(writer, call, ready, error);
  if (!(error instanceof ExternalSystemError)) throw error;
  if (error.code === 'AUTH' || error.code === 'FORBIDDEN' || error.code === 'NOT_FOUND') throw error;
  const wasSent = error instanceof CallError ? error.wasSent : false;
  if (ready.length > 0 && wasSent) {
    return ops.map(({ opId }) => ({ opId, state: 'unknown', reason: error.message }));
  }
  if (error.code === 'REFUSED' || error.code === 'PROTOCOL') throw error;
  return ops.map(({ opId }) => ({
    opId,
    state: 'notSent',
    reason: error.message,
    ...(error.retryAfterMs === null ? {} : { retryAfterMs: error.retryAfterMs }),
  }));
}

/** Tryton refused: its transaction was undone, nothing of the call remains. */
async function explainRefusal(
  writer: Writer,
  call: WriteCall,
  ready: readonly Prepared[],
  error: TrytonError,
): Promise<Outcome[]> {
  const [first] = ready;
  if (isPassing(error)) {
    const reason = error.message.trim();
    return call.ops.map(({ opId }) => ({ opId, state: 'notSent', reason }));
  }
  if (first === undefined) throw toCallFailure(error, call.collection);
  const isSingle = ready.length === 1;
  const { opId } = first.op;
  if (isSingle && error.kind === 'ConcurrencyException') return [{ opId, state: 'stale' }];
  const errors = [await describeRefusal(writer, call, isSingle ? (first.op.values ?? {}) : null, error)];
  if (!isSingle) return ready.map(({ op }) => ({ opId: op.opId, state: 'batchFailed', errors }));
  if (first.id !== null && (await isGone(writer, call, first.id))) return [{ opId, state: 'gone' }];
  return [{ opId, state: 'rejected', errors }];
}

/** A refusal in Tryton's words, at its field where they tell; never fails itself. */
async function describeRefusal(
  writer: Writer,
  call: WriteCall,
  values: Rec | null,
  error: TrytonError,
): Promise<RecordError> {
  try {
    return toRecordError(error, await writer.scopes.get(call.collection, values, call));
  } catch (problem) {
    if (!(problem instanceof TrytonError || problem instanceof ExternalSystemError)) throw problem;
    return { errCode: error.kind, msg: error.message.trim(), field: null, class: 'other' };
  }
}

async function isGone(writer: Writer, call: WriteCall, id: number): Promise<boolean> {
  try {
    return (await writer.link.searchIds(call.collection, [['id', '=', id]], 1, call)).length === 0;
  } catch (problem) {
    if (!(problem instanceof TrytonError || problem instanceof ExternalSystemError)) throw problem;
    return false;
  }
}
