import type { GridController } from '../controller.ts';
import { el, setAttribute } from './dom.ts';
import type { ColumnWindow } from './row-slot.ts';

interface HeadSlot {
  node: HTMLDivElement;
  name: HTMLSpanElement;
  group: HTMLSpanElement;
  menu: HTMLSpanElement;
  level: HTMLSpanElement;
}

const makeSlot = (): HeadSlot => {
  const node = el('div', 'sg-head-cell', { role: 'columnheader' });
  const group = el('span', 'sg-head-group');
  const name = el('span', 'sg-head-name');
  const menu = el('span', 'sg-head-menu', { 'aria-hidden': 'true' });
  const level = el('span', 'sg-head-level', { 'aria-hidden': 'true' });
  node.append(group, name, level, menu);
  return { node, name, group, menu, level };
};

/** The row of column headers; stays at the top, pinned columns at the left. */
export class HeaderView {
  readonly node: HTMLDivElement;
  private readonly row: HTMLDivElement;
  private readonly pin: HTMLDivElement;
  private readonly corner: HTMLDivElement;
  private readonly cornerText: HTMLSpanElement;
  private pins: HeadSlot[] = [];
  private slots: HeadSlot[] = [];
  private readonly grid: GridController;

  constructor(grid: GridController) {
    this.grid = grid;
    this.node = el('div', 'sg-head', { role: 'rowgroup' });
    this.row = el('div', 'sg-head-row', { role: 'row', 'aria-rowindex': '1' });
    this.pin = el('div', 'sg-head-pin', { role: 'presentation' });
    this.corner = el('div', 'sg-corner', { role: 'columnheader', 'aria-colindex': '1' });
    this.cornerText = el('span', 'sg-hidden');
    this.corner.append(this.cornerText);
    this.pin.append(this.corner);
    this.row.append(this.pin);
    this.node.append(this.row);
  }

  render(window: ColumnWindow, gutterWidth: number): void {
    const { grid } = this;
    this.cornerText.textContent = grid.translate('rowHeader');
    while (this.pins.length > window.pinned) this.pins.pop()?.node.remove();
    while (this.pins.length < window.pinned) {
      const slot = makeSlot();
      this.pins.push(slot);
      this.pin.append(slot.node);
    }
    this.pins.forEach((slot, col) => this.draw(slot, col, gutterWidth + (grid.layout.lefts[col] ?? 0)));
    while (this.slots.length > window.size) this.slots.pop()?.node.remove();
    while (this.slots.length < window.size) {
      const slot = makeSlot();
      this.slots.push(slot);
      this.row.append(slot.node);
    }
    const used = new Set<HeadSlot>();
    for (let col = window.first; col <= window.last; col++) {
      const slot = this.slots[col % window.size];
      if (!slot) continue;
      used.add(slot);
      this.draw(slot, col, gutterWidth + (grid.layout.lefts[col] ?? 0));
    }
    for (const slot of this.slots) {
      if (used.has(slot)) continue;
      slot.node.style.display = 'none';
      slot.node.removeAttribute('title');
    }
  }

  private draw(slot: HeadSlot, col: number, left: number): void {
    const { grid } = this;
    const column = grid.layout.columns[col];
    if (!column) {
      slot.node.style.display = 'none';
      return;
    }
    slot.node.style.display = '';
    slot.node.style.transform = `translateX(${left}px)`;
    slot.node.style.width = `${grid.layout.widths[col] ?? 0}px`;
    if (slot.name.textContent !== column.name) slot.name.textContent = column.name;
    const group = column.group ? `${column.group} \u203a ` : '';
    if (slot.group.textContent !== group) slot.group.textContent = group;
    const order = grid.sort.find((sort) => sort.field === column.id);
    const level = order && grid.sort.length > 1 ? String(grid.sort.indexOf(order) + 1) : '';
    if (slot.level.textContent !== level) slot.level.textContent = level;
    const { ranges } = grid.selection;
    const inSelection = ranges.some((r) => col >= r.left && col <= r.right);
    const isLocked = column.isReadOnly && !column.field.isReadOnlyOnUpdate;
    slot.node.className = [
      'sg-head-cell',
      column.align === 'end' ? 'is-end' : '',
      inSelection ? 'in-selection' : '',
      isLocked ? 'is-locked' : '',
      column.field.isMandatory ? 'is-mandatory' : '',
    ]
      .filter(Boolean)
      .join(' ');
    slot.menu.className = `sg-head-menu ${
      order
        ? order.isDescending
          ? 'is-descending'
          : 'is-ascending'
        : grid.filtered.has(column.id)
          ? 'is-filtered'
          : ''
    }`;
    setAttribute(slot.node, 'aria-colindex', String(col + 2));
    setAttribute(slot.node, 'aria-sort', order ? (order.isDescending ? 'descending' : 'ascending') : null);
    setAttribute(
      slot.node,
      'title',
      column.field.help ? `${column.name}: ${column.field.help}` : column.name,
    );
    setAttribute(slot.node, 'aria-description', level === '' ? null : grid.translate('sortLevel', { level }));
  }
}
