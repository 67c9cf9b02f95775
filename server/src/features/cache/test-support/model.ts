/**
 * What the product promises about pending changes, as plain data: no SQL, no HTTP, no versions of rows. The
 * interleaving test runs the same commands on this and on the product and compares after each.
 */
export const fields = [
  'code',
  'name',
  'currency',
  'validFrom',
  'validTo',
  'isDefault',
  'maximumDiscount',
] as const;
export type Field = (typeof fields)[number];
export type FieldValue = string | number | boolean | null;
export type Values = Record<Field, FieldValue>;
export type User = 'ada' | 'ben';
export type Changes = Partial<Values>;

export interface ErpRecord {
  values: Values;
  /** Grows with every write: what the ETag is. */
  version: number;
}

export interface Cell {
  value: FieldValue;
  /** What the external system held when the value was given: a conflict is when it holds something else now. */
  old: FieldValue;
  author: User;
  /** When the cell was last written or came into conflict: a writer must have looked after that. */
  at: number;
  /** Which write made it; kept when an undo brings it back. */
  made: number;
}

export interface Operation {
  action: 'i' | 'u' | 'd';
  author: User;
  cells: Map<Field, Cell>;
  isGone: boolean;
  isRejected: boolean;
  /** A push of it may have been done. */
  isUnknown: boolean;
}

export interface Row {
  /** `internalId`; null until it has been seen. */
  id: string | null;
  key: string | null;
  /** The record as last read from the external system; null = not there yet. */
  base: Values | null;
  /** Of the base as a whole; null = not known. */
  version: number | null;
  operation: Operation | null;
  isBeingPushed: boolean;
}

export const noValues: Values = {
  code: null,
  name: null,
  currency: null,
  validFrom: null,
  validTo: null,
  isDefault: null,
  maximumDiscount: null,
};

export const shownIn = (row: Row, field: Field): FieldValue => {
  const cell = row.operation?.cells.get(field);
  return cell ? cell.value : (row.base?.[field] ?? null);
};

export const shown = (row: Row): Values => {
  const values = { ...noValues };
  for (const field of fields) values[field] = shownIn(row, field);
  return values;
};

export const baseIn = (row: Row, field: Field): FieldValue => row.base?.[field] ?? null;

export const isConflict = (row: Row, field: Field): boolean => {
  const cell = row.operation?.cells.get(field);
  return cell !== undefined && row.operation?.action !== 'i' && cell.old !== baseIn(row, field);
};

export const hasConflict = (row: Row): boolean =>
  [...(row.operation?.cells.keys() ?? [])].some((field) => isConflict(row, field));

const mandatory: readonly Field[] = ['code', 'name', 'currency', 'validFrom'];
const unique: readonly Field[] = ['code', 'name'];

/** Broken rules as `field code`, as the product shows them on a pending operation. */
export function violations(rows: readonly Row[], row: Row): string[] {
  const { operation } = row;
  if (!operation || operation.action === 'd') return [];
  const looked = operation.action === 'i' ? fields : [...operation.cells.keys()];
  const empty = mandatory.filter((field) => looked.includes(field) && shownIn(row, field) === null);
  const twice = unique.filter(
    (field) =>
      operation.cells.has(field) &&
      shownIn(row, field) !== null &&
      rows.some(
        (other) =>
          other !== row && other.operation?.action !== 'd' && shownIn(other, field) === shownIn(row, field),
      ),
  );
  return [...empty.map((field) => `${field} 4001`), ...twice.map((field) => `${field} 4900`)].sort();
}

export function stateOf(rows: readonly Row[], row: Row): string {
  if (row.isBeingPushed) return 'beingPushed';
  if (row.operation?.isRejected || row.operation?.isUnknown) return 'rejected';
  if (hasConflict(row) || row.operation?.isGone) return 'conflict';
  return violations(rows, row).length > 0 ? 'invalid' : 'pending';
}

/** The ERP: unique codes and names, and no second default list. Answers what it refuses, or null. */
export function refusal(
  erp: ReadonlyMap<string, ErpRecord>,
  values: Values,
  before: Values | null,
): 'unique' | 'other' | null {
  const others = [...erp.values()].filter((other) => other.values.code !== before?.code);
  const isTwice = (field: Field): boolean =>
    before?.[field] !== values[field] && others.some((other) => other.values[field] === values[field]);
  if (isTwice('code') || isTwice('name')) return 'unique';
  // The seed has a default list already.
  return values.isDefault === true && before?.isDefault !== true ? 'other' : null;
}

export function copyOperation(operation: Operation): Operation {
  return { ...operation, cells: new Map([...operation.cells].map(([field, cell]) => [field, { ...cell }])) };
}

/** A row without anything pending any more, unless it vanished under its changes. */
export function dropWhenEmpty(row: Row): void {
  const { operation } = row;
  if (operation?.action === 'u' && operation.cells.size === 0 && !operation.isGone) row.operation = null;
}

/** The record as it is read now: unedited cells follow, edited ones keep the user's value. */
export function rebase(row: Row, record: ErpRecord, at: number): void {
  const before = row.base;
  row.base = { ...record.values };
  row.version = record.version;
  const { operation } = row;
  if (!operation) return;
  operation.isGone = false;
  for (const [field, cell] of operation.cells) {
    if (record.values[field] === cell.value) operation.cells.delete(field);
    else if (record.values[field] !== cell.old && record.values[field] !== before?.[field]) cell.at = at;
  }
  dropWhenEmpty(row);
}
