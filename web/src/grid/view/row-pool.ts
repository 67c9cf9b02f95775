import type { GridController } from '../controller.ts';
import { type ColumnWindow, RowSlot } from './row-slot.ts';

/** Rows that are drawn, from `first` to `last`, placed relative to `base` pixels. */
export interface RowWindow {
  first: number;
  last: number;
  base: number;
  columns: ColumnWindow;
  gutterWidth: number;
}

/** Elements of rows, used again for the rows that come into sight: row r lives in slot r mod size. */
export class RowPool {
  private slots: RowSlot[] = [];
  private readonly grid: GridController;
  private readonly mainLayer: HTMLElement;
  private readonly pinLayer: HTMLElement;
  private readonly prefix: string;

  constructor(grid: GridController, mainLayer: HTMLElement, pinLayer: HTMLElement, prefix: string) {
    this.grid = grid;
    this.mainLayer = mainLayer;
    this.pinLayer = pinLayer;
    this.prefix = prefix;
  }

  hideAll(): void {
    for (const slot of this.slots) slot.hide();
  }

  /** Id of the element of a cell; null when it is not drawn. */
  cellId(row: number, col: number, columns: ColumnWindow): string | null {
    const slot = this.slots.find((candidate) => candidate.position === row);
    return slot?.cellId(col, columns) ?? null;
  }

  /** Draws the rows that came into sight; the others too where all is due, or what the selection changes of them. */
  draw(capacity: number, window: RowWindow, due: 'all' | 'selection' | 'new'): void {
    const { first, last, base, columns, gutterWidth } = window;
    const { rowHeight } = this.grid;
    const isNewPool = capacity !== this.slots.length;
    if (isNewPool) this.resize(capacity);
    const redrawAll = due === 'all' || isNewPool;
    for (let i = 0; i < this.slots.length; i++) {
      const slot = this.slots[i];
      if (slot && (slot.position < first || slot.position > last) && slot.position >= 0 && !redrawAll) {
        // Leaves the window: free for a row that comes in, or hidden when none does.
        const next = first + ((i - (first % capacity) + capacity) % capacity);
        if (next > last) slot.hide();
      }
    }
    for (let row = first; row <= last; row++) {
      const slot = this.slots[row % capacity];
      if (!slot) continue;
      const isNew = slot.position !== row;
      slot.place(row, row * rowHeight - base, rowHeight);
      if (isNew || redrawAll) slot.draw(columns, gutterWidth);
      else if (due === 'selection') slot.drawSelection(columns);
    }
    if (redrawAll) {
      for (const slot of this.slots) if (slot.position < first || slot.position > last) slot.hide();
    }
  }

  private resize(capacity: number): void {
    for (const slot of this.slots) {
      slot.main.remove();
      slot.pinned.remove();
    }
    this.slots = Array.from({ length: capacity }, (_, i) => new RowSlot(this.grid, `${this.prefix}-${i}`, i));
    const main = document.createDocumentFragment();
    const pinned = document.createDocumentFragment();
    for (const slot of this.slots) {
      main.append(slot.main);
      pinned.append(slot.pinned);
    }
    this.mainLayer.prepend(main);
    this.pinLayer.prepend(pinned);
  }
}
