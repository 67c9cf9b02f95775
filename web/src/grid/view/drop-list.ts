import type { FieldDescriptor } from '@sluice/contract';
import type { FormatSettings } from '../format-value.ts';
import type { GridTranslate } from '../texts.ts';
import { el, setAttribute, uniqueId } from './dom.ts';

export interface DropItem {
  value: string | number | boolean;
  text: string;
  description: string;
}

/** What a cell lets one choose from: its options, or yes and no; null where anything may be typed. */
export function choicesOf(
  { options, dataType }: Pick<FieldDescriptor, 'options' | 'dataType'>,
  { yes, no }: Pick<FormatSettings, 'yes' | 'no'>,
): DropItem[] | null {
  if (options?.length)
    return options.map(({ value, description }) => ({
      value,
      text: String(value),
      description: description ?? '',
    }));
  if (dataType !== 'bool') return null;
  return [
    { value: true, text: yes, description: '' },
    { value: false, text: no, description: '' },
  ];
}

const SHOWN = 60;

/** Case and accents do not count when one types to find. */
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();

/** The list under an option cell: typing narrows it, by value or description. */
export class DropList {
  readonly node: HTMLDivElement;
  private readonly list: HTMLUListElement;
  private readonly foot: HTMLDivElement;
  private items: readonly DropItem[] = [];
  private found: DropItem[] = [];
  private highlighted = 0;
  private current: DropItem['value'] | null = null;
  private readonly id = uniqueId('sg-drop');
  private readonly translate: GridTranslate;
  onPick: (item: DropItem) => void = () => undefined;

  constructor(translate: GridTranslate) {
    this.translate = translate;
    this.node = el('div', 'sg-drop');
    this.list = el('ul', 'sg-drop-list', { role: 'listbox', id: this.id });
    this.foot = el('div', 'sg-drop-foot');
    this.node.append(this.list, this.foot);
    // The field keeps the focus: a press in the list must not take it.
    this.node.addEventListener('pointerdown', (event) => event.preventDefault());
    this.node.addEventListener('click', (event) => {
      const index = Number((event.target as Element).closest('li')?.dataset['index'] ?? -1);
      const item = this.found[index];
      if (item) this.onPick(item);
    });
  }

  get listId(): string {
    return this.id;
  }
  get picked(): DropItem | null {
    return this.found[this.highlighted] ?? null;
  }
  get pickedId(): string | null {
    return this.picked ? `${this.id}-${this.highlighted}` : null;
  }

  open(items: readonly DropItem[], current: DropItem['value'] | null): void {
    this.items = items;
    this.current = current;
    this.filter('', true);
  }

  /** `isUntouched`: the text is still the cell's own value, so everything is offered. */
  filter(text: string, isUntouched: boolean): void {
    const wanted = plain(text.trim());
    const rank = (item: DropItem): number => {
      const value = plain(item.text);
      if (value === wanted) return 0;
      if (value.startsWith(wanted)) return 1;
      const description = plain(item.description);
      if (description.startsWith(wanted)) return 2;
      return value.includes(wanted) || description.includes(wanted) ? 3 : 9;
    };
    this.found =
      isUntouched || wanted === ''
        ? [...this.items]
        : this.items
            .map((item) => [rank(item), item] as const)
            .filter(([order]) => order < 9)
            .sort(([a], [b]) => a - b)
            .map(([, item]) => item);
    const own = this.found.findIndex((item) => item.value === this.current);
    this.highlighted = isUntouched && own >= 0 ? own : 0;
    this.draw(isUntouched ? '' : wanted);
  }

  move(step: number): void {
    if (this.found.length === 0) return;
    this.highlighted = Math.max(0, Math.min(this.found.length - 1, this.highlighted + step));
    this.draw('');
  }

  private draw(wanted: string): void {
    const start = Math.max(0, Math.min(this.highlighted - SHOWN / 2, this.found.length - SHOWN));
    const hasDescriptions = this.items.some((item) => item.description !== '');
    this.node.classList.toggle('has-descriptions', hasDescriptions);
    this.list.replaceChildren(
      ...this.found.slice(start, start + SHOWN).map((item, i) => this.drawItem(item, start + i, wanted)),
    );
    this.foot.replaceChildren(el('span'), el('span'));
    const [count, hint] = this.foot.children;
    if (count) {
      count.textContent =
        this.found.length === 0
          ? this.translate('noOptions')
          : this.translate('optionsFound', { found: this.found.length, total: this.items.length });
    }
    if (hint) hint.textContent = this.translate('optionsHint');
    this.list.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }

  private drawItem(item: DropItem, index: number, wanted: string): HTMLLIElement {
    const node = el('li', 'sg-drop-item', { role: 'option', id: `${this.id}-${index}` });
    node.dataset['index'] = String(index);
    setAttribute(node, 'aria-selected', index === this.highlighted ? 'true' : 'false');
    const value = el('span', 'sg-drop-value');
    const description = el('span', 'sg-drop-description');
    mark(value, item.text, wanted);
    mark(description, item.description, wanted);
    node.append(value, description, el('span', item.value === this.current ? 'sg-drop-check' : ''));
    return node;
  }
}

const mark = (node: HTMLElement, text: string, wanted: string): void => {
  const at = wanted === '' ? -1 : plain(text).indexOf(wanted);
  if (at < 0) {
    node.textContent = text;
    return;
  }
  const hit = el('mark');
  hit.textContent = text.slice(at, at + wanted.length);
  node.append(text.slice(0, at), hit, text.slice(at + wanted.length));
};
