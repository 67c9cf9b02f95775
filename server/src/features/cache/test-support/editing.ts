import {
  baseIn,
  type Cell,
  type Changes,
  copyOperation,
  dropWhenEmpty,
  type Field,
  type FieldValue,
  isConflict,
  type Operation,
  type Row,
  shown,
  shownIn,
  type User,
} from './model.ts';

/** One step of a user, as undo and redo need it. */
export interface Step {
  editId: string;
  isUndone: boolean;
  cells: { row: Row; field: Field; old: FieldValue; new: FieldValue; was: Cell | null; isCleared: boolean }[];
  rows: { row: Row; kind: 'add' | 'delete' | 'discard'; image: Operation | null }[];
}

export interface Clock {
  now: number;
}

function newOperation(action: 'i' | 'u', author: User, cells: Map<Field, Cell>): Operation {
  return { action, author, cells, isGone: false, isRejected: false, isUnknown: false };
}

/** The editing half of the model: what people do to the rows of one table. */
export class Editing {
  readonly rows: Row[];
  readonly steps: Record<User, Step[]> = { ada: [], ben: [] };
  readonly #clock: Clock;

  constructor(rows: Row[], clock: Clock) {
    this.rows = rows;
    this.#clock = clock;
  }

  /** Two rows have become one: steps go on with the one that stays. */
  rename(from: Row, to: Row): void {
    for (const step of [...this.steps.ada, ...this.steps.ben])
      for (const part of [...step.cells, ...step.rows]) if (part.row === from) part.row = to;
  }

