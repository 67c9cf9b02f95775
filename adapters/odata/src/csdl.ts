import { readExpression, type Annotations } from './annotations.ts';
import { parseXml, type Element } from './xml.ts';

interface TypeRef {
  name: string;
  isCollection: boolean;
}
export interface Property {
  name: string;
  type: TypeRef;
  isNullable: boolean;
  maxLength: number | null;
  scale: number | null;
  defaultValue: string | null;
  annotations: Annotations;
}
interface Navigation {
  name: string;
  type: TypeRef;
  constraints: { property: string; referenced: string }[];
}
export interface StructuredType {
  name: string;
  baseType: string | null;
  key: string[];
  properties: Property[];
  navigation: Navigation[];
  annotations: Annotations;
}
interface EnumType {
  name: string;
  members: { name: string; annotations: Annotations }[];
}
export interface EntitySet {
  name: string;
  entityType: string;
  /** Path of a navigation property -> name of the entity set that it leads to. */
  bindings: Map<string, string>;
  annotations: Annotations;
}
/** What `$metadata` says, with full names instead of aliases. */
export interface Model {
  types: Map<string, StructuredType>;
  enums: Map<string, EnumType>;
  /** Type definitions -> the primitive type below them. */
  definitions: Map<string, string>;
  sets: EntitySet[];
  annotations: Annotations;
}

const all = (element: Element, name: string): Element[] => element.children.filter((c) => c.name === name);
const number = (text: string | undefined): number | null =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : null;

/** Parses CSDL XML 4.0; throws when it is not that. */
export function parseCsdl(text: string): Model {
  const edmx = parseXml(text).find((e) => e.name === 'Edmx');
  const services = edmx && all(edmx, 'DataServices')[0];
  if (!edmx || !services) throw new Error('the document is no CSDL');
  if (!(edmx.attributes['Version'] ?? '').startsWith('4'))
    throw new Error('the service does not speak OData 4');
  const schemas = all(services, 'Schema');
  const resolve = aliasResolver(edmx, schemas);
  const model: Model = {
    types: new Map(),
    enums: new Map(),
    definitions: new Map(),
    sets: [],
    annotations: new Map(),
  };
  for (const schema of schemas) readSchema(schema, resolve, model);
  for (const schema of schemas) readTargets(schema, resolve, model);
  for (const type of model.types.values()) inherit(type, model);
  return model;
}

type Resolve = (name: string) => string;

function aliasResolver(edmx: Element, schemas: readonly Element[]): Resolve {
  const includes = [...all(edmx, 'Reference').flatMap((reference) => all(reference, 'Include')), ...schemas];
  const aliases = new Map<string, string>();
  for (const { attributes } of includes)
    if (attributes['Alias'] && attributes['Namespace'])
      aliases.set(attributes['Alias'], attributes['Namespace']);
  return (name) => {
    const dot = name.indexOf('.');
    const namespace = dot > 0 && name.lastIndexOf('.') === dot ? aliases.get(name.slice(0, dot)) : undefined;
    return namespace === undefined ? name : `${namespace}${name.slice(dot)}`;
  };
}

function typeRef(text: string | undefined, resolve: Resolve): TypeRef {
  const inner = /^Collection\((.+)\)$/.exec(text ?? 'Edm.String')?.[1];
  return { name: resolve(inner ?? text ?? 'Edm.String'), isCollection: inner !== undefined };
}

function readAnnotations(element: Element, resolve: Resolve, into: Annotations = new Map()): Annotations {
  for (const annotation of all(element, 'Annotation')) {
    const term = resolve(annotation.attributes['Term'] ?? '');
    if (annotation.attributes['Qualifier'] === undefined) into.set(term, readExpression(annotation, resolve));
  }
  return into;
}

