import type { FieldPath, Mapping } from '@sluice/contract';
import type { MappingProblem } from '@sluice/mapping/engine';
import { mappingGroups } from './lists.ts';
import type { Preview } from './preview.ts';

export interface FieldRow {
  field: FieldPath;
  isMapped: boolean;
  /** Worst that is wrong at design time. */
  mark: 'error' | 'warning' | null;
  /** It must have a value, and nothing gives it one. */
  isMissing: boolean;
  counts: { ok: number; empty: number; error: number } | null;
}

export interface FieldGroup {
  group: Mapping['group'];
  rows: FieldRow[];
  mapped: number;
  total: number;
}

export type FieldFilter = 'all' | 'mapped' | 'unmapped' | 'wrong';

/** Target fields in their groups; counts are of the whole group, rows those that search and filter leave. */
export const groupFields = (
  fields: readonly FieldPath[],
  mappings: readonly Mapping[],
  problems: readonly MappingProblem[],
  preview: Preview | null,
  { search, filter }: { search: string; filter: FieldFilter },
): FieldGroup[] => {
  const at = new Map(mappings.map((mapping, index) => [mapping.targetField, index]));
  const worst = new Map<number, 'error' | 'warning'>();
  for (const { path, severity } of problems) {
    const index = Number(/\[(\d+)\]/.exec(path)?.[1] ?? -1);
    if (worst.get(index) !== 'error') worst.set(index, severity);
  }
  const missing = new Set(missingFields(fields, problems).map(({ path }) => path));
  const known = new Set(fields.map(({ path }) => path));
  // A mapping of a field that is gone stays in sight, so that it can be removed.
  const lost: FieldPath[] = mappings
    .filter(({ targetField }) => !known.has(targetField))
    .map(({ targetField, group }) => ({
      id: targetField,
      path: targetField,
      name: targetField,
      kind: 'field',
      isKey: false,
      isMandatory: false,
      isReadOnly: true,
      isReadOnlyOnUpdate: false,
      isHidden: false,
      validations: [],
      group,
    }));
  const wanted = search.trim().toLowerCase();
  return mappingGroups.map((group) => {
    const all = [...lost, ...fields]
      .filter((field) => field.group === group)
      .map((field): FieldRow => {
        const index = at.get(field.path);
        const counts = preview?.counts.get(field.path) ?? null;
        return {
          field,
          isMapped: index !== undefined,
          mark: index === undefined ? null : (worst.get(index) ?? null),
          isMissing: missing.has(field.path),
          counts: index === undefined ? null : counts,
        };
      });
    return {
      group,
      mapped: all.filter(({ isMapped }) => isMapped).length,
      total: all.length,
      rows: all.filter(
        (row) =>
          (wanted === '' ||
            row.field.name.toLowerCase().includes(wanted) ||
            row.field.path.toLowerCase().includes(wanted)) &&
          (filter === 'all' ||
            (filter === 'mapped' && row.isMapped) ||
            (filter === 'unmapped' && !row.isMapped) ||
            (filter === 'wrong' && (row.mark === 'error' || (row.counts?.error ?? 0) > 0))),
      ),
    };
  });
};

/** Mandatory fields that nothing fills. */
export const missingFields = (
  fields: readonly FieldPath[],
  problems: readonly MappingProblem[],
): FieldPath[] => {
  const missing = new Set(
    problems.filter(({ code }) => code === 'mandatoryNotMapped').map(({ params }) => params['field']),
  );
  return fields.filter(({ path }) => missing.has(path));
};
