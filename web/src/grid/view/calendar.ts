import { isCalendarDate } from '@sluice/mapping';
import type { GridTranslate } from '../texts.ts';
import { el, setAttribute } from './dom.ts';

const part = (iso: string, at: 0 | 1 | 2): number => Number(iso.split('-')[at] ?? 1);

const two = (value: number): string => String(value).padStart(2, '0');

const isoDay = (year: number, month: number, day: number): string | null => {
  const iso = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  return isCalendarDate(iso) ? iso : null;
};

/** Day of the week of the first of a month, Monday = 0; in UTC, so that no time zone moves it. */
const firstWeekday = (year: number, month: number): number =>
  (new Date(Date.UTC(year, month - 1, 1)).getUTCDay() + 6) % 7;

const shiftMonth = (iso: string, step: number): string => {
  const months = part(iso, 0) * 12 + part(iso, 1) - 1 + step;
  const year = Math.floor(months / 12);
  const month = (months % 12) + 1;
  for (let day = part(iso, 2); day > 27; day--) {
    const found = isoDay(year, month, day);
    if (found) return found;
  }
  return isoDay(year, month, Math.min(part(iso, 2), 27)) ?? iso;
};

const shiftDay = (iso: string, step: number): string =>
  new Date(Date.parse(`${iso}T00:00:00Z`) + step * 86_400_000).toISOString().slice(0, 10);

/** A month to pick a day from. Days are texts (YYYY-MM-DD) throughout. */
export class Calendar {
  readonly node: HTMLDivElement;
  private readonly title: HTMLSpanElement;
  private readonly days: HTMLDivElement;
  private shown = '2000-01-01';
  private today = '';
  private readonly locale: string;
  onPick: (iso: string) => void = () => undefined;

  constructor(translate: GridTranslate, locale: string) {
    this.locale = locale;
    this.node = el('div', 'sg-calendar', { role: 'dialog' });
    const head = el('div', 'sg-calendar-head');
    this.title = el('span', 'sg-calendar-title', { 'aria-live': 'polite' });
    const button = (label: string, className: string, step: number): HTMLButtonElement => {
      const node = el('button', `sg-calendar-step ${className}`, { type: 'button', 'aria-label': label });
      node.addEventListener('click', () => this.show(shiftMonth(this.shown, step)));
      return node;
    };
    head.append(
      button(translate('previousMonth'), 'is-back', -1),
      this.title,
      button(translate('nextMonth'), 'is-next', 1),
    );
    this.days = el('div', 'sg-calendar-days');
    this.node.append(head, this.days);
    this.node.addEventListener('pointerdown', (event) => event.preventDefault());
    this.days.addEventListener('click', (event) => {
      const day = (event.target as HTMLElement).dataset['day'];
      if (day) this.onPick(day);
    });
  }

  get day(): string {
    return this.shown;
  }

  open(selected: string | null, today: string): void {
    this.today = today;
    this.show(selected ?? today);
  }

  move(step: number): void {
    this.show(shiftDay(this.shown, step));
  }

  show(iso: string): void {
    this.shown = iso;
    const year = part(iso, 0);
    const month = part(iso, 1);
    this.title.textContent = new Date(Date.UTC(year, month - 1, 1)).toLocaleDateString(this.locale, {
      month: 'long',
      year: 'numeric',
      timeZone: 'UTC',
    });
    const cells: HTMLElement[] = [];
    for (let weekday = 0; weekday < 7; weekday++) {
      const head = el('span', 'sg-calendar-weekday');
      head.textContent = new Date(Date.UTC(2024, 0, 1 + weekday)).toLocaleDateString(this.locale, {
        weekday: 'narrow',
        timeZone: 'UTC',
      });
      cells.push(head);
    }
    for (let blank = 0; blank < firstWeekday(year, month); blank++) cells.push(el('span'));
    for (let day = 1; day <= 31; day++) {
      const at = isoDay(year, month, day);
      if (!at) break;
      const cell = el('button', 'sg-calendar-day', { type: 'button', tabindex: '-1' });
      cell.textContent = String(day);
      cell.dataset['day'] = at;
      setAttribute(cell, 'aria-pressed', at === iso ? 'true' : 'false');
      if (at === this.today) cell.classList.add('is-today');
      cells.push(cell);
    }
    this.days.replaceChildren(...cells);
  }
}
