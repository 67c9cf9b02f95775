import type { GridController, GridEvent } from '../controller.ts';
import {
  type ScrollMap,
  isStuck,
  jumpTo,
  onScrolled,
  resized,
  restingScrollTop,
  reveal,
  scrollHeight,
} from '../scroll-map.ts';
import type { CellAt } from '../types.ts';
import { el, setAttribute, uniqueId } from './dom.ts';
import { ColumnDrag } from './column-drag.ts';
import { fittingWidth } from './fitting-width.ts';
import { HeaderView } from './header-view.ts';
import { JumpWait } from './jump-wait.ts';
import { Overlays } from './overlays.ts';
import {
  HEADER_HEIGHT,
  type Hit,
  type Rect,
  type ViewFrame,
  columnWindow,
  dropLeft,
  fittingPins,
  gutterFor,
  hitAt,
  isInSight,
  rectOf,
  revealLeft,
} from './places.ts';
import { RowPool } from './row-pool.ts';
import type { ColumnWindow } from './row-slot.ts';

const OVERSCAN_ROWS = 3;
/** After this long without a movement the thumb is put where it belongs. */
const IDLE_MS = 160;

/**
 * Draws the grid: pooled rows, absolutely placed, in a pinned pane (row numbers, pinned columns) and a main pane,
 * inside one scroller of capped height. React makes the frame only; a frame of scrolling touches the rows that came
 * into sight and nothing else.
 */
export class GridView {
  readonly root: HTMLElement;
  readonly scroller: HTMLDivElement;
  readonly gridNode: HTMLDivElement;
  readonly fieldHost: HTMLDivElement;
  readonly id = uniqueId('sg');
  private readonly pinPane: HTMLDivElement;
  private readonly mainPane: HTMLDivElement;
  private readonly pinLayer: HTMLDivElement;
  private readonly mainLayer: HTMLDivElement;
  private readonly header: HeaderView;
  readonly overlays: Overlays;
  readonly columnDrag = new ColumnDrag();
  private readonly pool: RowPool;
  private window: ColumnWindow = { pinned: 0, first: 1, last: 0, size: 1 };
  gutterWidth = gutterFor(0);
  /** Pinned columns that the screen has room for. */
  private pinned = 1;
  private map: ScrollMap = { contentHeight: 0, viewportHeight: 0, scrollTop: 0, viewTop: 0 };
  /** Rows are placed relative to this, so that coordinates stay small at the millionth row. */
  private base = 0;
  /**
   * Sizes and places as the browser told them last: asking it again in the middle of drawing would make it lay
   * everything out once more for each question.
   */
  private viewportWidth = 0;
  private scrollerHeight = 0;
  private scrollLeft = 0;
  private scrollTop = 0;
  private firstRow = 0;
  private lastRow = -1;
  private idleTimer = 0;
  private frame = 0;
  private isThumbHeld = false;
  private readonly jumpWait = new JumpWait(() => this.render('all'));
  private readonly grid: GridController;
  private readonly unsubscribe: () => void;
  private readonly observer: ResizeObserver;
  private readonly afterRender = new Set<() => void>();
  /** Called when the active cell's element changes (or is not drawn any more: null). */
  onActiveElement: (id: string | null) => void = () => undefined;

