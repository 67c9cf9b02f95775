import { ExternalSystemError, type Page, type ReadRecord, type Session } from '@sluice/adapter-kit';
import type {
  FieldDescriptor,
  MergeSource,
  RecordSelection,
  Source as MappedSource,
  Trigger,
} from '@sluice/contract';
import {
  compilePlan,
  compileTrigger,
  type CompiledTrigger,
  functionOf,
  type Plan,
} from '@sluice/mapping/engine';
import type { Actor } from '../../../platform/actor.ts';
import type { CollectionContext } from '../../records/context.ts';
import { callOf, describeWired, type End, type Wired, wiredOf } from '../ends.ts';
import type { ConnectorServices } from '../service.ts';
import type { ActionContent } from '../store.ts';

const pageSize = 5000;

/** One wired source of an action, ready to be read and mapped. */
export interface Source {
  wired: Wired;
  session: Session;
  fields: FieldDescriptor[];
  /** Only what changed can be read: said of the collection, or else of its system. */
  tellsChanges: boolean;
  plan: Plan;
  /** Its mappings ask cached collections, in which what the run has just made may be found. */
  looksUp: boolean;
  triggers: { selection: RecordSelection; compiled: CompiledTrigger }[];
}

export async function openSource(
  services: ConnectorServices,
  actor: Actor,
  end: End,
  optionId: string,
  target: CollectionContext,
  content: Pick<ActionContent, 'mappings'> & { triggers: readonly Trigger[] },
): Promise<Source> {
  const wired = wiredOf(services, actor, end, optionId);
  const { fields, changes } = await describeWired(services, wired, actor.locale);
  const session = await services.connections.of(wired.end.domain.domain_id);
  const plan = compilePlan({
    mappings: content.mappings,
    sourceOptionId: optionId,
    sourceFields: fields,
    targetFields: target.model.fields[actor.locale],
    zone: services.timeZone,
  });
  return {
    wired,
    session,
    fields,
    tellsChanges: changes === undefined ? session.caps.changes.incremental : changes !== 'none',
    plan,
    looksUp: content.mappings.some(({ mappingSources }) => mappingSources.some(looksUp)),
    triggers: content.triggers.map((trigger) => ({
      selection: trigger.sourceRecordSelection,
      compiled: compileTrigger(trigger, fields, services.timeZone),
    })),
  };
}

const looksUp = ({
  source,
  transformFns,
}: Pick<MergeSource, 'transformFns'> & { source: MappedSource }): boolean =>
  transformFns.some(({ fnId }) => functionOf(fnId)?.asks === true) ||
  (source.type === 'multiple' && source.mergeSources.some(looksUp));

/** The fields that mappings, conditions and the narrowing look at; only they are read. */
function neededFields({ fields, plan, triggers }: Source, narrowing: Narrowing | null): FieldDescriptor[] {
  const names = new Set([...plan.sourceFields, ...triggers.flatMap(({ compiled }) => compiled.fields)]);
  if (narrowing?.filter) names.add(narrowing.filter.field);
  if (narrowing?.orderBy) names.add(narrowing.orderBy.field);
  const isNeeded = (field: FieldDescriptor): boolean =>
    names.has(field.id) || field.isKey || (field.children ?? []).some(isNeeded);
  return fields.filter(isNeeded);
}

export interface Narrowing {
  filter?: { field: string; value: string | number | boolean | null };
  orderBy?: { field: string; isDescending: boolean };
  offset: number;
  limit: number | null;
}

interface Reading {
  cursor: string | null;
  changedSince: Date | null;
  narrowing: Narrowing | null;
  signal: AbortSignal;
}

/** The records of a source page by page; what the system cannot put in order is put in order here, as one page. */
export async function* readSource(source: Source, actor: Actor, options: Reading): AsyncGenerator<Page> {
  const { narrowing } = options;
  const orderBy = narrowing?.orderBy;
  if (!narrowing || !orderBy || source.session.caps.query?.orderBy === true) {
    yield* readPages(source, actor, options);
    return;
  }
  const { offset, limit } = narrowing;
  const held: ReadRecord[] = [];
  let last: Page | null = null;
  const unlimited = { ...narrowing, offset: 0, limit: mostSorted + 1 };
  for await (const page of readPages(source, actor, { ...options, narrowing: unlimited })) {
    held.push(...page.records);
    last = page;
  }
  if (held.length > mostSorted)
    throw new ExternalSystemError(
      'PROTOCOL',
      `${orderBy.field}: this system cannot put more than ${mostSorted} records in order`,
      { retryable: false },
    );
  held.sort(inOrder(orderBy));
  if (last) yield { ...last, records: held.slice(offset, limit === null ? undefined : offset + limit) };
}

/** Numbers by size, all else by its text; nothing comes last, whatever the direction. */
function inOrder({ field, isDescending }: NonNullable<Narrowing['orderBy']>) {
  const direction = isDescending ? -1 : 1;
  return (one: ReadRecord, other: ReadRecord): number => {
    const a = one.values[field] ?? null;
    const b = other.values[field] ?? null;
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const order = typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
    return direction * order;
  };
}

async function* readPages(source: Source, actor: Actor, options: Reading): AsyncGenerator<Page> {
  const { wired, session } = source;
  const { narrowing } = options;
  const pages = session.read({
    ...callOf(wired, actor.locale, 'cache'),
    signal: options.signal,
    collection: wired.type.code,
    fields: neededFields(source, narrowing),
    cursor: narrowing ? null : options.cursor,
    pageSize: Math.min(session.caps.maxPage, pageSize),
    changedSince: options.changedSince,
    ...(narrowing ? partOf(session, narrowing) : {}),
  });
  const left = narrowing ? restOf(session, narrowing) : null;
  for await (const page of pages) {
    if (!left) {
      yield page;
      if (page.cursor === null) return;
      continue;
    }
    const kept = left(page.records);
    if (kept.records.length > 0) yield { ...page, records: kept.records };
    if (kept.isEnough) return;
  }
}

/** What the system itself can leave out; the rest is left out here. */
function partOf(session: Session, { filter, orderBy, offset, limit }: Narrowing) {
  const { query } = session.caps;
  const isFiltered = !filter || query?.filter === true;
  const isOrdered = !orderBy || query?.orderBy === true;
  const isSkipped = isFiltered && isOrdered && query?.offset === true;
  return {
    ...(filter && isFiltered ? { filter: [filter] } : {}),
    ...(orderBy && isOrdered ? { orderBy: [orderBy] } : {}),
    ...(isSkipped ? { offset, ...(limit === null ? {} : { limit }) } : {}),
  };
}

/** Most records that are held to be put in order here, where the system cannot. */
const mostSorted = 100_000;

function restOf(
  session: Session,
  { filter, orderBy, offset, limit }: Narrowing,
): (records: readonly ReadRecord[]) => { records: ReadRecord[]; isEnough: boolean } {
  const { query } = session.caps;
  const isFiltered = !filter || query?.filter === true;
  const isSkipped = isFiltered && (!orderBy || query?.orderBy === true) && query?.offset === true;
  let toSkip = isSkipped ? 0 : offset;
  let left = limit ?? mostSorted;
  return (records) => {
    const matching = isFiltered
      ? [...records]
      : records.filter(({ values }) => String(values[filter.field] ?? '') === String(filter.value ?? ''));
    const kept = matching.slice(toSkip, toSkip + left);
    toSkip = Math.max(0, toSkip - matching.length);
    left -= kept.length;
    return { records: kept, isEnough: limit !== null && left <= 0 };
  };
}
