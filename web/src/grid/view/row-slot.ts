import { isTooWide } from '../column-layout.ts';
import type { GridController } from '../controller.ts';
import type { GridTextKey } from '../texts.ts';
import type { CellState, GridColumn, RowState, RowView } from '../types.ts';
import { el } from './dom.ts';

/** Where the columns are drawn; the same for all rows. */
export interface ColumnWindow {
  /** Columns of the pinned pane: those before this one. */
  pinned: number;
  first: number;
  last: number;
  /** Cells per row; column c lives in slot c mod size, so that scrolling sideways touches only new columns. */
  size: number;
}

/** One cell element: remembers what it shows and touches the DOM only for what differs. */
class CellSlot {
  readonly node: HTMLDivElement;
  private readonly text: Text;
  private extra: HTMLElement | null = null;
  private main = '';
  private extraText = '';
  private className = '';
  private isSelected = false;
  private column: GridColumn | null = null;
  private left = -1;
  private width = -1;
  private col = -1;

  constructor(id: string) {
    this.node = el('div', 'sg-cell', { role: 'gridcell', id });
    this.text = document.createTextNode('');
    this.node.append(this.text);
  }

  place(column: GridColumn, col: number, left: number, width: number): void {
    if (this.column !== column || this.left !== left || this.width !== width) {
      // Not a transform: each of those costs a node in the tree of the painter, hundreds of them a frame.
      this.node.style.left = `${left}px`;
      this.node.style.width = `${width}px`;
      this.left = left;
      this.width = width;
      this.column = column;
    }
    if (this.col !== col) {
      this.node.setAttribute('aria-colindex', String(col + 2));
      this.col = col;
    }
  }

  /** All that the selection changes of a cell. */
  select(isSelected: boolean): void {
    if (isSelected === this.isSelected) return;
    this.isSelected = isSelected;
    this.node.classList.toggle('is-selected', isSelected);
  }

  show(main: string, extra: string, className: string, isSelected: boolean): void {
    if (main !== this.main) {
      this.text.data = main;
      this.main = main;
    }
    if (extra !== this.extraText) {
      if (!this.extra) {
        this.extra = el('span', 'sg-extra');
        this.node.append(this.extra);
      }
      this.extra.textContent = extra === '' ? '' : ` ${extra}`;
      this.extraText = extra;
    }
    if (className !== this.className || isSelected !== this.isSelected) {
      this.node.className = isSelected ? `${className} is-selected` : className;
      this.className = className;
      this.isSelected = isSelected;
    }
  }
}

const MARK_CLASS: Record<CellState['mark'], string> = {
  you: ' is-you',
  others: ' is-others',
  invalid: ' is-invalid',
  rejected: ' is-rejected',
  received: ' is-received',
  conflict: ' is-conflict',
};

const rowClass = (state: RowState | null, isDraft: boolean): string => {
  if (isDraft) return ' is-draft';
  if (!state) return '';
  if (state.bar === 'pushing') return ' is-pushing';
  if (state.action === 'delete') return ' is-deleted';
  return state.action === 'add' ? ' is-new' : '';
};

const SIGN_TEXT: Record<NonNullable<RowState['sign']>, GridTextKey> = {
  new: 'new',
  invalid: 'invalid',
  rejected: 'rejected',
  received: 'received',
  conflict: 'conflict',
  deleted: 'deleted',
  pushing: 'pushing',
};

/** The elements of one row: a piece in the pinned pane, a piece in the main pane. Reused for other rows. */
export class RowSlot {
  readonly main: HTMLDivElement;
  readonly pinned: HTMLDivElement;
  private readonly gutter: HTMLDivElement;
  private readonly bar: HTMLSpanElement;
  private readonly sign: HTMLSpanElement;
  private readonly number: HTMLSpanElement;
  private readonly words: HTMLSpanElement;
  private pins: CellSlot[] = [];
  private cells: CellSlot[] = [];
  private gutterClass = '';
  private numberText = '';
  private signText = '';
  private wordsText = '';
  /** Which lengths of grey bars it shows; the row's own, so that nothing changes while rows fly by. */
  private readonly skeleton: number;
  private top = Number.NaN;
  private height = 0;
  position = -1;
  private readonly grid: GridController;
  private readonly prefix: string;