  constructor(root: HTMLElement, grid: GridController, label: string) {
    this.root = root;
    this.grid = grid;
    this.scroller = el('div', 'sg-scroll');
    // The field of the grid lives inside the scroller, so that what scrolls can be reached by keyboard.
    this.fieldHost = el('div', 'sg-field-host');
    this.gridNode = el('div', 'sg-size', {
      role: 'grid',
      id: this.id,
      'aria-label': label,
      'aria-multiselectable': 'true',
    });
    this.header = new HeaderView(grid);
    this.pinPane = el('div', 'sg-pin', { role: 'rowgroup' });
    this.mainPane = el('div', 'sg-main', { role: 'rowgroup' });
    this.pinLayer = el('div', 'sg-layer', { role: 'presentation' });
    this.mainLayer = el('div', 'sg-layer', { role: 'presentation' });
    this.overlays = new Overlays(grid, this.mainLayer, this.pinLayer);
    this.pool = new RowPool(grid, this.mainLayer, this.pinLayer, this.id);
    this.pinPane.append(this.pinLayer);
    this.mainPane.append(this.mainLayer);
    this.gridNode.append(this.header.node, this.pinPane, this.mainPane);
    this.scroller.append(this.fieldHost, this.gridNode);
    root.append(this.scroller, this.columnDrag.line, this.columnDrag.ghost);
    this.scroller.addEventListener('scroll', this.handleScroll, { passive: true });
    this.scroller.addEventListener('pointerdown', this.handleThumb, { passive: true });
    this.unsubscribe = grid.subscribe(this.handleEvent);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.scroller);
    this.resize();
  }

  dispose(): void {
    this.unsubscribe();
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.idleTimer);
    this.jumpWait.end();
    this.scroller.remove();
  }

  onRendered(listener: () => void): () => void {
    this.afterRender.add(listener);
    return () => this.afterRender.delete(listener);
  }

  get pinnedWidth(): number {
    return this.gutterWidth + (this.grid.layout.lefts[this.pinned] ?? 0);
  }
  /** Of the scroller without its bars. */
  get size(): { width: number; height: number } {
    return { width: this.viewportWidth, height: this.scrollerHeight };
  }
  /** Whole rows that fit: what Page Down moves by. */
  get pageRows(): number {
    return Math.max(1, Math.floor(this.map.viewportHeight / this.grid.rowHeight) - 1);
  }

  private readonly handleEvent = (event: GridEvent): void => {
    if (event === 'undo') return;
    const isLayout = event === 'total' || event === 'layout' || event === 'settings';
    // In the next frame, together with whatever else changes in this one.
    this.isHeaderDue ||= isLayout || event === 'selection';
    this.isContentDue ||= event !== 'selection';
    this.schedule(isLayout);
    // Rows that were waited for: one frame earlier than everything else.
    if (event === 'block') this.flush();
  };

  private needsMeasure = false;
  private isHeaderDue = true;
  private isContentDue = true;

  private schedule(needsMeasure: boolean): void {
    this.needsMeasure ||= needsMeasure;
    if (this.frame) return;
    this.frame = requestAnimationFrame(this.drawDue);
  }

  private readonly drawDue = (): void => {
    this.frame = 0;
    if (this.needsMeasure) this.measure();
    else this.render(this.isContentDue ? 'all' : 'selection');
  };

  /** Draws what is due now; for callers that read places right after a change. */
  flush(): void {
    if (!this.frame) return;
    cancelAnimationFrame(this.frame);
    this.drawDue();
  }

  private resize(): void {
    this.viewportWidth = this.scroller.clientWidth;
    this.scrollerHeight = this.scroller.clientHeight;
    this.scrollLeft = this.scroller.scrollLeft;
    this.measure();
  }

  private measure(): void {
    this.needsMeasure = false;
    const { grid } = this;
    const { rowCount } = grid.store;
    // Never narrower again: another view is counted only after its first rows are there, and columns must not jump.
    this.gutterWidth = Math.max(this.gutterWidth, gutterFor(rowCount));
    const contentHeight = rowCount * grid.rowHeight;
    const height = scrollHeight(contentHeight);
    const total = grid.layout.lefts.at(-1) ?? 0;
    this.pinned = fittingPins(grid.layout, this.gutterWidth, this.viewportWidth);
    const width = this.gutterWidth + total;
    this.root.style.setProperty('--sg-row', `${grid.rowHeight}px`);
    this.root.style.setProperty('--sg-gutter', `${this.gutterWidth}px`);
    this.root.style.setProperty('--sg-pinned', `${this.pinnedWidth}px`);
    this.root.style.setProperty('--sg-width', `${width}px`);
    this.gridNode.style.width = `${width}px`;
    this.gridNode.style.height = `${HEADER_HEIGHT + height}px`;
    this.pinPane.style.height = `${height}px`;
    const viewportHeight = Math.max(0, this.scrollerHeight - HEADER_HEIGHT);
    this.map = resized(this.map, contentHeight, viewportHeight);
    this.placeThumb();
    this.setBase();
    setAttribute(
      this.gridNode,
      'aria-rowcount',
      String(grid.store.total === null ? -1 : grid.store.rowCount + 1),
    );
    setAttribute(this.gridNode, 'aria-colcount', String(grid.layout.columns.length + 1));
    this.render('all');
  }

  private setBase(): void {
    this.base = this.map.viewTop - (this.map.viewTop % this.grid.rowHeight);
    this.placeLayers();
    this.pool.hideAll();
  }

  private placeLayers(): void {
    const top = this.base - (this.map.viewTop - this.map.scrollTop);
    const transform = `translateY(${top}px)`;
    this.pinLayer.style.transform = transform;
    this.mainLayer.style.transform = transform;
  }

  private placeThumb(): void {
    if (Math.abs(this.scrollTop - this.map.scrollTop) < 1) return;
    this.scroller.scrollTop = this.map.scrollTop;
    this.scrollTop = this.map.scrollTop;
  }

  private readonly handleThumb = (event: PointerEvent): void => {
    if (event.target !== this.scroller) return;
    this.isThumbHeld = true;
    window.addEventListener('pointerup', () => (this.isThumbHeld = false), { once: true });
  };

  private readonly handleScroll = (): void => {
    const before = this.map.viewTop - this.map.scrollTop;
    const viewBefore = this.map.viewTop;
    this.scrollTop = this.scroller.scrollTop;
    this.scrollLeft = this.scroller.scrollLeft;
    this.map = onScrolled(this.map, this.scrollTop);
    if (isStuck(this.map)) {
      this.map = { ...this.map, scrollTop: restingScrollTop(this.map) };
      this.placeThumb();
    }
    const isJump = Math.abs(this.map.viewTop - viewBefore) > this.map.viewportHeight * 2;
    if (!isJump || !this.jumpWait.begin(this.askForRows())) {
      const isFar = Math.abs(this.map.viewTop - this.base) > 4_000_000;
      if (isFar) this.setBase();
      else if (before !== this.map.viewTop - this.map.scrollTop) this.placeLayers();
      this.render(isJump ? 'all' : 'new');
    }
    clearTimeout(this.idleTimer);
    this.idleTimer = window.setTimeout(this.handleIdle, IDLE_MS);
  };

  private readonly handleIdle = (): void => {
    if (this.isThumbHeld) return;
    const resting = restingScrollTop(this.map);
    if (Math.abs(resting - this.map.scrollTop) < 1) return;
    this.map = { ...this.map, scrollTop: resting };
    this.placeThumb();
    this.placeLayers();
  };

  /** Has the rows in sight loaded; answers whether any of them is there. */
  private askForRows(): boolean {
    const { store, rowHeight } = this.grid;
    const { viewTop, viewportHeight } = this.map;
    const lastInSight = Math.ceil((viewTop + viewportHeight) / rowHeight) - 1;
    this.firstRow = Math.max(0, Math.floor(viewTop / rowHeight));
    this.lastRow = Math.min(store.rowCount - 1, lastInSight);
    store.view(this.firstRow, Math.max(this.firstRow, lastInSight));
    return store.rowAt(this.firstRow) !== null || store.rowAt(this.lastRow) !== null;
  }

  private render(due: 'all' | 'selection' | 'new'): void {
    const { grid, map } = this;
    const { rowHeight } = grid;
    // Asked for before anything is drawn: the answer is on its way meanwhile.
    this.askForRows();
    const isFull = due === 'all' || this.jumpWait.isOn;
    if (this.jumpWait.isOn) {
      this.jumpWait.end();
      this.setBase();
    }
    const first = Math.max(0, this.firstRow - OVERSCAN_ROWS);
    const last = Math.min(grid.store.rowCount - 1, this.lastRow + OVERSCAN_ROWS);
    const window = columnWindow(this.frameNow, this.window);
    const isWindowNew =
      window.pinned !== this.window.pinned ||
      window.first !== this.window.first ||
      window.last !== this.window.last ||
      window.size !== this.window.size;
    this.window = window;
    const capacity = Math.ceil(map.viewportHeight / rowHeight) + 2 * OVERSCAN_ROWS + 1;
    const { gutterWidth, base } = this;
    const rows = { first, last, base, columns: window, gutterWidth };
    this.pool.draw(capacity, rows, isFull || isWindowNew ? 'all' : due);
    if (due === 'all') this.isContentDue = false;
    if (this.isHeaderDue || isWindowNew) this.header.render(window, gutterWidth);
    this.isHeaderDue = false;
    this.redrawOverlays();
    this.tellActive();
    for (const listener of this.afterRender) listener();
  }

  private tellActive(): void {
    const { row, col } = this.grid.selection.active;
    this.onActiveElement(this.pool.cellId(row, col, this.window));
  }

  // ---- places

  private get frameNow(): ViewFrame {
    const { grid, pinned, gutterWidth, pinnedWidth, scrollLeft } = this;
    return { grid, pinned, gutterWidth, pinnedWidth, scrollLeft, viewTop: this.map.viewTop, ...this.size };
  }

  /** Where a cell is, in pixels of the root; also for cells that are out of sight. */
  cellRect(at: CellAt): Rect {
    return rectOf(this.frameNow, at);
  }

  isInSight(at: CellAt): boolean {
    return isInSight(this.frameNow, at);
  }

  /** What lies at a point of the window. */
  hit(clientX: number, clientY: number): Hit {
    const box = this.scroller.getBoundingClientRect();
    return hitAt(this.frameNow, clientX - box.left, clientY - box.top);
  }

  scrollToCell(at: CellAt): void {
    this.flush();
    const top = at.row * this.grid.rowHeight;
    const viewTop = reveal(this.map, top, top + this.grid.rowHeight);
    if (viewTop !== this.map.viewTop) this.jump(viewTop);
    const left = revealLeft(this.frameNow, at.col);
    if (left !== this.scrollLeft) this.scrollSideways(left);
    this.render('new');
  }

  /** All columns at their beginning. */
  scrollToStart(): void {
    if (this.scrollLeft !== 0) this.scrollBy(-this.scrollLeft, 0);
  }

  private jump(viewTop: number): void {
    this.map = jumpTo(this.map, viewTop);
    this.placeThumb();
    this.setBase();
  }

  private scrollSideways(left: number): void {
    this.scroller.scrollLeft = left;
    this.scrollLeft = this.scroller.scrollLeft;
  }

  /** Puts a row at the top of the window; for jumps. */
  jumpToRow(row: number): void {
    this.flush();
    this.jump(row * this.grid.rowHeight);
    this.render('all');
  }

  /** Draws knobs and previews anew; nothing else has changed. */
  redrawOverlays(): void {
    this.overlays.draw({
      pinned: this.pinned,
      gutterWidth: this.gutterWidth,
      base: this.base,
      firstRow: this.firstRow,
      lastRow: this.lastRow,
    });
  }

  /** Where the drop line of a dragged column stands: before column `col`; null = nowhere. */
  showDrop(col: number | null): void {
    this.columnDrag.showDrop(col === null ? null : dropLeft(this.frameNow, col));
  }

  /** Width in which the header and what is loaded near the window of a column fits. */
  fittingWidth(col: number): number {
    return fittingWidth(this.grid, col, this.firstRow, this.lastRow, getComputedStyle(this.root).fontFamily);
  }

  scrollBy(x: number, y: number): void {
    if (x !== 0) this.scrollSideways(this.scrollLeft + x);
    if (y !== 0) this.jump(this.map.viewTop + y);
    this.render('new');
  }
}
