import type { CellNote, GridController } from '../controller.ts';
import type { CellAt } from '../types.ts';
import { el, uniqueId } from './dom.ts';
import type { GridView } from './grid-view.ts';
import { HEADER_HEIGHT, type Rect } from './places.ts';

export type NoteAction = 'keepMine' | 'takeTheirs' | 'dismiss' | 'retry';

const WIDTH = 288;
const GAP = 3;

interface Place {
  left: number;
  top: number;
}

/** What a cell has to say, beside it. Shows at the focused or hovered cell, on the side that hides least. */
export class Bubble {
  readonly node: HTMLDivElement;
  readonly id = uniqueId('sg-note');
  private at: CellAt | null = null;
  private isPlain = false;
  private readonly grid: GridController;
  private readonly view: GridView;
  onAction: (action: NoteAction, at: CellAt) => void = () => undefined;

  constructor(grid: GridController, view: GridView) {
    this.grid = grid;
    this.view = view;
    this.node = el('div', 'sg-bubble', { role: 'note', id: this.id });
    this.node.style.display = 'none';
    this.node.addEventListener('pointerdown', (event) => event.stopPropagation());
    this.node.addEventListener('click', (event) => {
      const action = (event.target as HTMLElement).dataset['action'];
      if (action && this.at) this.onAction(action as NoteAction, this.at);
    });
  }

  get cell(): CellAt | null {
    return this.at;
  }

  /** Whether a point of the window lies on it. */
  covers(clientX: number, clientY: number): boolean {
    if (!this.isPlain) return false;
    const box = this.node.getBoundingClientRect();
    return clientX >= box.left && clientX <= box.right && clientY >= box.top && clientY <= box.bottom;
  }

  hide(): void {
    if (this.at === null && !this.isPlain) return;
    this.at = null;
    this.isPlain = false;
    this.node.style.display = 'none';
  }

  /** A message about what is being typed. */
  showText(text: string, at: CellAt): void {
    this.show({ mark: 'invalid', title: text, text: '', isFailed: false, canResolve: false }, at);
  }

  show(note: CellNote, at: CellAt): void {
    this.at = at;
    this.isPlain = true;
    this.node.className = `sg-bubble note-${note.mark}`;
    const icon = el('span', 'sg-bubble-icon', { 'aria-hidden': 'true' });
    const body = el('div', 'sg-bubble-body');
    const title = el('b');
    title.textContent = note.title;
    body.append(title);
    if (note.text)
      body.append(document.createTextNode(`${/[.!?]$/.test(note.title) ? ' ' : '. '}${note.text}`));
    if (note.theirs !== undefined || note.mine !== undefined) body.append(this.bothValues(note));
    const actions = this.actionsOf(note);
    if (actions.length > 0) {
      const line = el('div', 'sg-bubble-actions');
      for (const action of actions) {
        const button = el('button', '', { type: 'button', tabindex: '-1' });
        button.dataset['action'] = action;
        button.textContent = this.grid.translate(action);
        line.append(button);
      }
      body.append(line);
    }
    this.node.replaceChildren(icon, body);
    this.node.style.display = '';
    this.place();
  }

  private bothValues(note: CellNote): HTMLElement {
    const list = el('dl', 'sg-bubble-values');
    for (const [key, value] of [
      ['theirValue', note.theirs],
      ['yourValue', note.mine],
    ] as const) {
      const term = el('dt');
      term.textContent = this.grid.translate(key);
      const text = el('dd');
      text.textContent = value ?? '';
      list.append(term, text);
    }
    return list;
  }

  private actionsOf(note: CellNote): NoteAction[] {
    if (note.canResolve) return ['keepMine', 'takeTheirs'];
    return note.isFailed ? ['retry', 'dismiss'] : [];
  }

  place(): void {
    if (!this.at) return;
    const cell = this.view.cellRect(this.at);
    if (!this.view.isInSight(this.at)) {
      this.node.style.visibility = 'hidden';
      return;
    }
    this.node.style.visibility = '';
    const room = { width: this.view.scroller.clientWidth, height: this.view.scroller.clientHeight };
    const height = this.node.offsetHeight;
    const best = bestPlace(cell, height, room, this.view.pinnedWidth);
    this.node.style.transform = `translate(${Math.round(best.left)}px, ${Math.round(best.top)}px)`;
  }
}

/** Below hides later rows, above earlier ones, beside it hides the record itself: that one is the last choice. */
const bestPlace = (
  cell: Rect,
  height: number,
  room: { width: number; height: number },
  pinnedWidth: number,
): Place => {
  const startLeft = Math.min(cell.left, room.width - WIDTH - 8);
  const endLeft = Math.max(pinnedWidth, cell.left + cell.width - WIDTH);
  const below = cell.top + cell.height + GAP;
  const above = cell.top - height - GAP;
  const candidates: (Place & { cost: number })[] = [
    { left: startLeft, top: below, cost: 1 },
    { left: startLeft, top: above, cost: 2 },
    { left: endLeft, top: below, cost: 3 },
    { left: cell.left + cell.width + GAP, top: cell.top, cost: 6 },
    { left: cell.left - WIDTH - GAP, top: cell.top, cost: 7 },
  ];
  const overflow = ({ left, top }: Place): number =>
    Math.max(0, HEADER_HEIGHT - top) +
    Math.max(0, top + height - room.height) +
    Math.max(0, 4 - left) +
    Math.max(0, left + WIDTH - room.width);
  let [best] = candidates as [Place & { cost: number }];
  let bestScore = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const score = candidate.cost + overflow(candidate) * 10;
    if (score < bestScore) {
      bestScore = score;
      best = candidate;
    }
  }
  return best;
};
