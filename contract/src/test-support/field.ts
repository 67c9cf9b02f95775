import type { FieldDescriptor } from '../fields.ts';

/** A text field that anybody may write, named as its id, for tests; `more` makes it another one. */
export const fieldOf = (id: string, more: Partial<FieldDescriptor> = {}): FieldDescriptor => ({
  id,
  name: id,
  kind: 'field',
  dataType: 'string',
  isKey: false,
  isMandatory: false,
  isReadOnly: false,
  isReadOnlyOnUpdate: false,
  isHidden: false,
  validations: [],
  ...more,
});
