import type { Locale } from '@sluice/contract';
import { z } from 'zod';
import { at, type Entity, isEntity } from './json.ts';
import { draftTexts, fill } from './texts.ts';

interface Draft {
  /** A profile as it may be edited, as JSON. */
  value: string;
  /** What could not be guessed, and what was. */
  notes: string[];
}

const documentSchema = z.looseObject({
  openapi: z.string().regex(/^3\./),
  info: z.looseObject({ title: z.string() }).optional(),
  paths: z.record(z.string(), z.looseObject({})),
});

interface Guess {
  collection: Entity;
  /** Texts about it, in the language asked for. */
  unsure: string[];
}

const listNames = ['items', 'results', 'data', 'value', 'records', 'content', 'entries'];
const totalNames = ['total', 'count', 'totalCount', 'total_count', 'totalElements', '@odata.count'];
const keyNames = ['id', 'uuid', 'key', 'code', 'number'];
const deepest = 4;

/** Follows references; what refers to itself or to another file ends. */
function resolve(document: Entity, value: unknown, depth = 0): Entity {
  if (!isEntity(value) || depth > 20) return {};
  const reference = value['$ref'];
  if (typeof reference === 'string') {
    if (!reference.startsWith('#/')) return {};
    let found: unknown = document;
    for (const part of reference.slice(2).split('/'))
      found = isEntity(found)
        ? found[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')]
        : null;
    return resolve(document, found, depth + 1);
  }
  const parts = value['allOf'];
  if (!Array.isArray(parts)) return value;
  const all = [...parts.map((part) => resolve(document, part, depth + 1)), { ...value, allOf: undefined }];
  const properties = Object.assign({}, ...all.map((part) => part['properties'] ?? {})) as Entity;
  const required = all.flatMap((part) =>
    Array.isArray(part['required']) ? (part['required'] as unknown[]) : [],
  );
  return { ...(Object.assign({}, ...all) as Entity), properties, required };
}

function schemaOf(document: Entity, content: unknown): Entity {
  const media = isEntity(content)
    ? Object.entries(content).find(([type]) => /[/+]json/i.test(type))?.[1]
    : undefined;
  return resolve(document, at(media, 'schema'));
}

function answerOf(document: Entity, operation: unknown): Entity {
  const responses = at(operation, 'responses');
  if (!isEntity(responses)) return {};
  const code = ['200', '201', '2XX', 'default'].find((one) => one in responses);
  return schemaOf(document, resolve(document, responses[code ?? ''])['content']);
}

const typeName = (schema: Entity): string => {
  const type = schema['type'];
  return String(
    (Array.isArray(type) ? type.find((one) => one !== 'null') : type) ??
      (schema['properties'] ? 'object' : ''),
  );
};

/** Fields of an object, those of nested objects flat. */
function fieldsOf(document: Entity, schema: Entity, prefix = '', depth = 0): Entity[] {
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  const properties = isEntity(schema['properties']) ? schema['properties'] : {};
  return Object.entries(properties).flatMap(([name, value]): Entity[] => {
    const property = resolve(document, value);
    const id = prefix + name;
    const kind = typeName(property);
    if (kind === 'object' && isEntity(property['properties']) && depth < deepest)
      return fieldsOf(document, property, `${id}.`, depth + 1);
    const format = String(property['format'] ?? '');
    const texts: Record<string, string> = {
      'date-time': 'datetime',
      date: 'date',
      time: 'time',
      uuid: 'uuid',
    };
    const isObjects = kind === 'array' && typeName(resolve(document, property['items'])) === 'object';
    const types: Record<string, string> = {
      string: texts[format] ?? 'string',
      integer: 'int',
      number: 'float64',
      boolean: 'bool',
      array: isObjects ? 'objects' : 'array',
    };
    const options = Array.isArray(property['enum']) ? property['enum'].filter((one) => one !== null) : [];
    const number = (from: string, to: string): Entity =>
      typeof property[from] === 'number' ? { [to]: property[from] } : {};
    return [
      {
        id,
        ...(typeof property['title'] === 'string' ? { name: property['title'] } : {}),
        type: types[kind] ?? 'unknown',
        ...(required.includes(name) && prefix === '' ? { isMandatory: true } : {}),
        ...(property['readOnly'] === true || types[kind] === undefined ? { isReadOnly: true } : {}),
        ...number('maxLength', 'maxLength'),
        ...number('minimum', 'min'),
        ...number('maximum', 'max'),
        ...(options.length > 0 ? { options } : {}),
      },
    ];
  });
}

/** Where a list of objects stands in an answer. */
function listOf(document: Entity, answer: Entity): { records: string; item: Entity } | null {
  if (typeName(answer) === 'array') return { records: '', item: resolve(document, answer['items']) };
  const properties = isEntity(answer['properties']) ? answer['properties'] : {};
  const arrays = Object.entries(properties).filter(([, one]) => typeName(resolve(document, one)) === 'array');
  const [name, schema] =
    arrays.find(([one]) => listNames.includes(one)) ?? (arrays.length === 1 ? (arrays[0] ?? []) : []);
  if (name === undefined) return null;
  const item = resolve(document, resolve(document, schema)['items']);
  return typeName(item) === 'object' ? { records: name, item } : null;
}

/** Names of the query parameters of a read. */
function parametersOf(document: Entity, path: Entity, operation: unknown): string[] {
  const lists = [path['parameters'], at(operation, 'parameters')];
  return lists.flatMap((list) =>
    (Array.isArray(list) ? list : []).flatMap((one) => {
      const parameter = resolve(document, one);
      return parameter['in'] === 'query' && typeof parameter['name'] === 'string' ? [parameter['name']] : [];
    }),
  );
}

function pagingOf(parameters: readonly string[], properties: Entity): Entity | null {
  const named = (...names: string[]): string | undefined =>
    parameters.find((one) => names.includes(one.toLowerCase().replaceAll(/[^a-z]/g, '')));
  const size = named('limit', 'pagesize', 'perpage', 'size', 'top', 'take', 'count', 'maxresults');
  const sizeParameter = size === undefined ? {} : { sizeParameter: size };
  const cursor = named('cursor', 'pagetoken', 'continuationtoken', 'after', 'startingafter');
  const next = Object.keys(properties).find((name) => /^next(_?cursor|_?page_?token|_?token)?$/i.test(name));
  if (cursor !== undefined && next !== undefined)
    return { kind: 'cursor', parameter: cursor, at: next, ...sizeParameter };
  const offset = named('offset', 'skip', 'start');
  if (offset !== undefined) return { kind: 'offset', parameter: offset, ...sizeParameter };
  const page = named('page', 'pagenumber', 'pageno');
  if (page !== undefined) return { kind: 'page', parameter: page, first: 1, ...sizeParameter };
  return next === undefined ? null : { kind: 'link', at: next, ...sizeParameter };
}

function guessOf(document: Entity, path: string, locale: Locale): Guess | null {
  const paths = document['paths'];
  const item = isEntity(paths) ? resolve(document, paths[path]) : {};
  if (path.includes('{') || !isEntity(item['get'])) return null;
  const answer = answerOf(document, item['get']);
  const list = listOf(document, answer);
  if (!list) return null;
  const code = path.replace(/^\/+|\/+$/g, '');
  const unsure: string[] = [];
  const say = (text: keyof typeof draftTexts): unknown =>
    unsure.push(fill(draftTexts[text], locale, { collection: code }));
  const one = Object.keys(isEntity(paths) ? paths : {}).find(
    (other) =>
      other.startsWith(`${path.replace(/\/$/, '')}/{`) &&
      /^\{[^{}/]+\}\/?$/.test(other.slice(path.replace(/\/$/, '').length + 1)),
  );
  const single = one === undefined || !isEntity(paths) ? {} : resolve(document, paths[one]);
  const variable = /\{([^}]+)\}\/?$/.exec(one ?? '')?.[1] ?? '';
  const fields = fieldsOf(document, list.item);
  const ids = fields.map(({ id }) => String(id));
  const key =
    ids.find((id) => id === variable) ??
    keyNames.find((name) => ids.includes(name)) ??
    ids.find((id) => id.toLowerCase() === variable.toLowerCase().replaceAll(/[^a-z]/g, ''));
  if (key === undefined) say('key');
  const properties = isEntity(answer['properties']) ? answer['properties'] : {};
  const paging = pagingOf(parametersOf(document, item, item['get']), properties);
  if (paging === null) say('paging');
  const total = totalNames.find((name) => name in properties);
  const onePath = one === undefined ? '' : one.replace(/^\/+/, '').replace(/\{[^}]+\}/, '{key}');
  const method = isEntity(single['patch']) ? 'PATCH' : isEntity(single['put']) ? 'PUT' : null;
  if (!isEntity(item['post'])) say('create');
  if (method === null) say('update');
  const canRead = isEntity(single['get']);
  const canWrite = method !== null && canRead;
  if (method !== null && !canRead) say('one');
  const label = ['name', 'title', 'description'].find((name) => ids.includes(name));
  return {
    collection: {
      code,
      path: code,
      keyFields: [key ?? 'id'],
      ...(label === undefined ? {} : { labelField: label }),
      ...(list.records === '' ? {} : { records: list.records }),
      ...(total === undefined ? {} : { total }),
      ...(paging === null ? {} : { paging }),
      ...(canRead ? { one: { path: onePath } } : {}),
      ...(isEntity(item['post']) ? { create: { path: code } } : {}),
      ...(canWrite
        ? { update: { method, path: onePath, ...(method === 'PUT' ? { body: 'whole' } : {}) } }
        : {}),
      ...(isEntity(single['delete']) && canRead ? { delete: { path: onePath } } : {}),
      fields: key === undefined ? [{ id: 'id', type: 'string' }, ...fields] : fields,
      isComplete: fields.every(({ type }) => type !== 'objects'),
    },
    unsure,
  };
}

