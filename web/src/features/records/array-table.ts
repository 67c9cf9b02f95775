import type { FieldDescriptor, Value } from '@sluice/contract';
import { isArrayField } from '../../grid/edit-plan.ts';
import { type FormatSettings, clipboardText } from '../../grid/format-value.ts';
import { readTyped } from '../../grid/parse-typed.ts';
import type { GridTextKey } from '../../grid/texts.ts';
import { valueAtPath } from './row-state.ts';

type Entry = Record<string, Value>;

/** One entry of an array while it is edited: texts of plain fields, values of arrays within it. */
export interface EntryDraft {
  key: number;
  original: Entry;
  texts: Readonly<Record<string, string>>;
  arrays: Readonly<Record<string, Value>>;
}

/** The columns of an array: its fields, those of nested elements too, or the one value of a list of plain values. */
export const partsOf = (field: FieldDescriptor): FieldDescriptor[] => {
  if (field.kind === 'primitiveValuesArray') return [{ ...field, kind: 'field', isMandatory: false }];
  const flat = (list: readonly FieldDescriptor[]): FieldDescriptor[] =>
    list.flatMap((part) =>
      part.kind === 'nestedElements' || part.kind === 'complexArrayElement'
        ? flat(part.children ?? [])
        : part.isHidden
          ? []
          : [part],
    );
  return flat(field.children ?? []);
};

const isEntry = (value: Value): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

let counter = 0;

export const emptyDraft = (parts: readonly FieldDescriptor[], settings: FormatSettings): EntryDraft => ({
  key: ++counter,
  original: {},
  texts: Object.fromEntries(
    parts
      .filter((part) => !isArrayField(part))
      .map((part) => [part.id, clipboardText(part.defaultValue ?? null, part, settings)]),
  ),
  arrays: {},
});

export const draftsOf = (value: Value, field: FieldDescriptor, settings: FormatSettings): EntryDraft[] => {
  const parts = partsOf(field);
  return (Array.isArray(value) ? value : []).map((item) => {
    const original = isEntry(item) ? item : { [field.id]: item };
    const at = (part: FieldDescriptor): Value =>
      field.kind === 'primitiveValuesArray' ? (original[field.id] ?? null) : valueAtPath(original, part.id);
    return {
      key: ++counter,
      original,
      texts: Object.fromEntries(
        parts
          .filter((part) => !isArrayField(part))
          .map((part) => [part.id, clipboardText(at(part), part, settings)]),
      ),
      arrays: Object.fromEntries(parts.filter(isArrayField).map((part) => [part.id, at(part)])),
    };
  });
};

/** What is wrong with a typed text; null when it is a value. */
export const faultOf = (
  draft: EntryDraft,
  part: FieldDescriptor,
  settings: FormatSettings,
): GridTextKey | null => {
  if (isArrayField(part)) return null;
  const parsed = readTyped(draft.texts[part.id] ?? '', part, settings);
  return parsed.ok ? null : parsed.fault;
};

/** A copy of an entry with the value at a path (`address.city`). */
const withValue = (entry: Entry, path: string, value: Value): Entry => {
  if (path in entry || !path.includes('.')) return { ...entry, [path]: value };
  const at = path.indexOf('.');
  const head = path.slice(0, at);
  const inner = entry[head] ?? null;
  return { ...entry, [head]: withValue(isEntry(inner) ? inner : {}, path.slice(at + 1), value) };
};

/** The array that the drafts stand for; what is no value counts as empty. */
export const valueOfDrafts = (
  drafts: readonly EntryDraft[],
  field: FieldDescriptor,
  settings: FormatSettings,
): Value[] => {
  const parts = partsOf(field);
  const read = (draft: EntryDraft, part: FieldDescriptor): Value => {
    if (isArrayField(part)) return draft.arrays[part.id] ?? null;
    const parsed = readTyped(draft.texts[part.id] ?? '', part, settings);
    return parsed.ok ? parsed.value : null;
  };
  const [only] = parts;
  if (field.kind === 'primitiveValuesArray') return only ? drafts.map((draft) => read(draft, only)) : [];
  return drafts.map((draft) => {
    let entry = draft.original;
    for (const part of parts) if (!part.isReadOnly) entry = withValue(entry, part.id, read(draft, part));
    return entry;
  });
};
