import type { GridController } from '../controller.ts';
import { type Range, cutRanges } from '../selection.ts';
import { el } from './dom.ts';

/** What the view shows now: the rows in sight, the pixel that rows are placed from, the width of the row numbers. */
export interface OverlayWindow {
  pinned: number;
  gutterWidth: number;
  base: number;
  firstRow: number;
  lastRow: number;
}

/** What lies over the cells: frames of the selected blocks, the cursor, the knob that fills. */
export class Overlays {
  readonly handle: HTMLDivElement;
  /** What a drag of the knob would fill. */
  fillPreview: Range | null = null;
  /** The last press was a finger: the knob is larger then. */
  isTouch = false;
  private readonly cursor: HTMLDivElement;
  private readonly frames: { main: HTMLDivElement; pinned: HTMLDivElement }[] = [];
  private window: OverlayWindow = { pinned: 0, gutterWidth: 0, base: 0, firstRow: 0, lastRow: -1 };
  private readonly grid: GridController;
  private readonly mainLayer: HTMLElement;
  private readonly pinLayer: HTMLElement;

  constructor(grid: GridController, mainLayer: HTMLElement, pinLayer: HTMLElement) {
    this.grid = grid;
    this.mainLayer = mainLayer;
    this.pinLayer = pinLayer;
    this.cursor = el('div', 'sg-cursor', { 'aria-hidden': 'true' });
    this.handle = el('div', 'sg-handle', { 'aria-hidden': 'true', title: grid.translate('fillHandle') });
  }

  /** Frames of the selected ranges and of the active cell, in both panes. */
  draw(window: OverlayWindow): void {
    this.window = window;
    const { grid } = this;
    const { pinned, firstRow, lastRow } = window;
    const ranges = cutRanges(grid.selection, grid.extent).slice(-20);
    const { fillPreview } = this;
    if (fillPreview) ranges.push(fillPreview);
    while (this.frames.length < ranges.length) {
      const overlay = { main: el('div', 'sg-range'), pinned: el('div', 'sg-range') };
      this.mainLayer.append(overlay.main);
      this.pinLayer.append(overlay.pinned);
      this.frames.push(overlay);
    }
    this.frames.forEach((overlay, i) => {
      const range = ranges[i];
      if (!range) {
        overlay.main.style.display = 'none';
        overlay.pinned.style.display = 'none';
        return;
      }
      // Far edges are cut near the window: a frame of 28 million pixels cannot be drawn.
      const top = Math.max(range.top, firstRow - 40);
      const bottom = Math.min(range.bottom, lastRow + 40);
      const isEmpty = bottom < top;
      this.frameIn(
        overlay.main,
        isEmpty || range.right < pinned,
        top,
        bottom,
        Math.max(pinned, range.left),
        range.right,
      );
      this.frameIn(
        overlay.pinned,
        isEmpty || range.left >= pinned,
        top,
        bottom,
        range.left,
        Math.min(range.right, pinned - 1),
      );
      overlay.main.classList.toggle('is-open-start', range.left < pinned);
      overlay.pinned.classList.toggle('is-open-end', range.right >= pinned);
      const isPreview = range === fillPreview;
      overlay.main.classList.toggle('is-preview', isPreview);
      overlay.pinned.classList.toggle('is-preview', isPreview);
      overlay.main.classList.toggle('is-last', i === ranges.length - 1);
      overlay.pinned.classList.toggle('is-last', i === ranges.length - 1 && range.right < pinned);
    });
    this.drawCursor();
    this.drawHandle();
  }

  private frameIn(
    node: HTMLDivElement,
    isHidden: boolean,
    top: number,
    bottom: number,
    left: number,
    right: number,
  ): void {
    if (isHidden) {
      node.style.display = 'none';
      return;
    }
    const { lefts } = this.grid.layout;
    const { rowHeight } = this.grid;
    const isPinned = left < this.window.pinned;
    const x = (lefts[left] ?? 0) + (isPinned ? this.window.gutterWidth : -(lefts[this.window.pinned] ?? 0));
    const width = (lefts[right + 1] ?? 0) - (lefts[left] ?? 0);
    node.style.display = '';
    node.style.transform = `translate(${x - 1}px, ${top * rowHeight - this.window.base - 1}px)`;
    node.style.width = `${width + 1}px`;
    node.style.height = `${(bottom - top + 1) * rowHeight + 1}px`;
  }

  private drawCursor(): void {
    const { active } = this.grid.selection;
    const { rows, cols } = this.grid.extent;
    if (active.row >= rows || active.col >= cols) {
      this.cursor.remove();
      return;
    }
    const parent = active.col < this.window.pinned ? this.pinLayer : this.mainLayer;
    if (this.cursor.parentNode !== parent) parent.append(this.cursor);
    const isNear = active.row >= this.window.firstRow - 60 && active.row <= this.window.lastRow + 60;
    this.frameIn(this.cursor, !isNear, active.row, active.row, active.col, active.col);
  }

  /** The knob at the corner of the last block: drags fill, by touch it widens the selection. */
  private drawHandle(): void {
    const { grid, handle } = this;
    const range = cutRanges(grid.selection, grid.extent).at(-1);
    const isShown =
      range?.kind === 'cells' &&
      (grid.canUpdate || this.isTouch) &&
      range.bottom >= this.window.firstRow - 1 &&
      range.bottom <= this.window.lastRow + 1;
    handle.style.display = isShown ? '' : 'none';
    if (!range || !isShown) return;
    const parent = range.right < this.window.pinned ? this.pinLayer : this.mainLayer;
    if (handle.parentNode !== parent) parent.append(handle);
    const { lefts } = grid.layout;
    const isPinned = range.right < this.window.pinned;
    const x =
      (lefts[range.right + 1] ?? 0) +
      (isPinned ? this.window.gutterWidth : -(lefts[this.window.pinned] ?? 0));
    const y = (range.bottom + 1) * grid.rowHeight - this.window.base;
    handle.style.transform = `translate(${x}px, ${y}px)`;
    handle.classList.toggle('is-touch', this.isTouch);
  }
}
