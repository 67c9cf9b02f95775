import { validationCodes } from '@sluice/contract';
import type { ErrorClass, Outcome, RecordError, WriteOp } from '@sluice/adapter-kit';
import { isEntity, type ErrorLine } from './json.ts';
import { keyOfAddress } from './keys.ts';
import { toRecord } from './read.ts';
import type { Collection } from './service.ts';

/** The answer to one operation, from a `$batch` or from a request of its own. */
export interface OpAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
  errors: ErrorLine[];
  retryAfterMs: number | undefined;
}

/** The field that a target names: `address/city` -> `address.city`, `lines/0/product` -> `lines`. */
function fieldOf(collection: Collection, target: string | null): string | null {
  if (target === null || target === '') return null;
  const ids: string[] = [];
  let type = collection.type;
  for (const part of target.split(/[/.]/)) {
    const name = part.replace(/\[\d*\]$|\(\d+\)$/, '');
    const property = type.properties.find((p) => p.name === name);
    if (!property) break;
    ids.push(name);
    const inner = collection.model.types.get(property.type.name);
    if (!inner || property.type.isCollection) break;
    type = inner;
  }
  return ids.length > 0 ? ids.join('.') : null;
}

function classOf(status: number, action: WriteOp['action'], isUnique: boolean): ErrorClass {
  if (isUnique) return 'unique';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'notFound';
  if (status === 409) return action === 'delete' ? 'inUse' : 'conflict';
  return status === 400 || status === 422 ? 'validation' : 'other';
}

function recordErrors(collection: Collection, op: WriteOp, answer: OpAnswer): RecordError[] {
  const lines = answer.errors.length > 0 ? answer.errors : [{ code: '', message: '', target: null }];
  return lines.map(({ code, message, target }): RecordError => {
    const known = validationCodes.find((one) => String(one) === code);
    return {
      errCode: code || `HTTP-${answer.status}`,
      msg: message || `HTTP ${answer.status}`,
      field: fieldOf(collection, target),
      ...(known === undefined ? {} : { code: known }),
      class: classOf(answer.status, op.action, known === 4900),
    };
  });
}

function done(collection: Collection, op: WriteOp, answer: OpAnswer): Outcome {
  const { opId } = op;
  const record = isEntity(answer.body) ? toRecord(collection, answer.body) : null;
  const address = answer.headers['odata-entityid'] ?? answer.headers['location'];
  const key =
    record?.key ?? op.key ?? (address === undefined ? null : keyOfAddress(collection.type, address));
  if (key === null)
    return { opId, state: 'unknown', reason: 'the system accepted the record but gave no key' };
  const version = record?.version ?? answer.headers['etag'] ?? null;
  return { opId, state: 'done', key, version, ...(record ? { values: record.values } : {}) };
}

/** What the answer to one operation means. */
export function outcomeOf(collection: Collection, op: WriteOp, answer: OpAnswer): Outcome {
  const { opId } = op;
  const { status } = answer;
  if (status >= 200 && status < 300) return done(collection, op, answer);
  const reason = answer.errors[0]?.message ?? `HTTP ${status}`;
  if (status === 429 || status === 424 || status === 401)
    return {
      opId,
      state: 'notSent',
      reason,
      ...(answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs }),
    };
  if (status >= 500 || status === 408) return { opId, state: 'unknown', reason };
  const isMissing = status === 404 || status === 410;
  if (op.action === 'delete' && isMissing) return { opId, state: 'done', key: op.key ?? '', version: null };
  if (op.action === 'update' && isMissing) return { opId, state: 'gone' };
  if (status === 412 || status === 428) return { opId, state: 'stale' };
  return { opId, state: 'rejected', errors: recordErrors(collection, op, answer) };
}
