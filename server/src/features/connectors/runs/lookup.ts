import type { Value } from '@sluice/contract';
import type { Lookup, LookupRequest } from '@sluice/mapping/engine';
import type { Actor } from '../../../platform/actor.ts';
import { arrays, rows, sql } from '../../../platform/db.ts';
import { AppError } from '../../../platform/errors.ts';
import { columnOf, tableOf, textOfValue } from '../../cache/model.ts';
import { openCached } from '../../records/context.ts';
import { requireEnd, wiredOf } from '../ends.ts';
import type { ConnectorServices } from '../service.ts';
import type { ConnectorRow } from '../store.ts';

/** Lookups go to the cached collections of either system: one query per step and batch. */
export function lookupOf(
  services: ConnectorServices,
  actor: Actor,
  { connector }: { connector: ConnectorRow },
): Lookup {
  return async (request, keys) => await lookUp(services, actor, connector, request, keys);
}

export async function lookUp(
  services: ConnectorServices,
  actor: Actor,
  connector: ConnectorRow,
  { system, collection, keyField, returnField }: LookupRequest,
  keys: readonly Value[],
): Promise<Value[][]> {
  const end = await requireEnd(
    services,
    actor,
    system === 'target' ? connector.target_system : connector.source_system,
  );
  const { model } = await openCached(services, actor, wiredOf(services, actor, end, collection).option.path);
  const key = model.byPath.get(keyField);
  const wanted = returnField === null ? key : model.byPath.get(returnField);
  if (!key || !wanted)
    throw new AppError('NOT_FOUND', {
      text: { key: 'field.unknown', params: { field: key ? (returnField ?? '') : keyField } },
    });
  const texts = keys.map((value) => textOfValue(key.pgType, value));
  // A key that is no value of the column's type finds nothing, instead of failing all the others.
  const valid =
    key.pgType === 'text'
      ? texts.filter((text) => text !== null)
      : (
          await rows<{ k: string }>(
            services.pool,
            sql`select k from unnest(${texts}::text[]) k where pg_input_is_valid(k, ${key.pgType})`,
          )
        ).map(({ k }) => k);
  const found = await arrays(
    services.pool,
    sql`select t.${columnOf(key.fno)}, t.${columnOf(wanted.fno)} from ${tableOf(model.collectionId)} t
        where t.${columnOf(key.fno)} = any(${valid}::${sql.raw(key.pgType)}[])`,
  );
  const byKey = new Map<string | null, Value[]>();
  for (const [own, value] of found as [Value, Value][]) {
    const text = textOfValue(key.pgType, own);
    byKey.set(text, [...(byKey.get(text) ?? []), value]);
  }
  const values = texts.map((text) => byKey.get(text) ?? []);
  return values;
}
