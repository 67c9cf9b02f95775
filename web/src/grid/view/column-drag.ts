import { el } from './dom.ts';

/** What is seen while columns are dragged: where they would go, and their name at the pointer. */
export class ColumnDrag {
  readonly line = el('div', 'sg-drop-line', { 'aria-hidden': 'true' });
  readonly ghost = el('div', 'sg-ghost', { 'aria-hidden': 'true' });

  constructor() {
    this.line.style.display = 'none';
    this.ghost.style.display = 'none';
  }

  /** `x` in pixels of the grid; null = nowhere. */
  showDrop(x: number | null): void {
    this.line.style.display = x === null ? 'none' : '';
    if (x !== null) this.line.style.transform = `translateX(${x - 1}px)`;
  }

  showGhost(text: string | null, clientX = 0, clientY = 0): void {
    this.ghost.style.display = text === null ? 'none' : '';
    if (text === null) return;
    const box = this.ghost.parentElement?.getBoundingClientRect();
    this.ghost.textContent = text;
    this.ghost.style.transform = `translate(${clientX - (box?.left ?? 0) + 10}px, ${clientY - (box?.top ?? 0) + 8}px)`;
  }
}