  constructor(grid: GridController, prefix: string, index: number) {
    this.grid = grid;
    this.skeleton = index * 7;
    this.prefix = prefix;
    this.main = el('div', 'sg-row', { role: 'row' });
    this.pinned = el('div', 'sg-row', { role: 'row' });
    this.main.style.display = 'none';
    this.pinned.style.display = 'none';
    this.gutter = el('div', 'sg-gutter', { role: 'rowheader', 'aria-colindex': '1' });
    this.bar = el('span', 'sg-bar');
    this.sign = el('span', 'sg-sign');
    this.number = el('span', 'sg-number');
    this.words = el('span', 'sg-hidden');
    this.gutter.append(this.bar, this.sign, this.words, this.number);
    this.pinned.append(this.gutter);
  }

  /** Id of the element that shows a column now; null when it is not drawn. */
  cellId(col: number, window: ColumnWindow): string | null {
    if (col < window.pinned) return this.pins[col]?.node.id ?? null;
    if (col < window.first || col > window.last) return null;
    return this.cells[col % window.size]?.node.id ?? null;
  }

  hide(): void {
    this.position = -1;
    if (!Number.isNaN(this.top)) {
      this.main.style.display = 'none';
      this.pinned.style.display = 'none';
      this.top = Number.NaN;
    }
  }

  place(position: number, top: number, height: number): void {
    if (this.top !== top || this.height !== height) {
      const transform = `translateY(${top}px)`;
      this.main.style.transform = transform;
      this.pinned.style.transform = transform;
      if (Number.isNaN(this.top)) {
        this.main.style.display = '';
        this.pinned.style.display = '';
      }
      this.top = top;
      this.height = height;
    }
    if (position !== this.position) {
      const index = String(position + 2);
      this.main.setAttribute('aria-rowindex', index);
      this.pinned.setAttribute('aria-rowindex', index);
      this.position = position;
    }
  }

  /** Draws the row at `this.position` anew. */
  draw(window: ColumnWindow, gutterWidth: number): void {
    const { grid } = this;
    const row = grid.store.rowAt(this.position);
    this.drawGutter(row);
    const { columns, lefts, widths } = grid.layout;
    while (this.pins.length > window.pinned) this.pins.pop()?.node.remove();
    while (this.pins.length < window.pinned) {
      const slot = new CellSlot(`${this.prefix}-p${this.pins.length}`);
      this.pins.push(slot);
      this.pinned.append(slot.node);
    }
    for (let col = 0; col < window.pinned; col++) {
      const column = columns[col];
      const slot = this.pins[col];
      if (!column || !slot) continue;
      slot.place(column, col, gutterWidth + (lefts[col] ?? 0), widths[col] ?? 0);
      this.drawCell(slot, column, col, row, col === window.pinned - 1 ? ' is-edge' : '');
    }
    const start = lefts[window.pinned] ?? 0;
    this.resizePool(window.size);
    for (let col = window.first; col <= window.last; col++) {
      const column = columns[col];
      const slot = this.cells[col % window.size];
      if (!column || !slot) continue;
      slot.place(column, col, (lefts[col] ?? 0) - start, widths[col] ?? 0);
      this.drawCell(slot, column, col, row, '');
    }
  }

  /** The selection is another one; what the row shows is the same. */
  drawSelection(window: ColumnWindow): void {
    this.drawGutter(this.grid.store.rowAt(this.position));
    this.pins.forEach((slot, col) => slot.select(this.isSelected(col)));
    for (let col = window.first; col <= window.last; col++)
      this.cells[col % window.size]?.select(this.isSelected(col));
  }

