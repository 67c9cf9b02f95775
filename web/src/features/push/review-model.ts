import type { PendingChange } from '@sluice/contract';
import { type PendingRecord, heldBy, isTickedAtFirst } from './selection.ts';

export type Grouping = 'record' | 'field' | 'author';

/** Why a record stands where it stands; this is also their order. */
const sections = ['invalid', 'decide', 'rejected', 'ready', 'pushing'] as const;
export type Section = (typeof sections)[number];

export const sectionOf = (record: PendingRecord): Section => {
  const held = heldBy(record);
  if (held === 'invalid') return 'invalid';
  if (held === 'conflict' || held === 'gone') return 'decide';
  if (held === 'pushing') return 'pushing';
  return isTickedAtFirst(record) ? 'ready' : 'rejected';
};

export interface Group {
  id: string;
  kind: 'field' | 'author' | 'new' | 'deleted';
  /** Field id, name of the author; empty for new and deleted. */
  name: string;
  records: readonly PendingRecord[];
  /** Changed cells; of new and deleted records, the records. */
  count: number;
}

export type ReviewItem =
  | { kind: 'section'; key: string; section: Section; count: number }
  | { kind: 'group'; key: string; group: Group; isOpen: boolean }
  /** `author`: only his changes are listed. */
  | { kind: 'record'; key: string; record: PendingRecord; author: string | null }
  | { kind: 'change'; key: string; record: PendingRecord; change: PendingChange };

/** Groups with more than this many lines are folded until somebody opens them. */
export const foldedFrom = 200;

const problemsFirst = (records: readonly PendingRecord[]): PendingRecord[] => {
  const bySection = new Map<Section, PendingRecord[]>(sections.map((section) => [section, []]));
  for (const record of records) bySection.get(sectionOf(record))?.push(record);
  return [...bySection.values()].flat();
};

const byRecord = (records: readonly PendingRecord[]): ReviewItem[] => {
  const items: ReviewItem[] = [];
  const counts = new Map<Section, number>();
  for (const record of records) {
    const section = sectionOf(record);
    counts.set(section, (counts.get(section) ?? 0) + 1);
  }
  let last: Section | null = null;
  for (const record of problemsFirst(records)) {
    const section = sectionOf(record);
    if (section !== last && counts.size > 1)
      items.push({ kind: 'section', key: `section ${section}`, section, count: counts.get(section) ?? 0 });
    last = section;
    items.push({ kind: 'record', key: record.operation.id, record, author: null });
  }
  return items;
};

/** Changed fields, the most changed first, then new and deleted records. */
export const fieldGroups = (records: readonly PendingRecord[]): Group[] => {
  const byField = new Map<string, PendingRecord[]>();
  for (const record of problemsFirst(records)) {
    if (record.operation.action !== 'update') continue;
    for (const { fieldName } of record.operation.changes) {
      const known = byField.get(fieldName);
      if (known) known.push(record);
      else byField.set(fieldName, [record]);
    }
  }
  const whole = (kind: 'new' | 'deleted', action: 'add' | 'delete'): Group[] => {
    const own = problemsFirst(records).filter((record) => record.operation.action === action);
    return own.length === 0 ? [] : [{ id: kind, kind, name: '', records: own, count: own.length }];
  };
  // A record whose external record vanished may have no change left: it still has to be decided.
  const bare = records.filter(
    ({ operation }) => operation.action === 'update' && operation.changes.length === 0,
  );
  return [
    ...[...byField]
      .map(([name, own]): Group => ({
        id: `field ${name}`,
        kind: 'field',
        name,
        records: own,
        count: own.length,
      }))
      .toSorted((a, b) => b.count - a.count),
    ...(bare.length > 0
      ? [{ id: 'field ', kind: 'field' as const, name: '', records: bare, count: bare.length }]
      : []),
    ...whole('new', 'add'),
    ...whole('deleted', 'delete'),
  ];
};

/** Who changed what: a record that two people changed stands with both. */
export const authorGroups = (records: readonly PendingRecord[]): Group[] => {
  const byAuthor = new Map<string, { name: string; records: Set<PendingRecord>; count: number }>();
  for (const record of problemsFirst(records)) {
    const { operation } = record;
    const authors =
      operation.action === 'update' && operation.changes.length > 0
        ? operation.changes.map((change) => change.authoredBy)
        : [operation.authoredBy];
    for (const author of authors) {
      const known = byAuthor.get(author.internalId);
      if (known) {
        known.records.add(record);
        known.count++;
      } else byAuthor.set(author.internalId, { name: author.fullName, records: new Set([record]), count: 1 });
    }
  }
  return [...byAuthor].map(([id, { name, records: own, count }]) => ({
    id: `author ${id}`,
    kind: 'author',
    name,
    records: [...own],
    count,
  }));
};

/** The lines of the review, in order. `open` overrides whether a group is unfolded. */
export const reviewItems = (
  records: readonly PendingRecord[],
  grouping: Grouping,
  open: ReadonlyMap<string, boolean>,
): ReviewItem[] => {
  if (grouping === 'record') return byRecord(records);
  const groups = grouping === 'field' ? fieldGroups(records) : authorGroups(records);
  const lines = groups.reduce((sum, group) => sum + group.count, 0);
  return groups.flatMap((group) => {
    const isOpen = open.get(group.id) ?? lines <= foldedFrom;
    const head: ReviewItem = { kind: 'group', key: group.id, group, isOpen };
    if (!isOpen) return [head];
    const author = group.kind === 'author' ? group.id.slice('author '.length) : null;
    return [
      head,
      ...group.records.map((record): ReviewItem => {
        const key = `${group.id} ${record.operation.id}`;
        const change =
          group.kind === 'field'
            ? record.operation.changes.find(({ fieldName }) => fieldName === group.name)
            : undefined;
        return change ? { kind: 'change', key, record, change } : { kind: 'record', key, record, author };
      }),
    ];
  });
};

/** Height before it was drawn, in pixels. */
export const estimateItem = (item: ReviewItem): number => {
  if (item.kind === 'section') return 28;
  if (item.kind === 'group') return 36;
  if (item.kind === 'change') return item.change.theirs === undefined ? 29 : 160;
  const { operation } = item.record;
  const lines = operation.action === 'update' ? operation.changes.length : operation.action === 'add' ? 1 : 0;
  const conflicts = operation.changes.filter((change) => change.theirs !== undefined).length;
  return 33 + lines * 24 + (lines > 0 ? 6 : 0) + conflicts * 116 + operation.validationErrors.length * 24;
};

/** Decisions for all conflicts of one kind; `field` null = of all fields. */
export const conflictsOf = (
  records: readonly PendingRecord[],
  field: string | null = null,
): { id: string; field: string }[] =>
  records.flatMap(({ operation }) =>
    operation.changes
      .filter((change) => change.theirs !== undefined && (field === null || change.fieldName === field))
      .map((change) => ({ id: operation.id, field: change.fieldName })),
  );
