import type { Value } from '@sluice/contract';
import { editCell } from '../actions.ts';
import type { GridController } from '../controller.ts';
import { clipboardText } from '../format-value.ts';
import { type Parsed, readTyped, typedDay } from '../parse-typed.ts';
import type { CellAt, GridColumn } from '../types.ts';
import type { Bubble } from './bubble.ts';
import { Calendar } from './calendar.ts';
import { el, setAttribute } from './dom.ts';
import { choicesOf, DropList } from './drop-list.ts';
import type { GridView } from './grid-view.ts';

interface Edit {
  rowId: string;
  /** Of the row when the edit began. */
  revision: number;
  column: GridColumn;
  col: number;
  initial: string;
  /** Began with a typed character: arrows then finish it, as in a spreadsheet. */
  isTyped: boolean;
}

/**
 * The one text field of the grid. It always has the focus while the grid is used and lies, unseen, over the active
 * cell: a typed character or the start of an IME composition is thus the browser's own input, and cannot be lost
 * however slow the grid is.
 */
export class Editor {
  readonly input: HTMLTextAreaElement;
  private readonly frame: HTMLDivElement;
  private readonly button: HTMLButtonElement;
  private edit: Edit | null = null;
  private drop: DropList | null = null;
  private calendar: Calendar | null = null;
  private isCommitting = false;
  private readonly root: HTMLElement;
  private readonly grid: GridController;
  private readonly view: GridView;
  private readonly bubble: Bubble;
  onOpenArray: (at: CellAt) => void = () => undefined;
  onEditingChange: () => void = () => undefined;

  constructor(root: HTMLElement, grid: GridController, view: GridView, bubble: Bubble, label: string) {
    this.root = root;
    this.grid = grid;
    this.view = view;
    this.bubble = bubble;
    this.frame = el('div', 'sg-editor');
    this.input = el('textarea', 'sg-input', {
      rows: '1',
      autocomplete: 'off',
      autocapitalize: 'off',
      autocorrect: 'off',
      spellcheck: 'false',
      'aria-label': `${label}. ${grid.translate('inputHint')}`,
      'aria-controls': view.id,
    });
    this.button = el('button', 'sg-editor-button', { type: 'button', tabindex: '-1' });
    this.button.addEventListener('pointerdown', (event) => {
      event.preventDefault();
      event.stopPropagation();
      this.toggleCalendar();
    });
    this.frame.append(this.input, this.button);
    view.fieldHost.append(this.frame);
    // While it is open, what happens in the field is not for the grid below it.
    for (const type of ['pointerdown', 'pointermove', 'dblclick', 'contextmenu']) {
      this.frame.addEventListener(type, (event) => event.stopPropagation());
    }
    this.input.addEventListener('beforeinput', this.handleBeforeInput);
    this.input.addEventListener('input', this.handleInput);
    this.input.addEventListener('compositionstart', this.handleComposition);
    this.input.addEventListener('compositionend', () => {
      if (!this.edit) this.input.value = '';
    });
    view.onActiveElement = (id) => {
      if (!this.drop) setAttribute(this.input, 'aria-activedescendant', id);
    };
    view.onRendered(() => this.place());
  }

  get isEditing(): boolean {
    return this.edit !== null;
  }
  get hasList(): boolean {
    return this.drop !== null;
  }
  get isTyped(): boolean {
    return this.edit?.isTyped ?? false;
  }
  get isComposing(): boolean {
    return this.composing;
  }
  private composing = false;

  /** What is typed and not saved. */
  get typed(): { rowId: string; fieldId: string; text: string } | null {
    return (
      this.edit && {
        rowId: this.grid.store.nowOf(this.edit.rowId).id,
        fieldId: this.edit.column.id,
        text: this.input.value,
      }
    );
  }

  /** Goes on with what was typed into the active cell before. */
  resume(text: string): void {
    if (this.refuse() || !this.begin(true)) return;
    this.input.value = text;
    this.handleInput();
  }

  focus(): void {
    if (document.activeElement !== this.input) this.input.focus({ preventScroll: true });
  }

  /** Where the edit is now: rows may have moved since it began. */
  private get at(): CellAt | null {
    const { edit, grid } = this;
    if (!edit) return grid.selection.active;
    const row = grid.store.positionOf(grid.store.nowOf(edit.rowId).id);
    return row === null ? null : { row, col: edit.col };
  }

