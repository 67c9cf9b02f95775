/** So long a jump into rows that are not loaded waits for them before grey bars stand in. */
const WAIT_MS = 50;
/** Jumps that follow each other faster are the thumb being dragged: whoever drags sees where he is. */
const DRAG_MS = 150;

/** After a single far jump nothing is drawn for a moment: mostly the rows come first, and the bars would only flash. */
export class JumpWait {
  private jumpedAt = Number.NEGATIVE_INFINITY;
  private timer = 0;
  private readonly draw: () => void;

  constructor(draw: () => void) {
    this.draw = draw;
  }

  get isOn(): boolean {
    return this.timer !== 0;
  }

  /** Tells of a jump; answers whether to wait (`draw` is called when that has been long enough). */
  begin(isLoaded: boolean): boolean {
    const now = performance.now();
    const isDrag = now - this.jumpedAt < DRAG_MS;
    this.jumpedAt = now;
    if (isDrag || isLoaded) return false;
    this.timer = window.setTimeout(this.draw, WAIT_MS);
    return true;
  }

  end(): void {
    clearTimeout(this.timer);
    this.timer = 0;
  }
}
