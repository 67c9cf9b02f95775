import type { Actor } from '../../platform/actor.ts';
import { type Sql, sql } from '../../platform/db.ts';
import type { CollectionModel } from '../cache/model.ts';
import { defaultOptions, readPreferences } from '../preferences/service.ts';
import { anyOf, type FindTerms, matcherOf, type Shown } from './matching.ts';
import type { RecordServices } from './service.ts';
import { type ViewSpec, viewSql, type ViewSql } from './view-sql.ts';

/** How the actor sees values: his formats and language, and the organisation's time zone. */
export async function shownTo(services: RecordServices, actor: Actor): Promise<Shown> {
  const { formats } =
    actor.kind === 'user' ? (await readPreferences(services.pool, actor.userId)).options : defaultOptions;
  return { formats, timeZone: services.timeZone, locale: actor.locale };
}

/** A view as the actor sees it. */
export async function viewSqlFor(
  services: RecordServices,
  actor: Actor,
  model: CollectionModel,
  view: ViewSpec,
): Promise<ViewSql> {
  const search = view.search && searchSql(model, view.search, await shownTo(services, actor));
  return viewSql(model, view, search);
}

/** The records that finding the same would find (decisions Q-FILT-03). */
function searchSql(model: CollectionModel, terms: FindTerms, shown: Shown): Sql {
  const { conditions, rough } = matcherOf(model, terms, shown, 'searchFields');
  if (conditions.length === 0) return sql`false`;
  return rough ? sql`${rough} and ${anyOf(conditions)}` : anyOf(conditions);
}
