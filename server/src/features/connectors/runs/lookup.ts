import type { previewLookup, ReplyOf, Value } from '@sluice/contract';
import type { Lookup, LookupRequest } from '@sluice/mapping/engine';
import type { Locale } from '@sluice/contract';
import type { Actor } from '../../../platform/actor.ts';
import { arrays, rows, sql } from '../../../platform/db.ts';
import { AppError } from '../../../platform/errors.ts';
import { type CollectionModel, columnOf, tableOf, textOfValue } from '../../cache/model.ts';
import { openCached, openCollection } from '../../records/context.ts';
import { titlesOf } from '../../systems/catalogue.ts';
import { requireEnd, wiredOf } from '../ends.ts';
import type { ConnectorServices } from '../service.ts';
import type { ConnectorRow } from '../store.ts';

/** A lookup needs a collection to be read, for the first time or anew, before it can answer. */
export class LookupNotRead extends Error {
  readonly collectionId: number;
  readonly title: Record<Locale, string>;
  readonly isFirst: boolean;

  constructor({ collectionId, title, isFirst }: Pick<LookupNotRead, 'collectionId' | 'title' | 'isFirst'>) {
    super(title.EN);
    this.name = 'LookupNotRead';
    this.collectionId = collectionId;
    this.title = title;
    this.isFirst = isFirst;
  }
}

/**
 * What a run's lookups may take for new: a key that the source's cache does not have may be of a record that is
 * younger than the cache (an order whose lines are just being read), so that it is read anew, once a run.
 */
export class RunLookups {
  private readonly since: number;
  private readonly read = new Set<number>();

  constructor(since: Date) {
    this.since = since.getTime();
  }

  readFor(collectionId: number): void {
    this.read.add(collectionId);
  }

  isOld({ collectionId, refreshedAt }: CollectionModel): boolean {
    return !this.read.has(collectionId) && Date.parse(refreshedAt ?? '') < this.since;
  }
}

/**
 * Lookups go to the cached collections of either system: one query per step and batch. With `lookups` (a run's) they
 * throw `LookupNotRead` where it is worth waiting for a reading; without, what was not read yet is refused by name.
 */
export function lookupOf(
  services: ConnectorServices,
  actor: Actor,
  { connector }: { connector: ConnectorRow },
  lookups: RunLookups | null = null,
): Lookup {
  return async (request, keys) => await lookUp(services, actor, connector, request, keys, lookups);
}

export async function lookUp(
  services: ConnectorServices,
  actor: Actor,
  connector: ConnectorRow,
  { system, collection, keyField, returnField }: LookupRequest,
  keys: readonly Value[],
  lookups: RunLookups | null = null,
): Promise<ReplyOf<typeof previewLookup>> {
  const end = await requireEnd(
    services,
    actor,
    system === 'target' ? connector.target_system : connector.source_system,
  );
  const wired = wiredOf(services, actor, end, collection);
  const { model } = lookups
    ? await openCollection(services, actor, wired.option.path)
    : await openCached(services, actor, wired.option.path, 'lookup.notRead');
  const title = titlesOf(wired.type);
  const notRead = { collectionId: model.collectionId, title };
  if (model.refreshedAt === null) throw new LookupNotRead({ ...notRead, isFirst: true });
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
  if (system === 'source' && lookups?.isOld(model) && values.some(({ length }) => length === 0))
    throw new LookupNotRead({ ...notRead, isFirst: false });
  return { title, values };
}