/** A profile to start from, made of an OpenAPI 3 document (JSON), or why none can be made. */
export function profileFromOpenApi(source: string, locale: Locale): Draft | { problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(source);
  } catch (error) {
    return {
      problem: fill(draftTexts.json, locale, { detail: error instanceof Error ? error.message : '' }),
    };
  }
  const parsed = documentSchema.safeParse(json);
  if (!parsed.success) return { problem: draftTexts.version[locale] };
  const document: Entity = parsed.data;
  const guesses = Object.keys(parsed.data.paths).flatMap((path) => guessOf(document, path, locale) ?? []);
  if (guesses.length === 0) return { problem: draftTexts.none[locale] };
  const server = at(document, 'servers.0.url');
  const schemes = at(document, 'components.securitySchemes');
  const kinds = isEntity(schemes)
    ? Object.values(schemes).map((one) =>
        [at(one, 'type'), at(one, 'scheme') ?? at(one, 'in')].filter(Boolean).join(' '),
      )
    : [];
  const profile = {
    ...(parsed.data.info ? { name: parsed.data.info.title } : {}),
    limits: { pageSize: 100 },
    collections: guesses.map(({ collection }) => collection),
  };
  return {
    value: JSON.stringify(profile, null, 2),
    notes: [
      fill(draftTexts.made, locale, { count: guesses.length }),
      ...(typeof server === 'string' ? [fill(draftTexts.server, locale, { server })] : []),
      ...(kinds.length > 0 ? [fill(draftTexts.signIn, locale, { kinds: kinds.join(', ') })] : []),
      ...guesses.flatMap(({ unsure }) => unsure),
      draftTexts.never[locale],
    ],
  };
}
