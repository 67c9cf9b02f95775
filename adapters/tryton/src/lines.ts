import type { FieldDescriptor, Value } from '@sluice/contract';
import type { TrytonFields } from './metadata.ts';
import { encodeValue, isSameValue, ValueError } from './values.ts';

type Line = Record<string, Value>;

/** Tryton changes lists by commands, each a list that begins with its name. */
type Command = unknown[];

function isLine(value: Value): value is Line {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toLines(value: Value): Line[] {
  if (value === null) return [];
  if (!Array.isArray(value) || !value.every(isLine)) throw new ValueError('This is not a list of lines.');
  return value;
}

function encodeLine(line: Line, types: TrytonFields, writable: ReadonlySet<string>): Record<string, unknown> {
  const encoded: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(line)) {
    const field = types.get(name);
    if (field === undefined || !writable.has(name)) continue;
    try {
      encoded[name] = encodeValue(field.type, value);
    } catch (error) {
      throw error instanceof ValueError ? new ValueError(`${field.string ?? name}: ${error.message}`) : error;
    }
  }
  return encoded;
}

/** Commands that turn the lines that a record has (`before`; empty for a new record) into the wanted ones. */
export function encodeLines(
  descriptor: FieldDescriptor,
  types: TrytonFields,
  wanted: Value,
  before: Value,
): Command[] {
  const lines = toLines(wanted);
  const current = new Map(toLines(before).map((line) => [line['id'], line]));
  const writable = new Set(
    (descriptor.children ?? []).flatMap((child) => (child.isReadOnly ? [] : [child.id])),
  );
  writable.delete('id');
  const commands: Command[] = [];
  const created: Record<string, unknown>[] = [];
  const kept = new Set<Value | undefined>();
  for (const line of lines) {
    const { id } = line;
    const known = id === null || id === undefined ? undefined : current.get(id);
    if (known === undefined) {
      created.push(encodeLine(line, types, writable));
      continue;
    }
    kept.add(id);
    const changed = Object.fromEntries(
      Object.entries(line).filter(
        ([name, value]) => !isSameValue(types.get(name)?.type ?? 'char', value, known[name] ?? null),
      ),
    );
    const values = encodeLine(changed, types, writable);
    if (Object.keys(values).length > 0) commands.push(['write', [id], values]);
  }
  const removed = [...current.keys()].filter((id) => !kept.has(id));
  if (removed.length > 0) commands.push(['delete', removed]);
  if (created.length > 0) commands.push(['create', created]);
  return commands;
}

/** The same for links to records of their own: they are linked and unlinked, never made or deleted. */
export function encodeLinks(wanted: Value, before: Value): Command[] {
  const ids = encodeValue('many2many', wanted ?? []);
  const wantedIds = new Set(Array.isArray(ids) ? ids.map(Number) : []);
  const currentIds = new Set(Array.isArray(before) ? before.map(Number) : []);
  const added = [...wantedIds].filter((id) => !currentIds.has(id));
  const removed = [...currentIds].filter((id) => !wantedIds.has(id));
  return [
    ...(removed.length > 0 ? [['remove', removed]] : []),
    ...(added.length > 0 ? [['add', added]] : []),
  ];
}

/** Whether lines that were read hold what was written; ids count only where they were known. */
export function areSameLines(types: TrytonFields, wanted: Value, actual: Value): boolean {
  if (!Array.isArray(wanted) || !Array.isArray(actual)) return isEmpty(wanted) && isEmpty(actual);
  if (wanted.length !== actual.length) return false;
  const open = actual.filter(isLine);
  return wanted.every((line) => {
    if (!isLine(line)) return false;
    const at = open.findIndex((candidate) =>
      Object.entries(line).every(
        ([name, value]) =>
          (name === 'id' && value === null) ||
          isSameValue(types.get(name)?.type ?? 'char', value, candidate[name] ?? null),
      ),
    );
    if (at < 0) return false;
    open.splice(at, 1);
    return true;
  });
}

function isEmpty(value: Value): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}
