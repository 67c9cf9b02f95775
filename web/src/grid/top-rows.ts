import type { Value } from '@sluice/contract';
import type { RowPatch } from './types.ts';

/** A row that is not (yet) part of the snapshot: a draft or a record added in this session. */
export interface TopRow {
  id: string;
  revision: number;
  values: Value[];
  /** Nothing of it has reached the server yet. */
  isDraft: boolean;
}

export interface NowRow {
  id: string;
  /** Only of what was a draft. */
  firstRevision?: number;
}

/** The rows above those of the snapshot. */
export class TopRows {
  private rows: readonly TopRow[] = [];
  /** Places by id, made anew when the rows are others. */
  private places: ReadonlyMap<string, number> | null = null;
  /** Records that drafts have become. */
  private readonly settled = new Map<string, NowRow>();

  get all(): readonly TopRow[] {
    return this.rows;
  }
  get length(): number {
    return this.rows.length;
  }

  private put(rows: readonly TopRow[]): void {
    this.rows = rows;
    this.places = null;
  }

  placeOf(id: string): number | undefined {
    this.places ??= new Map(this.rows.map((row, i) => [row.id, i]));
    return this.places.get(id);
  }
  get(id: string): TopRow | undefined {
    const place = this.placeOf(id);
    return place === undefined ? undefined : this.rows[place];
  }

  add(rows: readonly TopRow[], at: 'start' | 'end'): void {
    this.put(at === 'start' ? [...rows, ...this.rows] : [...this.rows, ...rows]);
  }

  keepDrafts(): void {
    this.put(this.rows.filter((row) => row.isDraft));
  }

  remove(ids: ReadonlySet<string>): void {
    this.put(this.rows.filter((row) => !ids.has(row.id)));
  }

  /** A record added in this session may turn up in a new snapshot: it is then shown in its place there. */
  dropArrived(ids: readonly (string | null)[]): void {
    if (this.rows.length === 0) return;
    const arrived = new Set(ids);
    this.put(this.rows.filter((row) => row.isDraft || !arrived.has(row.id)));
  }

  /** A draft became a record; the live message may have told of it before the answer did. */
  settle(draftId: string, { id, revision, values }: RowPatch): void {
    this.settled.set(draftId, { id, firstRevision: revision });
    this.put(
      this.rows
        .filter((row) => row.id !== id || row.id === draftId)
        .map((row) => (row.id === draftId ? { id, revision, values, isDraft: false } : row)),
    );
  }

  /** What a row is called now, and the revision that it began with: drafts get both when they become records. */
  nowOf(rowId: string): NowRow {
    return this.settled.get(rowId) ?? { id: rowId };
  }
}
