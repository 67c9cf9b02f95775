import { type GridView, HEADER_HEIGHT } from './grid-view.ts';

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

  /** Follows the pointer until it is released; at the edges the grid scrolls along. */
  start(
    onMove: (event: PointerEvent) => void,
    isScrolling: boolean | 'sideways',
    onEnd?: (isCancelled: boolean) => void,
  ): void {
    this.cancel();
    const handleMove = (event: PointerEvent): void => {
      this.lastEvent = event;
      onMove(event);
    };
    const tick = (): void => {
      this.autoscroll = requestAnimationFrame(tick);
      if (!this.lastEvent || !isScrolling) return;
      const { view } = this;
      const box = view.scroller.getBoundingClientRect();
      const { clientX, clientY } = this.lastEvent;
      const y =
        isScrolling === 'sideways'
          ? 0
          : pull(clientY, box.top + HEADER_HEIGHT, box.top + view.scroller.clientHeight);
      const x = pull(clientX, box.left + view.gutterWidth, box.left + view.scroller.clientWidth);
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

const pull = (at: number, low: number, high: number): number => {
  if (at < low) return Math.max(-60, (at - low) / 2);
  if (at > high) return Math.min(60, (at - high) / 2);
  return 0;
};