  place(): void {
    const at = this.at;
    const isInSight = at !== null && this.view.isInSight(at);
    this.frame.classList.toggle('is-away', !isInSight);
    if (!at || !isInSight) {
      // A field out of sight would make the browser scroll to it at the next key.
      this.frame.style.transform = 'translate(0px, 0px)';
      this.drop?.node.style.setProperty('visibility', 'hidden');
      return;
    }
    const rect = this.view.cellRect(at);
    this.frame.style.transform = `translate(${rect.left - 1}px, ${rect.top - 1}px)`;
    this.frame.style.minWidth = `${rect.width + 1}px`;
    this.frame.style.height = this.edit ? '' : `${rect.height + 1}px`;
    this.frame.style.minHeight = `${rect.height + 1}px`;
    this.frame.style.maxWidth = `${Math.max(rect.width + 1, this.view.size.width - rect.left - 8)}px`;
    const popup = this.drop?.node ?? this.calendar?.node;
    if (popup) this.placePopup(popup, rect.left, rect.top, rect.height);
    if (this.bubble.cell) this.bubble.place();
  }

  private placePopup(node: HTMLElement, left: number, top: number, height: number): void {
    const room = this.view.scroller;
    const below = top + height + 2;
    const isAbove = below + node.offsetHeight > room.clientHeight && top - node.offsetHeight - 2 > 0;
    const y = isAbove ? top - node.offsetHeight - 2 : below;
    const x = Math.max(0, Math.min(left, room.clientWidth - node.offsetWidth - 4));
    node.style.visibility = '';
    node.style.transform = `translate(${x}px, ${y}px)`;
  }

  // ---- beginning

  private readonly handleBeforeInput = (event: InputEvent): void => {
    if (this.edit || event.inputType === 'insertFromPaste') return;
    if (this.refuse()) event.preventDefault();
  };

  private readonly handleComposition = (): void => {
    this.composing = true;
    this.input.addEventListener('compositionend', () => (this.composing = false), { once: true });
    if (!this.edit && !this.refuse()) this.begin(true);
  };

  private readonly handleInput = (): void => {
    if (!this.edit) {
      if (this.input.value === '') return;
      if (!this.begin(true)) {
        this.input.value = '';
        return;
      }
    }
    this.fit();
    this.drop?.filter(this.input.value, false);
    this.syncDrop();
    this.showFault();
  };

  /** Says why a cell cannot be written; true when that is so. */
  private refuse(): boolean {
    const { grid } = this;
    const { active } = grid.selection;
    const column = grid.columnAt(active.col);
    if (!column) return true;
    const why = grid.whyReadOnly(grid.store.rowAt(active.row), column);
    if (why) grid.announce(grid.translate(why, { column: column.name }), 'info');
    return why !== null || grid.isArray(column);
  }

  /** F2, Enter, double click. */
  open(): boolean {
    const { active } = this.grid.selection;
    const column = this.grid.columnAt(active.col);
    if (column && this.grid.isArray(column)) {
      this.onOpenArray(active);
      return true;
    }
    if (this.refuse()) return false;
    return this.begin(false);
  }

  private begin(isTyped: boolean): boolean {
    const { grid } = this;
    const { active } = grid.selection;
    const column = grid.columnAt(active.col);
    const row = grid.store.rowAt(active.row);
    if (!column || !row) return false;
    this.view.scrollToCell(active);
    const value = grid.store.valueOf(row.id, column.id, active.row);
    const initial = clipboardText(value, column.field, grid.settings);
    this.edit = { rowId: row.id, revision: row.revision, column, col: active.col, initial, isTyped };
    if (!isTyped) {
      this.input.value = initial;
      this.input.setSelectionRange(initial.length, initial.length);
    }
    this.frame.classList.add('is-editing');
    this.frame.classList.toggle('is-end', column.align === 'end');
    const isDate = column.field.dataType === 'date' || column.field.dataType === 'datetime';
    this.frame.classList.toggle('has-calendar', isDate && !column.field.options?.length);
    setAttribute(this.button, 'aria-label', grid.translate('openCalendar'));
    this.openList(column, value);
    if (this.drop) {
      // Typing over the value looks another option up; text of any other kind is added to.
      if (isTyped) this.drop.filter(this.input.value, false);
      else this.input.select();
    }
    this.fit();
    this.place();
    this.syncDrop();
    this.bubble.hide();
    this.focus();
    this.onEditingChange();
    return true;
  }

  private openList(column: GridColumn, value: Value | undefined): void {
    const items = choicesOf(column.field, this.grid.settings);
    if (!items) return;
    this.drop = new DropList(this.grid.translate);
    this.drop.onPick = (item) => {
      this.save(item.value);
      this.focus();
    };
    this.root.append(this.drop.node);
    const current = typeof value === 'object' || value === undefined ? null : value;
    this.drop.open(items, current);
    setAttribute(this.input, 'role', 'combobox');
    setAttribute(this.input, 'aria-expanded', 'true');
    setAttribute(this.input, 'aria-controls', this.drop.listId);
  }

  private syncDrop(): void {
    if (this.drop) setAttribute(this.input, 'aria-activedescendant', this.drop.pickedId);
  }