  #has(row: Row): boolean {
    return this.rows.includes(row);
  }

  #remove(row: Row): void {
    if (this.#has(row)) this.rows.splice(this.rows.indexOf(row), 1);
  }

  /** Every step ends what could be done again. */
  #begin(user: User, editId: string): Step {
    const step: Step = { editId, isUndone: false, cells: [], rows: [] };
    this.steps[user] = [...this.steps[user].filter(({ isUndone }) => !isUndone), step];
    return step;
  }

  /** What the API answers to a change of these rows, when each was last looked at then. */
  editStatus(user: User, rows: readonly Row[], wanted: readonly Field[], seen: (row: Row) => number): number {
    if (rows.some((row) => row.isBeingPushed)) return 409;
    if (rows.some((row) => row.operation?.action === 'd')) return 422;
    const isUnseen = (row: Row, field: Field): boolean => {
      const cell = row.operation?.cells.get(field);
      return cell !== undefined && (cell.author !== user || isConflict(row, field)) && cell.at > seen(row);
    };
    return rows.some((row) => wanted.some((field) => isUnseen(row, field))) ? 409 : 200;
  }

  edit(user: User, rows: readonly Row[], changes: Changes, editId: string): void {
    const step = this.#begin(user, editId);
    for (const row of rows)
      for (const [field, value] of Object.entries(changes) as [Field, FieldValue][]) {
        const old = shownIn(row, field);
        const was = row.operation?.cells.get(field);
        if (!this.#write(row, field, value, user)) continue;
        const isCleared = !row.operation?.cells.has(field);
        step.cells.push({ row, field, old, new: value, was: was ? { ...was } : null, isCleared });
      }
  }

  #write(row: Row, field: Field, value: FieldValue, user: User): boolean {
    if (shownIn(row, field) === value) return false;
    const operation = this.#touch(row, user);
    const base = operation.action === 'i' ? null : baseIn(row, field);
    if (base === value && operation.action !== 'i') operation.cells.delete(field);
    else operation.cells.set(field, this.#cell(value, base, user));
    dropWhenEmpty(row);
    return true;
  }

  #cell(value: FieldValue, old: FieldValue, author: User): Cell {
    return { value, old, author, at: this.#clock.now, made: this.#clock.now };
  }

  #touch(row: Row, user: User): Operation {
    row.operation ??= newOperation('u', user, new Map());
    row.operation.isRejected = false;
    return row.operation;
  }

  insert(user: User, values: Changes, editId: string, id: string): void {
    const step = this.#begin(user, editId);
    const given = (Object.entries(values) as [Field, FieldValue][]).filter(([, value]) => value !== null);
    const cells = new Map(given.map(([field, value]) => [field, this.#cell(value, null, user)]));
    const operation = newOperation('i', user, cells);
    const row: Row = { id, key: null, base: null, version: 0, operation, isBeingPushed: false };
    this.rows.push(row);
    step.rows.push({ row, kind: 'add', image: copyOperation(operation) });
  }

  remove(user: User, rows: readonly Row[], editId: string): void {
    const step = this.#begin(user, editId);
    for (const row of rows.filter((one) => !one.isBeingPushed && one.operation?.action !== 'd')) {
      step.rows.push({ row, kind: 'delete', image: row.operation && copyOperation(row.operation) });
      this.#markDeleted(row, user);
    }
  }

  #markDeleted(row: Row, user: User): void {
    if (row.operation?.action === 'i') this.#remove(row);
    else Object.assign(this.#touch(row, user), { action: 'd', author: user });
  }

  discard(user: User, rows: readonly Row[], editId: string): void {
    const chosen = rows.filter((row) => row.operation && !row.isBeingPushed);
    if (chosen.length === 0) return;
    const step = this.#begin(user, editId);
    for (const row of chosen) {
      step.rows.push({ row, kind: 'discard', image: row.operation && copyOperation(row.operation) });
      this.#drop(row);
    }
  }

  #drop(row: Row): void {
    const { operation } = row;
    if (!operation) return;
    if (operation.action === 'i' || (operation.action === 'u' && operation.isGone)) this.#remove(row);
    else if (operation.action === 'd' && operation.cells.size > 0) {
      // Under the delete lay changes: they come back.
      operation.action = 'u';
      operation.isRejected = false;
    } else row.operation = null;
  }

  resolve(user: User, row: Row, choice: 'keepMine' | 'takeTheirs' | 'insertAgain' | 'discard'): void {
    const { operation } = row;
    if (!operation) return;
    const conflicting = [...operation.cells].filter(([field]) => isConflict(row, field));
    if (choice === 'keepMine') {
      for (const [field, cell] of conflicting) cell.old = baseIn(row, field);
      operation.isRejected = false;
    } else if (choice === 'takeTheirs') {
      for (const [field] of conflicting) operation.cells.delete(field);
      if (conflicting.length > 0) operation.isRejected = false;
      dropWhenEmpty(row);
    } else if (operation.isGone && choice === 'insertAgain') {
      const values = Object.entries(shown(row)) as [Field, FieldValue][];
      operation.cells = new Map(
        values.flatMap(([field, value]) => (value === null ? [] : [[field, this.#cell(value, null, user)]])),
      );
      Object.assign(operation, { action: 'i', isGone: false, isRejected: false });
      Object.assign(row, { key: null, base: null });
    } else if (operation.isGone && choice === 'discard') this.#remove(row);
  }

  undo(user: User, step: Step): void {
    for (const change of [...step.cells].reverse()) this.#undoCell(user, change);
    for (const { row, kind, image } of step.rows) {
      if (kind === 'add') this.#undoAdd(user, row);
      else if (image?.action === 'i') this.#bringBack(row, image);
      else if (!this.#has(row) || row.isBeingPushed) continue;
      else if (kind === 'delete') this.#undoDelete(user, row, image);
      else if (image) this.#undoDiscard(row, image);
    }
    step.isUndone = true;
  }

  #undoCell(user: User, { row, field, old, new: made, was, isCleared }: Step['cells'][number]): void {
    const { operation } = row;
    if (!this.#has(row) || row.isBeingPushed || operation?.action === 'd') return;
    const cell = operation?.cells.get(field);
    // Somebody else's now, changed since, or pushed, discarded or taken over meanwhile.
    if ((cell && cell.author !== user) || shownIn(row, field) !== made || (cell === undefined) !== isCleared)
      return;
    const { cells, action } = this.#touch(row, user);
    const isBack = was !== null && action !== 'i' && was.value === baseIn(row, field);
    if (was && !isBack) cells.set(field, { ...was, at: this.#clock.now });
    else if (action === 'i' && old !== null) cells.set(field, this.#cell(old, null, user));
    else cells.delete(field);
    dropWhenEmpty(row);
  }

  #undoAdd(user: User, row: Row): void {
    const { operation } = row;
    if (!this.#has(row) || row.isBeingPushed || operation?.action !== 'i') return;
    if ([...operation.cells.values()].every(({ author }) => author === user)) this.#remove(row);
  }

  #bringBack(row: Row, image: Operation): void {
    if (this.#has(row)) return;
    const operation = copyOperation(image);
    for (const cell of operation.cells.values()) cell.at = this.#clock.now;
    Object.assign(row, { operation, key: null, base: null, isBeingPushed: false });
    this.rows.push(row);
  }

  #undoDelete(user: User, row: Row, image: Operation | null): void {
    const { operation } = row;
    if (operation?.action !== 'd' || operation.author !== user) return;
    if (!image) row.operation = null;
    else Object.assign(operation, { action: 'u', author: image.author, isRejected: image.isRejected });
    dropWhenEmpty(row);
  }

  #undoDiscard(row: Row, image: Operation): void {
    if (image.action === 'd' && image.cells.size > 0 && row.operation?.action === 'u') {
      Object.assign(row.operation, { action: 'd', author: image.author, isRejected: image.isRejected });
      return;
    }
    if (row.operation) return;
    const operation = copyOperation(image);
    operation.isGone = false;
    for (const [field, cell] of operation.cells) {
      if (cell.value === baseIn(row, field)) operation.cells.delete(field);
      cell.at = this.#clock.now;
    }
    row.operation = operation;
    dropWhenEmpty(row);
  }

  redo(user: User, step: Step): void {
    for (const { row, kind, image } of step.rows) {
      if (kind === 'add') {
        if (image) this.#bringBack(row, image);
        continue;
      }
      if (!this.#has(row) || row.isBeingPushed) continue;
      const takesAlong = kind === 'discard' || row.operation?.action === 'i';
      if (takesAlong && this.#isChangedByOther(user, row, image)) continue;
      if (kind === 'discard') this.#drop(row);
      else if (row.operation?.action !== 'd') this.#markDeleted(row, user);
    }
    for (const { row, field, old, new: value, was } of step.cells) {
      if (!this.#has(row) || row.isBeingPushed || row.operation?.action === 'd') continue;
      const cell = row.operation?.cells.get(field);
      const isMine = !cell || cell.author === user || cell.made === was?.made;
      if (isMine && shownIn(row, field) === old) this.#write(row, field, value, user);
    }
    step.isUndone = false;
  }

  /** A step that drops a whole operation must not take along what another has added since. */
  #isChangedByOther(user: User, row: Row, image: Operation | null): boolean {
    const { operation } = row;
    if (operation?.action === 'd' && operation.author !== user && operation.author !== image?.author)
      return true;
    return [...(operation?.cells ?? [])].some(
      ([field, cell]) => cell.author !== user && cell.made !== image?.cells.get(field)?.made,
    );
  }
}
