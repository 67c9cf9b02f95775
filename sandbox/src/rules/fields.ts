import type { Problem } from '../errors.ts';
import { valueAt } from '../store.ts';
import type { Entity, Field, Json, ScalarField } from '../model/types.ts';
import { text } from '../model/fields.ts';

const isEmpty = (value: Json | undefined): boolean => value === null || value === undefined || value === '';
const same = (a: Json | undefined, b: Json | undefined): boolean =>
  JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

export interface Checked {
  fields: readonly Field[];
  record: Entity;
  /** The record before the change; null for a new one, where every field is checked. */
  before: Entity | null;
  /** True when the referred record exists. */
  exists(set: string, key: string | number): boolean;
}

/**
 * Holds a record to the rules that the metadata tells. Only what changes is checked, so that an old fault in another
 * field does not block a correction.
 */
export function checkFields(checked: Checked, problems: Problem[], prefix = ''): void {
  const { fields, record, before } = checked;
  for (const field of fields) {
    const value = record[field.name];
    const old = before?.[field.name];
    const target = `${prefix}${field.name}`;
    const changed = before === null || !same(value, old);
    switch (field.kind) {
      case 'scalar': {
        const related = [
          field.requiredIfTrue,
          field.requiredIfEquals?.field,
          field.choicesIf?.field,
          field.notBefore,
        ].some((name) => name !== undefined && before !== null && !same(record[name], before[name]));
        if (!field.computed && (changed || related)) checkScalar(field, checked, target, problems);
        break;
      }
      case 'object':
        if (changed)
          checkFields(
            { ...checked, fields: field.fields, record: asEntity(value), before: before && asEntity(old) },
            problems,
            `${target}/`,
          );
        break;
      case 'objectList': {
        if (!changed) break;
        const items = Array.isArray(value) ? value : [];
        for (const [i, item] of items.entries())
          checkFields(
            { ...checked, fields: field.fields, record: asEntity(item), before: null },
            problems,
            `${target}/${i}/`,
          );
        break;
      }
      case 'scalarList': {
        if (!changed) break;
        const items = Array.isArray(value) ? value : [];
        for (const [i, item] of items.entries())
          if (field.maxLength !== undefined && String(item).length > field.maxLength)
            problems.push({ code: '4102', params: { max: field.maxLength }, target: `${target}/${i}` });
      }
    }
  }
}

function asEntity(value: Json | undefined): Entity {
  return value !== null && value !== undefined && typeof value === 'object' && !Array.isArray(value)
    ? value
    : {};
}

function labelOf(fields: readonly Field[], name: string) {
  return fields.find((f) => f.name === name)?.label ?? text(name, name);
}

function labelOfChoice(fields: readonly Field[], name: string, value: string) {
  const field = fields.find((f) => f.name === name);
  const found = field?.kind === 'scalar' ? field.choices?.find((c) => c.value === value) : undefined;
  return found?.label ?? value;
}

function checkScalar(field: ScalarField, checked: Checked, target: string, problems: Problem[]): void {
  const { fields, record } = checked;
  const value = record[field.name];
  const add = (code: Problem['code'], params: Problem['params'] = {}): void => {
    problems.push({ code, params, target });
  };
  if (isEmpty(value)) {
    if (field.required) add('4001');
    else if (field.requiredIfTrue && record[field.requiredIfTrue] === true)
      add('4002', { field: labelOf(fields, field.requiredIfTrue) });
    else if (field.requiredIfEquals && record[field.requiredIfEquals.field] === field.requiredIfEquals.value)
      add('4003', {
        field: labelOf(fields, field.requiredIfEquals.field),
        value: labelOfChoice(fields, field.requiredIfEquals.field, field.requiredIfEquals.value),
      });
    return;
  }
  if (typeof value === 'string' && field.type === 'Edm.String') checkText(field, value, add);
  const number = field.type === 'Edm.TimeOfDay' ? Number.NaN : Number(value);
  if (field.minimum !== undefined && number < field.minimum) add('4201', { min: field.minimum });
  if (field.maximum !== undefined && number > field.maximum) add('4200', { max: field.maximum });
  if (field.earliest && String(value) < `${field.earliest}:00`) add('4300', { min: field.earliest });
  if (field.notBefore) {
    const other = record[field.notBefore];
    if (!isEmpty(other) && String(value) < String(other))
      add('4301', { field: labelOf(fields, field.notBefore) });
  }
  if (field.choices && !field.choices.some((c) => c.value === value)) add('4400');
  else if (field.choicesIf) {
    const { field: name, cases } = field.choicesIf;
    const fitting = cases.find((c) => c.value === record[name]);
    if (fitting && !fitting.choices.includes(String(value)))
      add('4401', { field: labelOf(fields, name), value: labelOfChoice(fields, name, fitting.value) });
  }
  if (field.reference && (typeof value === 'string' || typeof value === 'number')) {
    if (!checked.exists(field.reference, value)) add('REF-0404', { value, set: field.reference });
  }
}

function checkText(
  field: ScalarField,
  value: string,
  add: (code: Problem['code'], params?: Problem['params']) => void,
) {
  if (field.minLength !== undefined && [...value].length < field.minLength)
    add('4101', { min: field.minLength });
  if (field.maxLength !== undefined && [...value].length > field.maxLength)
    add('4102', { max: field.maxLength });
  if (field.format === 'url' && !/^https?:\/\/[^\s/?#]+\.[^\s]+$/i.test(value)) add('4105');
  if (field.format === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) add('EMAIL-0001', { value });
}

/** Fields that only a new record may carry. */
export function checkImmutable(
  fields: readonly Field[],
  patch: Entity,
  before: Entity,
  problems: Problem[],
): void {
  for (const field of fields) {
    if (field.kind !== 'scalar' || !field.immutable) continue;
    const value = valueAt(patch, field.name);
    if (value !== undefined && !same(value, before[field.name]))
      problems.push({ code: 'READ-ONLY', params: { field: field.label }, target: field.name });
  }
}
