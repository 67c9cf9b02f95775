import type { Value } from '@sluice/contract';
import type { Changed } from './block-loader.ts';
import type { RowBlock, RowPatch } from './types.ts';

/** Values kept before the least recently seen granules go: some 10 MB. */
export const DEFAULT_MAX_VALUES = 400_000;

/** Rows are kept in granules of so many. */
export const GRANULE = 100;

interface Granule {
  ids: (string | null)[];
  revisions: number[];
  /** `columns[fieldIndex][row]` */
  columns: Value[][];
  isStale: boolean;
  usedAt: number;
}

/** The part of a snapshot that is kept here, by offsets in the snapshot and by ids. */
export class Granules {
  private readonly granules = new Map<number, Granule>();
  private readonly places = new Map<string, number>();
  private clock = 0;

  clear(): void {
    this.granules.clear();
    this.places.clear();
  }

  has(g: number): boolean {
    return this.granules.has(g);
  }
  /** Here, and not out of date. */
  isFresh(g: number): boolean {
    return this.granules.get(g)?.isStale === false;
  }
  markStale(): void {
    for (const granule of this.granules.values()) granule.isStale = true;
  }
  /** Granules of a block that was read before these changed. */
  markOld({ offset, ids }: RowBlock, changed: Changed): void {
    ids.forEach((id, i) => {
      if (changed !== null && (id === null || !changed.has(id))) return;
      const granule = this.granuleOf(offset + i);
      if (granule) granule.isStale = true;
    });
  }
  /** What is looked at is kept longest. */
  use(from: number, to: number): void {
    this.clock++;
    for (let g = from; g <= to; g++) {
      const granule = this.granules.get(g);
      if (granule) granule.usedAt = this.clock;
    }
  }

  placeOf(id: string): number | undefined {
    return this.places.get(id);
  }
  /** Undefined where no row is loaded, null where the record has been removed since. */
  idAt(offset: number): string | null | undefined {
    return this.granuleOf(offset)?.ids[offset % GRANULE];
  }
  revisionAt(offset: number): number {
    return this.granuleOf(offset)?.revisions[offset % GRANULE] ?? 0;
  }
  /** Undefined where no row is loaded. */
  valueAt(offset: number, field: number): Value | undefined {
    const granule = this.granuleOf(offset);
    return granule ? (granule.columns[field]?.[offset % GRANULE] ?? null) : undefined;
  }

  private granuleOf(offset: number): Granule | undefined {
    return this.granules.get(Math.floor(offset / GRANULE));
  }

  lay({ ids, columns, revisions, offset }: RowBlock): void {
    for (let start = 0; start < ids.length; start += GRANULE) {
      const g = (offset + start) / GRANULE;
      this.forget(g);
      const end = Math.min(start + GRANULE, ids.length);
      this.granules.set(g, {
        ids: ids.slice(start, end),
        revisions: revisions.slice(start, end),
        columns: columns.map((column) => column.slice(start, end)),
        isStale: false,
        usedAt: this.clock,
      });
      for (let i = start; i < end; i++) {
        const id = ids[i];
        if (id !== undefined && id !== null) this.places.set(id, offset + i);
      }
    }
  }

  private forget(g: number): (string | null)[] {
    const old = this.granules.get(g);
    if (!old) return [];
    for (const id of old.ids) if (id !== null) this.places.delete(id);
    this.granules.delete(g);
    return old.ids;
  }

  /** Lets the least recently seen go until there are `room`; answers the ids of their rows. */
  evict(room: number, mayGo: (g: number) => boolean): string[] {
    if (this.granules.size <= room) return [];
    const oldest = [...this.granules]
      .filter(([g]) => mayGo(g))
      .sort(([, a], [, b]) => a.usedAt - b.usedAt)
      .slice(0, this.granules.size - room);
    return oldest.flatMap(([g]) => this.forget(g)).filter((id) => id !== null);
  }

  patch(place: number, patch: RowPatch): void {
    this.setRevision(place, patch.revision);
    patch.values.forEach((value, field) => this.write(place, field, value));
  }

  /** Answers the value that was there; undefined when the row is not loaded. */
  write(place: number, field: number, value: Value): Value | undefined {
    const column = this.granuleOf(place)?.columns[field];
    if (!column) return undefined;
    const old = column[place % GRANULE] ?? null;
    column[place % GRANULE] = value;
    return old;
  }

  setRevision(place: number, revision: number): void {
    const granule = this.granuleOf(place);
    if (granule) granule.revisions[place % GRANULE] = revision;
  }

  /** Its place stays empty until the next snapshot. */
  remove(id: string): void {
    const place = this.places.get(id);
    if (place === undefined) return;
    const granule = this.granuleOf(place);
    if (granule) granule.ids[place % GRANULE] = null;
    this.places.delete(id);
  }
}
