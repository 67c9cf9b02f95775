import { domains, entitySet, entitySets } from '../model/model.ts';
import type {
  EntitySet,
  Field,
  Language,
  ObjectField,
  ObjectListField,
  ScalarField,
  Text,
} from '../model/types.ts';

export interface Dropped {
  collection: string;
  field: string;
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (value: string): string => value.replaceAll(/[&<>"]/g, (c) => escapes[c] ?? c);

type Attributes = Record<string, string | number | boolean | undefined>;
function tag(name: string, attributes: Attributes, children: readonly string[] = []): string {
  const text = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escape(String(value))}"`)
    .join('');
  return children.length === 0 ? `<${name}${text}/>` : `<${name}${text}>${children.join('')}</${name}>`;
}
const annotate = (term: string, value: Attributes = {}, children: readonly string[] = []): string =>
  tag('Annotation', { Term: term, ...value }, children);
const property = (name: string, value: Attributes): string =>
  tag('PropertyValue', { Property: name, ...value });
const texts = (values: readonly string[]): string =>
  tag(
    'Collection',
    {},
    values.map((value) => `<String>${escape(value)}</String>`),
  );

function labels(language: Language, label: Text, help?: Text): string[] {
  return [
    annotate('Common.Label', { String: label[language] }),
    ...(help ? [annotate('Core.Description', { String: help[language] })] : []),
  ];
}

/** Rules that a standard term can tell, and those that only the terms of Sluice.Erp.V1 can. */
function rules(field: ScalarField, language: Language): string[] {
  const lines: string[] = [];
  if (field.computed) lines.push(annotate('Core.Computed', { Bool: true }));
  if (field.immutable) lines.push(annotate('Core.Immutable', { Bool: true }));
  if (field.serverDefault) lines.push(annotate('Core.ComputedDefaultValue', { Bool: true }));
  if (field.required) lines.push(annotate('Validation.Required', { Bool: true }));
  if (field.minimum !== undefined) lines.push(annotate('Validation.Minimum', { Decimal: field.minimum }));
  if (field.maximum !== undefined) lines.push(annotate('Validation.Maximum', { Decimal: field.maximum }));
  if (field.minLength !== undefined) lines.push(annotate('Erp.MinLength', { Int: field.minLength }));
  if (field.format === 'url') lines.push(annotate('Core.IsURL', { Bool: true }));
  if (field.format === 'email') lines.push(annotate('Communication.IsEmailAddress', { Bool: true }));
  if (field.format === 'multiline') lines.push(annotate('UI.MultiLineText', { Bool: true }));
  if (field.hidden) lines.push(annotate('UI.Hidden', { Bool: true }));
  if (field.noGrouping) lines.push(annotate('Erp.NoGrouping', { Bool: true }));
  if (field.changedAt) lines.push(annotate('Common.ChangedAt', { Bool: true }));
  if (field.createdAt) lines.push(annotate('Common.CreatedAt', { Bool: true }));
  if (field.requiredIfTrue)
    lines.push(annotate('Erp.RequiredIfTrue', { PropertyPath: field.requiredIfTrue }));
  if (field.requiredIfEquals)
    lines.push(
      annotate('Erp.RequiredIfEquals', {}, [
        tag('Record', {}, [
          property('Property', { PropertyPath: field.requiredIfEquals.field }),
          property('Value', { String: field.requiredIfEquals.value }),
        ]),
      ]),
    );
  if (field.choices)
    lines.push(
      annotate('Validation.AllowedValues', {}, [
        tag(
          'Collection',
          {},
          field.choices.map(({ value, label }) =>
            tag('Record', {}, [
              property('Value', { String: value }),
              annotate('Core.Description', { String: label[language] }),
            ]),
          ),
        ),
      ]),
    );
  const { choicesIf } = field;
  if (choicesIf)
    lines.push(
      annotate('Erp.AllowedValuesIf', {}, [
        tag(
          'Collection',
          {},
          choicesIf.cases.map((one) =>
            tag('Record', {}, [
              property('Property', { PropertyPath: choicesIf.field }),
              property('Value', { String: one.value }),
              tag('PropertyValue', { Property: 'AllowedValues' }, [texts(one.choices)]),
            ]),
          ),
        ),
      ]),
    );
  if (field.earliest) lines.push(annotate('Erp.Earliest', { TimeOfDay: `${field.earliest}:00` }));
  if (field.notBefore) lines.push(annotate('Erp.NotBefore', { PropertyPath: field.notBefore }));
  return lines;
}

function propertyTag(field: Field, language: Language, extra: readonly string[] = []): string {
  switch (field.kind) {
    case 'scalar':
      return tag(
        'Property',
        {
          Name: field.name,
          Type: field.type,
          Nullable: field.required ? false : undefined,
          MaxLength: field.maxLength,
          Precision: field.precision ?? (field.type === 'Edm.DateTimeOffset' ? 3 : undefined),
          Scale: field.scale,
          DefaultValue: field.defaultValue === undefined ? undefined : String(field.defaultValue),
        },
        [...labels(language, field.label, field.help), ...rules(field, language), ...extra],
      );
    case 'object':
      return tag(
        'Property',
        { Name: field.name, Type: `Sandbox.${field.typeName}` },
        labels(language, field.label),
      );
    case 'objectList':
      return tag(
        'Property',
        { Name: field.name, Type: `Collection(Sandbox.${field.typeName})`, Nullable: false },
        [
          ...labels(language, field.label),
          ...(field.required ? [annotate('Validation.MinItems', { Int: 1 })] : []),
        ],
      );
    case 'scalarList':
      return tag(
        'Property',
        { Name: field.name, Type: `Collection(${field.type})`, Nullable: false, MaxLength: field.maxLength },
        labels(language, field.label),
      );
  }
}

function references(fields: readonly Field[]): { name: string; set: EntitySet }[] {
  return fields.flatMap((field) => {
    const set = field.kind === 'scalar' && field.reference ? entitySet(field.reference) : undefined;
    return set ? [{ name: field.name, set }] : [];
  });
}

function navigation(fields: readonly Field[]): string[] {
  return references(fields).map(({ name, set }) =>
    tag('NavigationProperty', { Name: `${name}Record`, Type: `Sandbox.${set.entityType}` }, [
      tag('ReferentialConstraint', { Property: name, ReferencedProperty: set.key[0] }),
    ]),
  );
}

function complexTypes(fields: readonly Field[]): (ObjectField | ObjectListField)[] {
  return fields.flatMap((field) =>
    field.kind === 'object' || field.kind === 'objectList' ? [field, ...complexTypes(field.fields)] : [],
  );
}

function entityType(set: EntitySet, language: Language, dropped: Dropped | null): string {
  const fields = set.fields.filter((f) => dropped?.collection !== set.name || dropped.field !== f.name);
  const label = annotate('Common.Text', { Path: set.labelField });
  return tag('EntityType', { Name: set.entityType }, [
    tag(
      'Key',
      {},
      set.key.map((name) => tag('PropertyRef', { Name: name })),
    ),
    ...fields.map((f) => propertyTag(f, language, f.name === set.key.at(-1) ? [label] : [])),
    ...navigation(fields),
    ...(set.alternateKeys.length === 0
      ? []
      : [
          annotate('Core.AlternateKeys', {}, [
            tag(
              'Collection',
              {},
              set.alternateKeys.map((names) =>
                tag('Record', {}, [
                  tag('PropertyValue', { Property: 'Key' }, [
                    tag(
                      'Collection',
                      {},
                      names.map((name) => tag('Record', {}, [property('Name', { PropertyPath: name })])),
                    ),
                  ]),
                ]),
              ),
            ),
          ]),
        ]),
  ]);
}

function setTag(set: EntitySet, language: Language): string {
  const restriction = (term: string, name: string, allowed: boolean): string =>
    annotate(`Capabilities.${term}`, {}, [tag('Record', {}, [property(name, { Bool: allowed })])]);
  const paths = [
    ...references(set.fields).map(({ name, set: target }) => ({ path: `${name}Record`, target })),
    ...complexTypes(set.fields).flatMap((field) =>
      references(field.fields).map(({ name, set: target }) => ({
        path: `Sandbox.${field.typeName}/${name}Record`,
        target,
      })),
    ),
  ];
  return tag('EntitySet', { Name: set.name, EntityType: `Sandbox.${set.entityType}` }, [
    ...paths.map(({ path, target }) => tag('NavigationPropertyBinding', { Path: path, Target: target.name })),
    ...labels(language, set.title, set.help),
    restriction('InsertRestrictions', 'Insertable', set.insertable),
    restriction('UpdateRestrictions', 'Updatable', set.updatable),
    restriction('DeleteRestrictions', 'Deletable', set.deletable),
    annotate('Core.OptimisticConcurrency', {}, [tag('Collection', {}, [])]),
    annotate('Capabilities.ChangeTracking', {}, [tag('Record', {}, [property('Supported', { Bool: true })])]),
    ...(set.perAttribute
      ? [
          annotate('Erp.PerAttribute', {}, [
            tag('Record', {}, [
              property('Property', { PropertyPath: set.perAttribute.field }),
              property('EntitySet', { String: set.perAttribute.set }),
            ]),
          ]),
        ]
      : []),
  ]);
}

const oasis = 'https://oasis-tcs.github.io/odata-vocabularies/vocabularies';
const sap = 'https://sap.github.io/odata-vocabularies/vocabularies';
const includes: readonly (readonly [uri: string, namespace: string, alias: string])[] = [
  [`${oasis}/Org.OData.Core.V1.xml`, 'Org.OData.Core.V1', 'Core'],
  [`${oasis}/Org.OData.Validation.V1.xml`, 'Org.OData.Validation.V1', 'Validation'],
  [`${oasis}/Org.OData.Capabilities.V1.xml`, 'Org.OData.Capabilities.V1', 'Capabilities'],
  [`${sap}/Common.xml`, 'com.sap.vocabularies.Common.v1', 'Common'],
  [`${sap}/UI.xml`, 'com.sap.vocabularies.UI.v1', 'UI'],
  [`${sap}/Communication.xml`, 'com.sap.vocabularies.Communication.v1', 'Communication'],
  ['urn:sluice:erp:v1', 'Sluice.Erp.V1', 'Erp'],
];

function document(schema: readonly string[]): string {
  const references = includes.map(([uri, namespace, alias]) =>
    tag('edmx:Reference', { Uri: uri }, [tag('edmx:Include', { Namespace: namespace, Alias: alias })]),
  );
  const body = tag('edmx:DataServices', {}, [
    tag('Schema', { xmlns: 'http://docs.oasis-open.org/odata/ns/edm', Namespace: 'Sandbox' }, schema),
  ]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${tag(
    'edmx:Edmx',
    { 'xmlns:edmx': 'http://docs.oasis-open.org/odata/ns/edmx', Version: '4.0' },
    [...references, body],
  )}`;
}

/** `$metadata` of the service of one company. */
export function companyMetadata(domainId: string, language: Language, dropped: Dropped | null): string {
  const complex = new Map(entitySets.flatMap((set) => complexTypes(set.fields)).map((f) => [f.typeName, f]));
  return document([
    ...entitySets.map((set) => entityType(set, language, dropped)),
    ...[...complex.values()].map((field) =>
      tag('ComplexType', { Name: field.typeName }, [
        ...field.fields.map((f) => propertyTag(f, language)),
        ...navigation(field.fields),
      ]),
    ),
    tag('EntityContainer', { Name: 'Container' }, [
      ...entitySets.map((set) => setTag(set, language)),
      ...containerTerms(domainId),
    ]),
  ]);
}

/** `$metadata` of a domain, which has the companies only. */
export function domainMetadata(domainId: string, language: Language): string {
  const label = (en: string, nl: string): string =>
    annotate('Common.Label', { String: { en, nl }[language] });
  const string = (name: string, children: string[]): string =>
    tag('Property', { Name: name, Type: 'Edm.String', Nullable: false }, children);
  const refuse = (term: string, name: string): string =>
    annotate(`Capabilities.${term}`, {}, [tag('Record', {}, [property(name, { Bool: false })])]);
  return document([
    tag('EntityType', { Name: 'Company' }, [
      tag('Key', {}, [tag('PropertyRef', { Name: 'id' })]),
      string('id', [label('Company id', 'Bedrijfs-id')]),
      string('name', [label('Name', 'Naam')]),
      string('acronym', [label('Acronym', 'Afkorting')]),
      string('country', [label('Country', 'Land')]),
    ]),
    tag('EntityContainer', { Name: 'Container' }, [
      tag('EntitySet', { Name: 'Companies', EntityType: 'Sandbox.Company' }, [
        label('Companies', 'Bedrijven'),
        refuse('InsertRestrictions', 'Insertable'),
        refuse('UpdateRestrictions', 'Updatable'),
        refuse('DeleteRestrictions', 'Deletable'),
      ]),
      ...containerTerms(domainId),
    ]),
  ]);
}

function containerTerms(domainId: string): string[] {
  const isProduction = domains.find((d) => d.id === domainId)?.isProduction ?? false;
  return [
    annotate('Capabilities.BatchSupported', { Bool: true }),
    annotate('Erp.IsProduction', { Bool: isProduction }),
  ];
}
