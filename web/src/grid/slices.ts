/** Milliseconds of work before the page gets to draw and to listen. */
const SLICE_MS = 8;

/** Long work in slices: `if (slices.isOver) await slices.pause()` once a row. Short work never pauses. */
export class Slices {
  private startedAt = performance.now();

  get isOver(): boolean {
    return performance.now() - this.startedAt > SLICE_MS;
  }

  async pause(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve));
    this.startedAt = performance.now();
  }
}