  private resizePool(size: number): void {
    while (this.cells.length > size) this.cells.pop()?.node.remove();
    while (this.cells.length < size) {
      const slot = new CellSlot(`${this.prefix}-${this.cells.length + 1}`);
      this.cells.push(slot);
      this.main.append(slot.node);
    }
  }

  private drawCell(slot: CellSlot, column: GridColumn, col: number, row: RowView | null, edge: string): void {
    const { grid } = this;
    const base = (column.align === 'end' ? 'sg-cell is-end' : 'sg-cell') + edge;
    const at = this.position;
    const isSelected = this.isSelected(col);
    if (!row) {
      const isGap = grid.store.isGap(at);
      slot.show(
        '',
        '',
        `${base}${isGap ? ' is-gap' : ' is-loading'}${SKELETON[(this.skeleton + col * 3) % 4]}`,
        isSelected,
      );
      return;
    }
    const value = grid.store.valueOf(row.id, column.id, at);
    const shown = grid.text(at, column);
    let { main } = shown;
    let className = base + rowClass(row.state, row.isDraft);
    const local = grid.store.localCell(row.id, column.id);
    const state = row.state?.cells.get(column.id);
    if (local?.state === 'failed') className += ' is-failed';
    else if (local) className += ' is-saving is-you';
    else if (state) className += MARK_CLASS[state.mark];
    if (main === '' && column.field.hasServerDefault && grid.isNewRow(row)) {
      main = grid.translate('onPush');
      className += ' is-hint';
    } else if (isTooWide(column, main, grid.layout.widths[col] ?? 0)) {
      main = '#'.repeat(Math.max(1, Math.floor(((grid.layout.widths[col] ?? 0) - 16) / 10)));
    } else if (column.field.format === 'multiline' || typeof value === 'string') {
      main = main.replaceAll('\n', ' \u21b5 ');
    }
    if (DATES.has(column.field.dataType ?? '')) className += ' is-date';
    slot.show(main, shown.extra, className, isSelected);
  }

  private isSelected(col: number): boolean {
    const { ranges, active } = this.grid.selection;
    const at = this.position;
    if (active.row === at && active.col === col) return false;
    for (const r of ranges) {
      if (at >= r.top && at <= r.bottom && col >= r.left && col <= r.right) return true;
    }
    return false;
  }

  private drawGutter(row: RowView | null): void {
    const { grid } = this;
    const at = this.position;
    const number = String(at + 1);
    if (this.numberText !== number) {
      this.number.textContent = number;
      this.numberText = number;
    }
    const state = row?.state ?? null;
    const inSelection = grid.selection.ranges.some((r) => at >= r.top && at <= r.bottom);
    const sign = state?.sign ?? (row?.isDraft ? 'draft' : '');
    const initials = state?.author && !state.sign ? state.author.initials : '';
    const className = `sg-gutter bar-${state?.bar ?? 'none'} sign-${initials ? 'author' : sign || 'none'}${
      inSelection ? ' in-selection' : ''
    }`;
    if (className !== this.gutterClass) {
      this.gutter.className = className;
      this.gutterClass = className;
    }
    if (this.signText !== initials) {
      this.sign.textContent = initials;
      this.signText = initials;
    }
    const words = this.spokenState(state);
    if (this.wordsText !== words) {
      this.words.textContent = words;
      this.wordsText = words;
    }
  }

  private spokenState(state: RowState | null): string {
    if (!state) return '';
    const { translate } = this.grid;
    const parts: string[] = [];
    if (state.bar === 'you') parts.push(translate('changedByYou'));
    if (state.bar === 'others') parts.push(translate('changedByOthers'));
    if (state.sign) parts.push(translate(SIGN_TEXT[state.sign]));
    if (state.origin) parts.push(state.origin);
    else if (state.author) parts.push(state.author.name);
    return parts.join(', ');
  }
}

const DATES = new Set(['date', 'datetime', 'time']);
const SKELETON = ['', ' sk-1', ' sk-2', ' sk-3'];
