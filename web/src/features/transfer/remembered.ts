import type { FieldDescriptor } from '@sluice/contract';
import type { ImportColumn } from '@sluice/mapping/files';

const keyOf = (tableId: string): string => `import.${tableId}`;

/** What a person chose for these headings the last time; null when a heading is new. */
export const rememberedFields = (
  tableId: string,
  headings: readonly string[],
  fields: readonly FieldDescriptor[],
): (FieldDescriptor | null)[] | null => {
  let stored: unknown;
  try {
    stored = JSON.parse(localStorage.getItem(keyOf(tableId)) ?? 'null');
  } catch {
    return null;
  }
  if (typeof stored !== 'object' || stored === null) return null;
  const chosen = new Map(Object.entries(stored));
  if (!headings.every((heading) => chosen.has(heading))) return null;
  return headings.map((heading) => fields.find(({ id }) => id === chosen.get(heading)) ?? null);
};

export const rememberFields = (
  tableId: string,
  headings: readonly string[],
  columns: readonly ImportColumn[],
): void => {
  const chosen = Object.fromEntries(headings.map((heading, at) => [heading, columns[at]?.field?.id ?? null]));
  localStorage.setItem(keyOf(tableId), JSON.stringify(chosen));
};
