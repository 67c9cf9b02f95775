/** A text in the two languages of the sandbox. */
export interface Text {
  en: string;
  nl: string;
}
export type Language = keyof Text;

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** A record as it crosses the wire: complex properties are objects, lists are arrays. */
export type Entity = { [property: string]: Json };

export type EdmType =
  | 'Edm.Boolean'
  | 'Edm.Int16'
  | 'Edm.Int32'
  | 'Edm.Int64'
  | 'Edm.Decimal'
  | 'Edm.Double'
  | 'Edm.String'
  | 'Edm.Guid'
  | 'Edm.Binary'
  | 'Edm.DateTimeOffset'
  | 'Edm.Date'
  | 'Edm.TimeOfDay'
  | 'Edm.Duration';

export interface Choice {
  value: string;
  label: Text;
}

/** Everything that the metadata tells about a field, and that validation holds it to. */
export interface FieldFacets {
  help?: Text;
  required?: boolean;
  /** Filled by the server only; what a client sends is ignored. */
  computed?: boolean;
  /** May be given when the record is made, not changed afterwards. */
  immutable?: boolean;
  hidden?: boolean;
  /** Filled by the server when it is left empty. */
  serverDefault?: boolean;
  defaultValue?: Json;
  maxLength?: number;
  minLength?: number;
  minimum?: number;
  maximum?: number;
  precision?: number;
  scale?: number;
  format?: 'url' | 'email' | 'multiline';
  /** A year or a code: never shown with digit grouping. */
  noGrouping?: boolean;
  choices?: readonly Choice[];
  requiredIfTrue?: string;
  requiredIfEquals?: { field: string; value: string };
  choicesIf?: { field: string; cases: readonly { value: string; choices: readonly string[] }[] };
  earliest?: string;
  notBefore?: string;
  /** The value is the key of a record of this entity set of the same company. */
  reference?: string;
  changedAt?: boolean;
  createdAt?: boolean;
}

export interface ScalarField extends FieldFacets {
  kind: 'scalar';
  name: string;
  label: Text;
  type: EdmType;
}
export interface ObjectField {
  kind: 'object';
  name: string;
  label: Text;
  typeName: string;
  fields: readonly Field[];
}
export interface ObjectListField {
  kind: 'objectList';
  name: string;
  label: Text;
  typeName: string;
  fields: readonly Field[];
  required?: boolean;
}
export interface ScalarListField {
  kind: 'scalarList';
  name: string;
  label: Text;
  type: EdmType;
  maxLength?: number;
}
export type Field = ScalarField | ObjectField | ObjectListField | ScalarListField;

export interface EntitySet {
  name: string;
  entityType: string;
  title: Text;
  help: Text;
  key: readonly string[];
  /** Sets of fields that are unique besides the key. */
  alternateKeys: readonly (readonly string[])[];
  /** Field that names a record to a person. */
  labelField: string;
  fields: readonly Field[];
  insertable: boolean;
  updatable: boolean;
  deletable: boolean;
  /** First number that the server gives to a record made by a client; absent = the key is always given. */
  firstNumber?: number;
  numberPrefix?: string;
  /** The set is worked on per value of `field`, which refers to `set`. */
  perAttribute?: { field: string; set: string };
}

export interface CompanyInfo {
  id: string;
  name: string;
  acronym: string;
  country: string;
}
export interface DomainInfo {
  id: string;
  isProduction: boolean;
  companies: readonly CompanyInfo[];
}