  toggleCalendar(): void {
    if (!this.edit) return;
    if (this.calendar) {
      this.calendar.node.remove();
      this.calendar = null;
      return;
    }
    const { grid } = this;
    const calendar = new Calendar(grid.translate, document.documentElement.lang || 'en');
    const typed = typedDay(this.input.value.split(' ')[0] ?? '', grid.settings);
    calendar.open(typed, grid.today());
    calendar.onPick = (iso) => this.pickDay(iso);
    this.calendar = calendar;
    this.root.append(calendar.node);
    this.place();
    this.focus();
  }

  get openCalendar(): Calendar | null {
    return this.calendar;
  }

  pickDay(iso: string): void {
    if (!this.edit) return;
    if (this.edit.column.field.dataType === 'date') {
      this.save(iso);
      this.focus();
      return;
    }
    const time = /\s(\d.*)$/.exec(this.input.value)?.[1] ?? '00:00';
    const { column } = this.edit;
    const moment = readTyped(`${iso} ${time}`, column.field, this.grid.settings);
    if (moment.ok) this.save(moment.value);
    this.focus();
  }

  moveInList(step: number): void {
    this.drop?.move(step);
    this.syncDrop();
  }

  insertLineBreak(): void {
    this.input.setRangeText('\n', this.input.selectionStart, this.input.selectionEnd, 'end');
    this.handleInput();
  }

  private fit(): void {
    const { input } = this;
    input.style.height = '0px';
    input.style.height = `${Math.min(input.scrollHeight, 240)}px`;
    const longest = Math.max(0, ...input.value.split('\n').map((line) => line.length));
    this.frame.style.width = `${Math.min(480, longest * 8 + 36)}px`;
  }

  // ---- ending

  private parse(): Parsed {
    const { edit, grid } = this;
    if (!edit) return { ok: true, value: null };
    const text = this.input.value;
    if (this.drop) {
      if (text.trim() === '') return { ok: true, value: null };
      if (text === edit.initial) return readTyped(text, edit.column.field, grid.settings);
      const { picked } = this.drop;
      return picked ? { ok: true, value: picked.value } : { ok: false, fault: 'noSuchOption' };
    }
    return readTyped(text, edit.column.field, grid.settings);
  }

  private showFault(): void {
    const { edit, grid } = this;
    const at = this.at;
    if (!edit || !at) return;
    const parsed = this.parse();
    const row = grid.store.rowAt(at.row);
    if (!row) return;
    const text = parsed.ok
      ? grid.checkText(parsed.value, edit.column, row)
      : grid.translate(parsed.fault, { x: this.input.value });
    // A date or number half typed is no error yet; a rule that is already broken is.
    if (text && (parsed.ok || edit.column.field.dataType?.includes('int'))) this.bubble.showText(text, at);
    else this.bubble.hide();
  }

  /** Saves what is typed; false when it is no value of the field: the editor then stays and says why. */
  commit(isForArray = false): boolean {
    const { edit, grid } = this;
    if (!edit || this.isCommitting) return true;
    const parsed = this.parse();
    if (!parsed.ok) {
      const at = this.at;
      const text = grid.translate(parsed.fault, { x: this.input.value });
      if (at) {
        // It stands at the cell, wherever the table was scrolled to; where the cell is gone the frame says it.
        this.view.scrollToCell(at);
        this.bubble.showText(text, at);
      }
      grid.announce(text, at ? undefined : 'warning');
      return false;
    }
    if (this.input.value === edit.initial && !isForArray) this.cancel();
    else this.save(parsed.value);
    return true;
  }

  private save(value: Value): void {
    const { at, edit, grid } = this;
    // Who began to type in a draft has seen the record as it began, and nothing that others made of it since.
    const seen = edit ? (grid.store.nowOf(edit.rowId).firstRevision ?? edit.revision) : undefined;
    this.isCommitting = true;
    this.close();
    this.isCommitting = false;
    if (at) void editCell(grid, at, value, seen);
    else grid.announce(`${grid.translate('notSaved')}: ${grid.translate('removedRow')}`, 'error');
  }

  cancel(): void {
    this.close();
  }

  private close(): void {
    this.edit = null;
    this.input.value = '';
    this.input.style.height = '';
    this.frame.style.width = '';
    this.frame.classList.remove('is-editing', 'has-calendar', 'is-end');
    this.drop?.node.remove();
    this.drop = null;
    this.calendar?.node.remove();
    this.calendar = null;
    setAttribute(this.input, 'role', null);
    setAttribute(this.input, 'aria-expanded', null);
    setAttribute(this.input, 'aria-controls', this.view.id);
    this.bubble.hide();
    this.place();
    this.onEditingChange();
  }
}
