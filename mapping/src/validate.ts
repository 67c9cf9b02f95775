import type { FieldDescriptor, Scalar, Validation, Value, ValidationCode } from '@sluice/contract';
import { evaluate, fieldsOf } from './condition.ts';
import { elementFields } from './values.ts';

/** A broken rule of one field; the text comes from the catalogue by code and params (decisions Q-VAL-01). */
export interface Violation {
  field: string;
  code: ValidationCode;
  params: Record<string, Value>;
}

export interface ValidateOptions {
  /** A new record: mandatory fields must be there. On an update only what is changed is checked. */
  isNew: boolean;
}

/**
 * Checks the given fields of a record against their rules. `valueOf` answers the value of any field of the record
 * (undefined = not known here: rules that need it are left to the external system). 4900 (unique) needs the other
 * records and is checked by the server.
 */
export function validateFields(
  fields: readonly FieldDescriptor[],
  valueOf: (field: string) => Value | undefined,
  options: ValidateOptions,
): Violation[] {
  return fields.flatMap((field) => validateField(field, valueOf, options));
}

/**
 * What the rules see of a new record, whose empty fields the external system fills: their defaults, or undefined where
 * it alone knows what that will be. A condition that looks at such a field would take the record for another one.
 */
export function asFilled(
  fields: readonly FieldDescriptor[],
): (valueOf: (field: string) => Value | undefined) => (field: string) => Value | undefined {
  const filled = new Map(
    fields
      .filter(({ hasServerDefault }) => hasServerDefault === true)
      .map((field) => [field.id, field.defaultValue ?? undefined]),
  );
  return (valueOf) => (id) => {
    const value = valueOf(id);
    return (value === null || value === '') && filled.has(id) ? filled.get(id) : value;
  };
}

function validateField(
  field: FieldDescriptor,
  valueOf: (field: string) => Value | undefined,
  { isNew }: ValidateOptions,
): Violation[] {
  const value = valueOf(field.id) ?? null;
  const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
  if (isEmpty) {
    const fillsItself = isNew && field.hasServerDefault === true;
    if (fillsItself || field.isReadOnly) return [];
    const found = missing(field, valueOf);
    return found ? [found] : [];
  }
  const violations = field.validations.flatMap((rule) => breaks(field, rule, value, valueOf) ?? []);
  if (field.kind === 'field' && field.options && !field.validations.some((rule) => rule.code === 4401)) {
    const isOffered = field.options.some((option) => option.value === value);
    if (!isOffered && !violations.some((violation) => violation.code === 4400)) {
      violations.push({ field: field.id, code: 4400, params: {} });
    }
  }
  if (field.format === 'url' && !isUrl(value) && !violations.some((violation) => violation.code === 4105)) {
    violations.push({ field: field.id, code: 4105, params: {} });
  }
  return [...violations, ...validateElements(field, value)];
}

function missing(field: FieldDescriptor, valueOf: (field: string) => Value | undefined): Violation | null {
  if (field.isMandatory || field.validations.some((rule) => rule.code === 4001)) {
    return { field: field.id, code: 4001, params: {} };
  }
  for (const rule of field.validations) {
    if (rule.code === 4002 && valueOf(String(rule.params.field)) === true) {
      return { field: field.id, code: 4002, params: rule.params };
    }
    if (rule.code === 4003 && valueOf(String(rule.params.field)) === rule.params.value) {
      return { field: field.id, code: 4003, params: rule.params };
    }
  }
  if (field.mandatoryIf !== undefined && evaluate(field.mandatoryIf, valueOf) === true) {
    return { field: field.id, code: 4001, params: {} };
  }
  return null;
}

function breaks(
  field: FieldDescriptor,
  rule: Validation,
  value: Value,
  valueOf: (field: string) => Value | undefined,
): Violation | null {
  const violation: Violation = { field: field.id, code: rule.code, params: rule.params };
  const { min, max } = rule.params;
  switch (rule.code) {
    case 4101:
      return typeof value === 'string' && lengthOf(value) < Number(min) ? violation : null;
    case 4102:
      return typeof value === 'string' && lengthOf(value) > Number(max) ? violation : null;
    case 4105:
      return isUrl(value) ? null : violation;
    case 4200:
      return Number(value) > Number(max) ? violation : null;
    case 4201:
      return Number(value) < Number(min) ? violation : null;
    case 4300:
      return String(value) < String(min) ? violation : null;
    case 4301: {
      const other = valueOf(String(rule.params.field));
      return typeof other === 'string' && String(value) < other ? violation : null;
    }
    case 4400: {
      const options =
        field.options?.map((option) => option.value) ?? (rule.params.options as Scalar[] | undefined) ?? [];
      return options.includes(value as never) ? null : violation;
    }
    case 4401: {
      const isActive = valueOf(String(rule.params.field)) === rule.params.value;
      const options = Array.isArray(rule.params.options) ? rule.params.options : [];
      return isActive && !options.includes(value) ? violation : null;
    }
    // The mandatory codes concern empty values; unique needs the other records.
    case 4001:
    case 4002:
    case 4003:
    case 4900:
      return null;
  }
}

/** Elements of arrays have rules of their own; the violation names the position (`lines[2].amount`). */
function validateElements(field: FieldDescriptor, value: Value): Violation[] {
  if (!Array.isArray(value) || !field.children) return [];
  const children = elementFields(field);
  return value.flatMap((element, index) => {
    if (typeof element !== 'object' || element === null || Array.isArray(element)) return [];
    return validateFields(children, (id) => element[id] ?? null, { isNew: true }).map((violation) => ({
      ...violation,
      field: `${field.id}[${index}].${violation.field}`,
    }));
  });
}

/** Characters as people count them, not UTF-16 units. */
function lengthOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function isUrl(value: Value): boolean {
  if (typeof value !== 'string' || !/^(https?|ftp|mailto):/i.test(value)) return false;
  if (/^mailto:/i.test(value)) return value.includes('@');
  return URL.canParse(value) && /^\w+:\/\/[^/]/.test(value);
}

/** Other fields that the rules of this field look at: when one of them changes, this field must be checked again. */
export function dependenciesOf(field: FieldDescriptor): string[] {
  const named = field.validations.flatMap((rule) =>
    [4002, 4003, 4301, 4401].includes(rule.code) ? [String(rule.params.field)] : [],
  );
  return [...new Set([...named, ...fieldsOf(field.mandatoryIf), ...fieldsOf(field.readOnlyIf)])];
}
