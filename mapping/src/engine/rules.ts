import type { FieldDescriptor, Value } from '@sluice/contract';
import { validateFields, type Violation } from '../validate.ts';

export type RuleCheck = (
  value: Value,
  valueOf: (field: string) => Value | undefined,
  isNew: boolean,
) => Violation[];

/**
 * The rules of a field, compiled: most values are seen to be fine by one comparison, all others go through
 * `validateFields`, which alone says what is broken. Null where the field has no rule.
 */
export function compileRules(
  field: FieldDescriptor,
): { isSurelyFine: (value: Value) => boolean; check: RuleCheck } | null {
  const isFree =
    field.validations.length === 0 &&
    field.options === undefined &&
    field.format !== 'url' &&
    !field.isMandatory &&
    field.mandatoryIf === undefined &&
    field.children === undefined;
  if (isFree) return null;
  const check: RuleCheck = (value, valueOf, isNew) =>
    validateFields([field], (id) => (id === field.id ? value : valueOf(id)), { isNew });
  return { isSurelyFine: quickTest(field), check };
}

/** Codes that cannot be broken by a value that is there. */
const onlyForEmpty = new Set([4001, 4002, 4003, 4900]);

function quickTest(field: FieldDescriptor): (value: Value) => boolean {
  const rules = field.validations.filter(({ code }) => !onlyForEmpty.has(code));
  if (field.format === 'url' || field.children !== undefined) return () => false;
  const options = field.options ? new Set<Value>(field.options.map((option) => option.value)) : null;
  const isText = rules.every(({ code }) => code === 4101 || code === 4102);
  if (isText && options === null) {
    const min = Math.max(
      0,
      ...rules.filter(({ code }) => code === 4101).map(({ params }) => Number(params.min)),
    );
    const max = Math.min(
      Infinity,
      ...rules.filter(({ code }) => code === 4102).map(({ params }) => Number(params.max)),
    );
    // UTF-16 units are no fewer than characters and no more than twice as many.
    return (value) =>
      typeof value === 'string' && value !== '' && value.length <= max && value.length >= min * 2;
  }
  const isNumber = rules.every(({ code }) => code === 4200 || code === 4201);
  if (isNumber && options === null) {
    const min = Math.max(
      -Infinity,
      ...rules.filter(({ code }) => code === 4201).map(({ params }) => Number(params.min)),
    );
    const max = Math.min(
      Infinity,
      ...rules.filter(({ code }) => code === 4200).map(({ params }) => Number(params.max)),
    );
    return (value) => typeof value === 'number' && value >= min && value <= max;
  }
  if (options !== null && rules.every(({ code }) => code === 4400)) {
    return (value) => value !== null && value !== '' && options.has(value);
  }
  return () => false;
}
