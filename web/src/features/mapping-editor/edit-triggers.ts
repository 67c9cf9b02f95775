import type { EndMetadata, FieldPath, Trigger, TriggerCondition } from '@sluice/contract';
import { compileTrigger, isSelected } from '@sluice/mapping/engine';
import type { Samples } from './preview.ts';

export const newTrigger = (name: string, id: string): Trigger => ({
  internalId: id,
  name,
  sourceRecordSelection: 'newAndExisting',
  conditions: [],
});

export const newCondition = (field: string): TriggerCondition => ({
  field,
  operator: 'in',
  comparison: 'singleValue',
  value: null,
  values: [],
});

/** From one value to several and back the values stay. */
export const withComparison = (
  condition: TriggerCondition,
  comparison: TriggerCondition['comparison'],
): TriggerCondition => {
  if (condition.comparison === comparison) return condition;
  return comparison === 'multipleValues'
    ? { ...condition, comparison, values: condition.value === null ? [] : [condition.value], value: null }
    : { ...condition, comparison, value: condition.values[0] ?? null, values: [] };
};

export interface TriggerCount {
  total: number;
  /** Records that meet all conditions and that the selection takes. */
  matching: number;
  /** Of each condition alone. */
  conditions: number[];
}

/** How many of the samples a trigger takes; what is deleted cannot be among samples. */
export const countTrigger = (
  trigger: Trigger,
  source: EndMetadata,
  samples: Samples,
  zone: string,
): TriggerCount => {
  const compiled = compileTrigger(trigger, source.fields, zone);
  const total = samples.keys.length;
  const columns = Object.fromEntries(
    compiled.fields.map((field) => [field, samples.records.map((record) => record[field] ?? null)]),
  );
  const { mask, conditions } = compiled.evaluate(columns, total);
  let matching = 0;
  for (let row = 0; row < total; row += 1) {
    const state = { isLinked: (samples.targets[row] ?? null) !== null, isChanged: true, isGone: false };
    if (mask[row] === 1 && isSelected(compiled.selection, state)) matching += 1;
  }
  return {
    total,
    matching,
    conditions: conditions.map((held) => held.reduce((sum, one) => sum + one, 0)),
  };
};

/** The values that a field has in the samples, most frequent first: what a condition is likely to be about. */
export const frequentValues = (samples: Samples | null, field: FieldPath | undefined, most = 8): string[] => {
  if (!samples || !field) return [];
  const counts = new Map<string, number>();
  for (const record of samples.records) {
    const value = record[field.path] ?? null;
    if (value === null || value === '' || typeof value === 'object') continue;
    counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, most)
    .map(([value]) => value);
};