function readProperty(element: Element, resolve: Resolve): Property {
  const { attributes } = element;
  return {
    name: attributes['Name'] ?? '',
    type: typeRef(attributes['Type'], resolve),
    isNullable: attributes['Nullable'] !== 'false',
    maxLength: number(attributes['MaxLength']),
    scale: number(attributes['Scale']),
    defaultValue: attributes['DefaultValue'] ?? null,
    annotations: readAnnotations(element, resolve),
  };
}

function readSchema(schema: Element, resolve: Resolve, model: Model): void {
  const namespace = schema.attributes['Namespace'] ?? '';
  for (const element of schema.children) {
    const name = `${namespace}.${element.attributes['Name'] ?? ''}`;
    switch (element.name) {
      case 'EntityType':
      case 'ComplexType':
        model.types.set(name, {
          name,
          baseType: element.attributes['BaseType'] ? resolve(element.attributes['BaseType']) : null,
          key: all(element, 'Key').flatMap((key) =>
            all(key, 'PropertyRef').map((ref) => ref.attributes['Name'] ?? ''),
          ),
          properties: all(element, 'Property').map((property) => readProperty(property, resolve)),
          navigation: all(element, 'NavigationProperty').map((navigation) => ({
            name: navigation.attributes['Name'] ?? '',
            type: typeRef(navigation.attributes['Type'], resolve),
            constraints: all(navigation, 'ReferentialConstraint').map(({ attributes }) => ({
              property: attributes['Property'] ?? '',
              referenced: attributes['ReferencedProperty'] ?? '',
            })),
          })),
          annotations: readAnnotations(element, resolve),
        });
        break;
      case 'EnumType':
        model.enums.set(name, {
          name,
          members: all(element, 'Member').map((member) => ({
            name: member.attributes['Name'] ?? '',
            annotations: readAnnotations(member, resolve),
          })),
        });
        break;
      case 'TypeDefinition':
        model.definitions.set(name, element.attributes['UnderlyingType'] ?? 'Edm.String');
        break;
      case 'EntityContainer':
        readAnnotations(element, resolve, model.annotations);
        for (const set of all(element, 'EntitySet'))
          model.sets.push({
            name: set.attributes['Name'] ?? '',
            entityType: resolve(set.attributes['EntityType'] ?? ''),
            bindings: new Map(
              all(set, 'NavigationPropertyBinding').map(({ attributes }) => [
                attributes['Path'] ?? '',
                (attributes['Target'] ?? '').split('/').at(-1) ?? '',
              ]),
            ),
            annotations: readAnnotations(set, resolve),
          });
    }
  }
}

/** `<Annotations Target="…">`: annotations that stand apart from what they say something about. */
function readTargets(schema: Element, resolve: Resolve, model: Model): void {
  const containers = all(schema, 'EntityContainer').map(
    (c) => `${schema.attributes['Namespace']}.${c.attributes['Name']}`,
  );
  for (const block of all(schema, 'Annotations')) {
    const [owner = '', member] = (block.attributes['Target'] ?? '').split('/');
    const name = resolve(owner);
    const type = model.types.get(name);
    const target = containers.includes(name)
      ? member === undefined
        ? model.annotations
        : model.sets.find((set) => set.name === member)?.annotations
      : member === undefined
        ? type?.annotations
        : (type?.properties.find((p) => p.name === member)?.annotations ??
          model.enums.get(name)?.members.find((m) => m.name === member)?.annotations);
    if (target && block.attributes['Qualifier'] === undefined) readAnnotations(block, resolve, target);
  }
}

function inherit(type: StructuredType, model: Model): void {
  if (type.baseType === null) return;
  const base = model.types.get(type.baseType);
  type.baseType = null;
  if (!base || base === type) return;
  inherit(base, model);
  if (type.key.length === 0) type.key = base.key;
  type.properties = [...base.properties, ...type.properties];
  type.navigation = [...base.navigation, ...type.navigation];
  for (const [term, value] of base.annotations)
    if (!type.annotations.has(term)) type.annotations.set(term, value);
}
