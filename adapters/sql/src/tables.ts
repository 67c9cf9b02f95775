import { createHash } from 'node:crypto';
import type { ChangesKind, CollectionDescription, CollectionInfo } from '@sluice/adapter-kit';
import type { FieldDescriptor } from '@sluice/contract';
import type { Column, RawColumn, RawTable, Table } from './model.ts';
import type { SqlSettings } from './settings.ts';

const changedNames =
  /^(last_?)?(updated|modified|changed|write|update|modification|upd)(_?(at|on|date|time|datetime|timestamp|ts))?$|^(date|ts|time)_?(upd|updated|modified|changed|modification|update)$|^(lastmodified|lastupdate|mtime)$/i;
const labelNames = [
  'name',
  'title',
  'label',
  'description',
  'subject',
  'company',
  'email',
  'code',
  'number',
  'reference',
];

/** Gives tables their codes, addresses, keys and fields, from what the catalog says and the person set. */
export function buildTables(raw: readonly RawTable[], settings: SqlSettings, homeSchema: string): Table[] {
  const slugs = slugsOf(raw, homeSchema);
  const tables = raw.map((table, index): Table => {
    const code = codeOf(table);
    const slug = slugs[index] ?? '';
    const set = <T>(map: ReadonlyMap<string, T>): T | undefined =>
      map.get(code) ?? map.get(slug) ?? map.get(table.name);
    const known = new Set(table.columns.map(({ name }) => name));
    const given = set(settings.keys)?.filter((name) => known.has(name)) ?? [];
    const keyNames = given.length > 0 ? given : ownKey(table);
    const isKeyed = keyNames.length > 0;
    const isWritable = settings.canWrite && isKeyed && table.kind === 'table';
    const columns = table.columns.map((column) => ({
      ...column,
      field: fieldOf(table, column, keyNames.includes(column.name), isWritable),
    }));
    const changedName = set(settings.changes);
    const changed =
      columns.find(({ name, type }) => type.isMoment && name === changedName) ??
      columns.find(({ name, type }) => type.isMoment && changedNames.test(name)) ??
      null;
    return {
      ...table,
      code,
      slug,
      title: titleOf(table, raw),
      columns,
      key: keyNames.flatMap((name) => columns.find((column) => column.name === name) ?? []),
      rights: isWritable ? table.rights : { create: false, update: false, delete: false },
      changed,
      labelField: labelOf(columns),
    };
  });
  for (const table of tables) addReferences(table, tables);
  return tables;
}

const codeOf = (table: RawTable): string =>
  table.kind === 'query'
    ? `query:${table.name}`
    : table.schema
      ? `${table.schema}.${table.name}`
      : table.name;

/** The primary key, else the first unique index whose columns are never empty. */
function ownKey(table: RawTable): string[] {
  if (table.primaryKey.length > 0) return table.primaryKey;
  const isFilled = (name: string): boolean =>
    table.columns.find((column) => column.name === name)?.isNotNull ?? false;
  return table.uniques.find(({ columns }) => columns.every(isFilled))?.columns ?? [];
}

const words = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');

function slugsOf(raw: readonly RawTable[], homeSchema: string): string[] {
  const taken = new Set<string>();
  return raw.map(({ schema, name }) => {
    const base = words(schema === homeSchema || schema === '' ? name : `${schema}-${name}`) || 'table';
    let slug = base;
    for (let n = 2; taken.has(slug); n += 1) slug = `${base}-${n}`;
    taken.add(slug);
    return slug;
  });
}

function titleOf(table: RawTable, all: readonly RawTable[]): string {
  const own = humanised(table.name);
  const isAlone = all.filter((other) => humanised(other.name) === own).length === 1;
  return isAlone || table.schema === '' ? own : `${own} (${table.schema})`;
}

const humanised = (name: string): string => {
  const spaced = name
    .replace(/[_-]+/g, ' ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .trim();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
};

function fieldOf(table: RawTable, column: RawColumn, isKey: boolean, isWritable: boolean): FieldDescriptor {
  const { type, rights } = column;
  const isReference = table.references.some(({ columns }) => columns.includes(column.name));
  const isNumberKey = type.dataType === 'int' || type.dataType === 'uint';
  const isFilledByDatabase = column.hasDefault || column.isGiven;
  return {
    id: column.name,
    name: humanised(column.name),
    kind: 'field',
    dataType: isNumberKey && (isKey || isReference) ? 'nonFormattableInt' : type.dataType,
    ...(type.format ? { format: type.format } : {}),
    isKey,
    isMandatory: column.isNotNull && !isFilledByDatabase && !column.isComputed,
    isReadOnly:
      column.isComputed || type.isReadOnly === true || !isWritable || !(rights.create || rights.update),
    isReadOnlyOnUpdate: isKey || !rights.update,
    isHidden: false,
    ...(type.options ? { options: type.options.map((value) => ({ value })) } : {}),
    ...(type.scale === undefined ? {} : { scale: type.scale }),
    ...(column.comment ? { help: column.comment } : {}),
    ...(isFilledByDatabase ? { hasServerDefault: true } : {}),
    validations: [
      ...(type.max === undefined ? [] : [{ code: 4102 as const, params: { max: type.max } }]),
      ...(type.dataType === 'uint' ? [{ code: 4201 as const, params: { min: 0 } }] : []),
    ],
  };
}

function labelOf(columns: readonly Column[]): string | null {
  const texts = columns.filter(({ type }) => type.dataType === 'string' && type.format !== 'base64');
  const ranked = labelNames.map((label) => texts.find(({ name }) => name.toLowerCase() === label));
  const similar = labelNames.map((label) =>
    texts.find(({ name }) => name.toLowerCase().endsWith(`_${label}`)),
  );
  return [...ranked, ...similar, texts[0]].find((column) => column !== undefined)?.name ?? null;
}

/** A foreign key of one column that points at the whole key of a table that can be seen. */
function addReferences(table: Table, tables: readonly Table[]): void {
  for (const { columns, schema, table: name, target } of table.references) {
    const [from] = columns;
    const to = tables.find((other) => other.schema === schema && other.name === name);
    const column = table.columns.find((other) => other.name === from);
    const [valueField] = target;
    if (columns.length !== 1 || !to || !column || valueField === undefined) continue;
    if (to.key.length !== 1 || to.key[0]?.name !== valueField) continue;
    column.field = {
      ...column.field,
      reference: {
        resourceTypeUriId: to.slug,
        valueField,
        ...(to.labelField ? { labelField: to.labelField } : {}),
      },
    };
  }
}

export const infoOf = (table: Table): CollectionInfo => ({
  code: table.code,
  resourceTypeUriId: table.slug,
  title: table.title,
  numberOfSystemLevels: 1,
  hasAttribute: false,
});

export function descriptionOf(table: Table): CollectionDescription {
  const keyFields = table.key.map(({ name }) => name);
  const changes: ChangesKind = table.changed ? 'column' : 'none';
  const described = {
    fields: table.columns.map(({ field }) => field),
    keyFields,
    labelField: table.labelField,
    naturalKeys: table.uniques
      .map(({ columns }) => columns)
      .filter((columns) => columns.join() !== keyFields.join()),
    rights: table.rights,
    changes,
  };
  const source = JSON.stringify([described, table.changed?.name]);
  return { ...described, fingerprint: createHash('sha256').update(source).digest('hex').slice(0, 32) };
}
