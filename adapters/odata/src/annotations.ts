import type { Element } from './xml.ts';

/** The value of an annotation, as far as constants, paths, records and collections go. */
export type Expression =
  | { kind: 'value'; value: string | number | boolean }
  | { kind: 'path'; path: string }
  | { kind: 'record'; values: Map<string, Expression>; annotations: Annotations }
  | { kind: 'collection'; items: Expression[] }
  | { kind: 'other' };

/** Full name of the term -> its value. */
export type Annotations = Map<string, Expression>;

const texts = ['String', 'Date', 'DateTimeOffset', 'TimeOfDay', 'Duration', 'Guid', 'Binary', 'EnumMember'];
const numbers = ['Int', 'Decimal', 'Float'];
const paths = [
  'Path',
  'PropertyPath',
  'NavigationPropertyPath',
  'AnnotationPath',
  'ModelElementPath',
  'AnyPropertyPath',
];

function constant(name: string, text: string): Expression | null {
  if (texts.includes(name)) return { kind: 'value', value: text };
  if (numbers.includes(name)) return { kind: 'value', value: Number(text) };
  if (name === 'Bool') return { kind: 'value', value: text === 'true' };
  return paths.includes(name) ? { kind: 'path', path: text } : null;
}

function readElement(element: Element, resolve: (name: string) => string): Expression {
  const simple = constant(element.name, element.text);
  if (simple) return simple;
  if (element.name === 'Collection')
    return { kind: 'collection', items: element.children.map((child) => readElement(child, resolve)) };
  if (element.name !== 'Record') return { kind: 'other' };
  const values = new Map<string, Expression>();
  const annotations: Annotations = new Map();
  for (const child of element.children) {
    if (child.name === 'PropertyValue')
      values.set(child.attributes['Property'] ?? '', readExpression(child, resolve));
    if (child.name === 'Annotation')
      annotations.set(resolve(child.attributes['Term'] ?? ''), readExpression(child, resolve));
  }
  return { kind: 'record', values, annotations };
}

/** Value of an Annotation or PropertyValue element; without any it is a tag, which means true. */
export function readExpression(element: Element, resolve: (name: string) => string): Expression {
  for (const [name, text] of Object.entries(element.attributes)) {
    const simple = constant(name, text);
    if (simple) return simple;
  }
  const child = element.children.find((c) => c.name !== 'Annotation');
  return child ? readElement(child, resolve) : { kind: 'value', value: true };
}

export const core = 'Org.OData.Core.V1';
export const validation = 'Org.OData.Validation.V1';
export const capabilities = 'Org.OData.Capabilities.V1';
export const common = 'com.sap.vocabularies.Common.v1';
export const ui = 'com.sap.vocabularies.UI.v1';
export const communication = 'com.sap.vocabularies.Communication.v1';
/** Terms for what no standard term says; documented in the README of the adapter. */
export const erp = 'Sluice.Erp.V1';

export function textOf(annotations: Annotations, term: string): string | null {
  const found = annotations.get(term);
  return found?.kind === 'value' && typeof found.value === 'string' ? found.value : null;
}
export function numberOf(annotations: Annotations, term: string): number | null {
  const found = annotations.get(term);
  return found?.kind === 'value' && typeof found.value === 'number' ? found.value : null;
}
export function isTrue(annotations: Annotations, term: string): boolean {
  const found = annotations.get(term);
  return found?.kind === 'value' && found.value === true;
}
export function pathOf(expression: Expression | undefined): string | null {
  if (expression?.kind === 'path') return expression.path;
  return expression?.kind === 'value' && typeof expression.value === 'string' ? expression.value : null;
}
export function itemsOf(expression: Expression | undefined): Expression[] {
  return expression?.kind === 'collection' ? expression.items : [];
}
/** A property of a record, where the annotation is one. */
export function memberOf(expression: Expression | undefined, name: string): Expression | undefined {
  return expression?.kind === 'record' ? expression.values.get(name) : undefined;
}
export function constantOf(expression: Expression | undefined): string | number | boolean | null {
  return expression?.kind === 'value' ? expression.value : null;
}
