import type { GridView } from './grid-view.ts';
import { HEADER_HEIGHT } from './places.ts';

/** Drags of the pointer over the grid, one at a time. */
export class Drags {
  private end: ((isCancelled: boolean) => void) | null = null;
  private autoscroll = 0;
  private lastEvent: PointerEvent | null = null;
  private readonly view: GridView;

  constructor(view: GridView) {
    this.view = view;
  }

  get isOn(): boolean {
    return this.end !== null;
  }

  cancel(): void {
    this.end?.(true);
  }

  /** Follows the pointer until it is released; at the edges the grid scrolls along the axes named. */
  start(
    onMove: (event: PointerEvent) => void,
    axes: 'both' | 'columns' | 'rows' | 'none',
    onEnd?: (isCancelled: boolean) => void,
  ): void {
    this.cancel();
    const { view } = this;
    let from: { x: number; y: number; isPinned: boolean } | null = null;
    const handleMove = (event: PointerEvent): void => {
      const { left } = view.scroller.getBoundingClientRect();
      from ??= { x: event.clientX, y: event.clientY, isPinned: event.clientX - left < view.pinnedWidth };
      this.lastEvent = event;
      onMove(event);
    };
    const tick = (): void => {
      this.autoscroll = requestAnimationFrame(tick);
      if (!this.lastEvent || !from) return;
      const box = view.scroller.getBoundingClientRect();
      const { clientX, clientY } = this.lastEvent;
      const bottom = box.top + view.scroller.clientHeight;
      const isUpDown = axes === 'both' || axes === 'rows';
      const y = isUpDown ? pull(clientY, from.y, box.top + HEADER_HEIGHT, bottom) : 0;
      // Under the pinned columns lies what is scrolled away, unless the drag is about them.
      const left = box.left + (from.isPinned ? view.gutterWidth : view.pinnedWidth);
      const isSideways = axes === 'both' || axes === 'columns';
      const x = isSideways ? pull(clientX, from.x, left, box.left + view.scroller.clientWidth) : 0;
      if (x === 0 && y === 0) return;
      view.scrollBy(x, y);
      onMove(this.lastEvent);
    };
    const handleUp = (): void => this.end?.(false);
    const handleCancel = (): void => this.end?.(true);
    const handleKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      this.end?.(true);
    };
    this.end = (isCancelled) => {
      window.removeEventListener('pointermove', handleMove);
      window.removeEventListener('pointerup', handleUp);
      window.removeEventListener('pointercancel', handleCancel);
      window.removeEventListener('keydown', handleKey, true);
      cancelAnimationFrame(this.autoscroll);
      this.lastEvent = null;
      this.end = null;
      onEnd?.(isCancelled);
    };
    window.addEventListener('pointermove', handleMove);
    window.addEventListener('pointerup', handleUp);
    window.addEventListener('pointercancel', handleCancel);
    window.addEventListener('keydown', handleKey, true);
    this.autoscroll = requestAnimationFrame(tick);
  }
}

/** Scrolling begins a little before the edge: a grid may end where the screen does. */
const EDGE = 12;

/** Pixels a frame, the faster the farther the pointer is beyond an edge. */
const pull = (at: number, from: number, low: number, high: number): number => {
  // Whoever begins at an edge has not gone there to scroll.
  if (at < low + EDGE && at < from) return Math.max(-60, (at - low - EDGE) / 2);
  if (at > high - EDGE && at > from) return Math.min(60, (at - high + EDGE) / 2);
  return 0;
};
