import type { WriteOp } from '@sluice/adapter-kit';
import { at, type Entity, isEntity, textAt } from './json.ts';
import type { Batch } from './profile.ts';

/** The request of one operation. */
export interface Prepared {
  op: WriteOp;
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  headers: Record<string, string>;
  body: Entity | undefined;
}

/** The answer to one operation, from a batch or from a request of its own. */
export interface OpAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** The answer to one operation of a batch; null when there is none. */
export function partAnswer(batch: Batch, part: unknown): OpAnswer | null {
  if (!isEntity(part)) return null;
  const told = batch.status === undefined ? null : Number(textAt(part, batch.status) ?? NaN);
  const error = batch.error === undefined ? undefined : at(part, batch.error);
  const success = batch.success === undefined ? part : at(part, batch.success);
  const headers = {};
  if (error !== undefined && error !== null)
    return { status: told !== null && told >= 400 ? told : 400, headers, body: error };
  if (told !== null && Number.isInteger(told)) return { status: told, headers, body: success };
  return success === undefined ? null : { status: 200, headers, body: success };
}

/** A request of a batch from its template. */
export function fillItem(
  template: unknown,
  request: Pick<Prepared, 'method' | 'path' | 'body'>,
  id: string,
): unknown {
  const { method, path, body } = request;
  if (template === '{body}') return body;
  if (typeof template === 'string')
    return template.replaceAll(
      /\{(method|path|id)\}/g,
      (_, name: 'method' | 'path' | 'id') => ({ method, path, id })[name],
    );
  if (Array.isArray(template)) return template.map((one) => fillItem(one, request, id));
  if (!isEntity(template)) return template;
  return Object.fromEntries(
    Object.entries(template).map(([name, one]) => [name, fillItem(one, request, id)]),
  );
}
