import { GRANULE } from './granules.ts';
import type { GridSource, RowBlock } from './types.ts';

const MAX_IN_FLIGHT = 2;
const MOST_GRANULES_PER_REQUEST = 10;
/** Wide tables get fewer rows at a time: an answer is read between two frames. */
const VALUES_PER_REQUEST = 50_000;
/** Rows that somebody waited for are painted before others are read ahead. */
const PAINT_MS = 20;

/** Ids of records; null = any of them. */
export type Changed = ReadonlySet<string> | null;

interface Span {
  from: number;
  to: number;
  changed: Set<string> | null;
}

/** What is there, for the loader to decide what to ask for. */
interface Shelf {
  /** Null until the first answer names it. */
  snapshot: () => string | null;
  isFresh: (g: number) => boolean;
  has: (g: number) => boolean;
  /** Rows of the snapshot; null while that is not known. */
  total: () => number | null;
  /** `changed`: records that changed here since the block was asked for, which may be older than that. */
  accept: (block: RowBlock, changed: Changed) => void;
  onError: () => void;
}

/** Asks for the granules around what is looked at: what is missing there first, few at a time, none in vain. */
export class BlockLoader {
  private readonly inFlight = new Map<AbortController, Span>();
  private wanted: { from: number; to: number } | null = null;
  private failedAt: { error: unknown } | null = null;
  private generation = 0;
  /** Until it runs out nothing is read ahead. */
  private painting: ReturnType<typeof setTimeout> | null = null;
  private readonly source: GridSource;
  private readonly shelf: Shelf;
  /** Granules of one request at most. */
  readonly reach: number;

  constructor(source: GridSource, width: number, shelf: Shelf) {
    this.source = source;
    this.shelf = shelf;
    const fitting = Math.floor(VALUES_PER_REQUEST / (Math.max(1, width) * GRANULE));
    this.reach = Math.max(1, Math.min(MOST_GRANULES_PER_REQUEST, fitting));
  }

  get isLoading(): boolean {
    return this.inFlight.size > 0;
  }
  get error(): unknown {
    return this.failedAt?.error ?? null;
  }
  /** Granules that are looked at. */
  get sight(): { from: number; to: number } {
    return this.wanted ?? { from: 0, to: 0 };
  }

  want(from: number, to: number): void {
    this.wanted = { from, to };
    this.pump();
  }

  /** Gives up what is under way: it belongs to a snapshot that is gone. */
  drop(): void {
    this.generation++;
    this.endPainting();
    for (const controller of this.inFlight.keys()) controller.abort();
    this.inFlight.clear();
  }

  /** These are newer here than what is under way may bring; without ids any record is. */
  noteChanged(ids: Iterable<string> | null): void {
    for (const span of this.inFlight.values()) {
      if (ids === null) span.changed = null;
      else if (span.changed) for (const id of ids) span.changed.add(id);
    }
  }

  forgetError(): void {
    this.failedAt = null;
  }

  /** All that is looked at is there, and not out of date. */
  get isSightFresh(): boolean {
    const { from, to } = this.sight;
    for (let g = from; g <= to; g++) if (this.isDue(g)) return false;
    return true;
  }

  private isDue(g: number): boolean {
    if (this.shelf.isFresh(g)) return false;
    const total = this.shelf.total();
    return total === null || g * GRANULE < total;
  }

  private needs(g: number): boolean {
    if (!this.isDue(g)) return false;
    for (const span of this.inFlight.values()) if (g >= span.from && g <= span.to) return false;
    return true;
  }

  pump(): void {
    if (!this.wanted || this.failedAt) return;
    const { from, to } = this.wanted;
    this.dropUseless(from, to);
    if (this.inFlight.size >= MAX_IN_FLIGHT) return;
    if (this.shelf.snapshot() === null) {
      // The first answer names the snapshot; all others have to wait for it.
      if (this.inFlight.size === 0) void this.fetch(from, from);
      return;
    }
    for (let g = from; g <= to; g++) {
      if (!this.needs(g)) continue;
      const hasNeighbour = this.shelf.has(g - 1) || this.shelf.has(g + 1);
      void this.fetch(g, hasNeighbour ? this.extend(g) : Math.min(to, g + 1));
      return;
    }
    if (this.painting !== null) return;
    const isMissing = (g: number): boolean => g >= 0 && this.needs(g) && !this.shelf.has(g);
    for (let step = 1; step < this.reach; step++) {
      if (isMissing(to + step)) return void this.fetch(to + step, this.extend(to + step));
    }
    for (let step = 1; step <= 2; step++) {
      if (isMissing(from - step)) {
        let first = from - step;
        while (isMissing(first - 1) && from - first < this.reach) first--;
        return void this.fetch(first, from - step);
      }
    }
  }

  private beginPainting(): void {
    this.endPainting();
    this.painting = setTimeout(() => {
      this.painting = null;
      this.pump();
    }, PAINT_MS);
  }

  private endPainting(): void {
    if (this.painting !== null) clearTimeout(this.painting);
    this.painting = null;
  }

  private extend(g: number): number {
    let last = g;
    while (last - g < this.reach - 1 && this.needs(last + 1)) last++;
    return last;
  }

  /** Requests for places that the user left again only hold up the ones that matter. */
  private dropUseless(from: number, to: number): void {
    if (this.shelf.snapshot() === null) return;
    for (const [controller, span] of this.inFlight) {
      if (span.to < from - this.reach || span.from > to + this.reach) {
        this.inFlight.delete(controller);
        controller.abort();
      }
    }
  }

  private async fetch(from: number, to: number): Promise<void> {
    const controller = new AbortController();
    const { generation } = this;
    const span: Span = { from, to, changed: new Set() };
    this.inFlight.set(controller, span);
    try {
      const block = await this.source.loadBlock({
        snapshot: this.shelf.snapshot(),
        offset: from * GRANULE,
        limit: (to - from + 1) * GRANULE,
        signal: controller.signal,
      });
      if (generation === this.generation && !controller.signal.aborted) {
        this.inFlight.delete(controller);
        if (this.wanted && from <= this.wanted.to && to >= this.wanted.from) this.beginPainting();
        this.shelf.accept(block, span.changed);
      }
    } catch (error) {
      if (generation !== this.generation || controller.signal.aborted) return;
      this.inFlight.delete(controller);
      this.failedAt = { error };
      this.shelf.onError();
    }
  }
}
