import type { CollectionMetadata, Value } from '@sluice/contract';
import { asFilled, evaluate, isSameValue, validateFields } from '@sluice/mapping';
import { type FormatSettings, clipboardText } from '../../grid/format-value.ts';
import { readTyped } from '../../grid/parse-typed.ts';
import type { GridColumn } from '../../grid/types.ts';
import { isArrayField } from '../../grid/edit-plan.ts';
import { valueAtPath } from './row-state.ts';

export type FormMode = 'new' | 'edit' | 'copy';

/** What is typed per field; arrays are values, all else is text in the user's formats. */
export interface FormState {
  texts: Readonly<Record<string, string>>;
  arrays: Readonly<Record<string, Value>>;
}

export const startForm = (
  columns: readonly GridColumn[],
  resource: Record<string, unknown> | null,
  mode: FormMode,
  settings: FormatSettings,
): FormState => {
  const texts: Record<string, string> = {};
  const arrays: Record<string, Value> = {};
  for (const column of columns) {
    const { field } = column;
    // A copy has no key and nothing that only the external system may write.
    const isEmptied = mode === 'copy' && (field.isKey || field.isReadOnly);
    const value = isEmptied
      ? null
      : resource
        ? valueAtPath(resource, column.id)
        : (field.defaultValue ?? null);
    if (isArrayField(field)) arrays[column.id] = value;
    else texts[column.id] = clipboardText(value, field, settings);
  }
  return { texts, arrays };
};

export interface ReadForm {
  values: Record<string, Value>;
  /** Fields whose text is no value of theirs: they cannot be saved. */
  faults: Record<string, string>;
  /** Rules that are broken: they can be saved, and hold the record back from a push. */
  warnings: Record<string, { code: number; params: Readonly<Record<string, Value>> }>;
}

export const readForm = (
  columns: readonly GridColumn[],
  form: FormState,
  mode: FormMode,
  settings: FormatSettings,
): ReadForm => {
  const values: Record<string, Value> = {};
  const faults: Record<string, string> = {};
  for (const column of columns) {
    const { id, field } = column;
    if (id in form.arrays) {
      values[id] = form.arrays[id] ?? null;
      continue;
    }
    const parsed = readTyped(form.texts[id] ?? '', field, settings);
    if (parsed.ok) values[id] = parsed.value;
    else faults[id] = parsed.fault;
  }
  const checked = columns.filter((column) => !(column.id in faults)).map((column) => column.field);
  const warnings: ReadForm['warnings'] = {};
  const isNew = mode !== 'edit';
  const filled = isNew ? asFilled(columns.map(({ field }) => field)) : null;
  const valueOf = (id: string): Value | undefined => values[id];
  for (const violation of validateFields(checked, filled ? filled(valueOf) : valueOf, { isNew })) {
    warnings[violation.field] ??= { code: violation.code, params: violation.params };
  }
  return { values, faults, warnings };
};

/** False for a field that the value of another one makes meaningless. */
const isFieldShown = (column: GridColumn, values: Record<string, Value>): boolean => {
  const { isHidden, showIf } = column.field;
  return !isHidden && (showIf === undefined || isSameValue(values[showIf.field] ?? null, showIf.equals));
};

/** Only what differs from where the form began. */
export const changedValues = (
  values: Record<string, Value>,
  start: Record<string, Value>,
): Record<string, Value> =>
  Object.fromEntries(Object.entries(values).filter(([id, value]) => !isSameValue(value, start[id] ?? null)));

export const isFieldLocked = (
  column: GridColumn,
  mode: FormMode,
  metadata: CollectionMetadata,
  values: Record<string, Value>,
  /** It is not pushed yet: who may add it may go on filling it in. */
  isPendingInsert = false,
): boolean => {
  const { field } = column;
  const isAllowed = metadata.isUpdateAllowed || (isPendingInsert && metadata.isInsertAllowed);
  if (metadata.readOnlyReason !== null || field.isReadOnly || field.dataType === 'unknown') return true;
  if (mode === 'edit' && ((field.isReadOnlyOnUpdate && !isPendingInsert) || !isAllowed)) return true;
  return field.readOnlyIf !== undefined && evaluate(field.readOnlyIf, (id) => values[id]) === true;
};

/** A value that turned out to be another one than the form began with. */
export interface Difference {
  field: string;
  before: string | Value;
  now: string | Value;
  /** The user typed here: his text stays. */
  isKept: boolean;
}

const same = (a: string | Value | undefined, b: string | Value | undefined): boolean =>
  isSameValue((a ?? null) as Value, (b ?? null) as Value);

/** The form after the record was read anew: untouched fields follow, typed ones stay; both are noted. */
export const followRecord = (
  form: FormState,
  start: FormState,
  fresh: FormState,
): { form: FormState; differences: Difference[] } => {
  const texts = { ...form.texts };
  const arrays = { ...form.arrays };
  const differences: Difference[] = [];
  for (const [field, now] of Object.entries(fresh.texts)) {
    const before = start.texts[field] ?? '';
    if (before === now) continue;
    const isKept = (form.texts[field] ?? '') !== before;
    if (!isKept) texts[field] = now;
    differences.push({ field, before, now, isKept });
  }
  for (const [field, now] of Object.entries(fresh.arrays)) {
    const before = start.arrays[field] ?? null;
    if (same(before, now)) continue;
    const isKept = !same(form.arrays[field], before);
    if (!isKept) arrays[field] = now;
    differences.push({ field, before, now, isKept });
  }
  return { form: { texts, arrays }, differences };
};

/** Sections: fields of the record itself first, then one per nested element. */
export const sectionsOf = (
  columns: readonly GridColumn[],
  values: Record<string, Value>,
): [string | null, GridColumn[]][] => {
  const sections = new Map<string | null, GridColumn[]>();
  for (const column of columns) {
    if (!isFieldShown(column, values)) continue;
    sections.set(column.group, [...(sections.get(column.group) ?? []), column]);
  }
  return [...sections];
};
