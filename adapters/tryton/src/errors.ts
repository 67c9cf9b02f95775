import type { ErrorClass, RecordError } from '@sluice/adapter-kit';
import type { ValidationCode } from '@sluice/contract';
import type { TrytonError } from './rpc.ts';

/** One of Tryton's own messages, turned into a pattern in the language in which the server has it. */
export interface MessagePattern {
  class: ErrorClass;
  code?: ValidationCode;
  pattern: RegExp;
}

/** Names by which messages speak of fields: lower-case label -> ids of the fields that bear it. */
export type Labels = ReadonlyMap<string, readonly string[]>;

/** What is known of the model that was written to. */
export interface ErrorScope {
  patterns: readonly MessagePattern[];
  /** How messages call this model, in all languages, lower case. */
  modelNames: ReadonlySet<string>;
  labels: Labels;
  /** Lists written with the record, and what messages name when a line is at fault; links have no names. */
  lists: readonly { field: string; modelNames: ReadonlySet<string>; labels: Labels }[];
  /** Fields that the failed operation wrote; empty when it is not known which operation failed. */
  written: ReadonlySet<string>;
  /** Longest text that a field may hold, where Tryton says so. */
  sizes: ReadonlyMap<string, number>;
  values: Readonly<Record<string, unknown>>;
}

/** Tryton's validation messages by their id in the module `ir`. */
export const messageKinds: Readonly<Record<string, { class: ErrorClass; code?: ValidationCode }>> = {
  msg_required_validation_record: { class: 'validation', code: 4001 },
  msg_size_validation_record: { class: 'validation', code: 4102 },
  msg_selection_validation_record: { class: 'validation', code: 4400 },
  msg_digits_validation_record: { class: 'validation' },
  msg_domain_validation_record: { class: 'validation' },
  msg_forbidden_char_validation_record: { class: 'validation' },
  msg_time_format_validation_record: { class: 'validation' },
  msg_recursion_error: { class: 'validation' },
  msg_foreign_model_missing: { class: 'reference' },
  msg_relation_not_found: { class: 'reference' },
  msg_foreign_model_exist: { class: 'inUse' },
  msg_access_rule_error: { class: 'forbidden' },
  msg_access_rule_field_error: { class: 'forbidden' },
  msg_create_rule_error: { class: 'forbidden' },
  msg_read_rule_error: { class: 'forbidden' },
  msg_write_rule_error: { class: 'forbidden' },
  msg_delete_rule_error: { class: 'forbidden' },
  msg_write_xml_record: { class: 'forbidden' },
  msg_delete_xml_record: { class: 'forbidden' },
  msg_read_error: { class: 'notFound' },
  msg_write_error: { class: 'notFound' },
};

/** Turns a message text with Python placeholders into a pattern that finds what stood in them. */
export function toPattern(text: string): RegExp {
  const names = new Set<string>();
  const source = text
    .trim()
    .split(/(%\(\w+\)[a-z])/)
    .map((part) => {
      const name = /^%\((\w+)\)[a-z]$/.exec(part)?.[1];
      if (name === undefined)
        return part.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&').replaceAll(/\s+/g, '\\s+');
      if (names.has(name)) return '[\\s\\S]*?';
      names.add(name);
      return `(?<${name}>[\\s\\S]*?)`;
    })
    .join('');
  return new RegExp(`^${source}\\s*$`);
}

/** Why Tryton refused, with the field where its words tell. */
export function toRecordError(error: TrytonError, scope: ErrorScope): RecordError {
  const msg = error.message.trim();
  const errCode = error.kind;
  if (error.kind === 'ConcurrencyException') return { errCode, msg, field: null, class: 'conflict' };
  if (error.kind === 'Exception') return { errCode, msg, ...explainRaw(msg, scope) };
  for (const kind of scope.patterns) {
    const groups = kind.pattern.exec(msg);
    if (groups === null) continue;
    const field = locate(groups.groups?.['field'], groups.groups?.['model'], scope);
    return withCode(
      { errCode, msg, field: kind.class === 'inUse' ? null : field, class: kind.class },
      kind.code,
    );
  }
  const isUnique = /\bunique\b|\buniek\b|already exist|bestaat al/i.test(msg);
  const field = findMentioned(msg, scope);
  return isUnique
    ? { errCode, msg, field, class: 'unique', code: 4900 }
    : { errCode, msg, field, class: 'validation' };
}

function withCode(error: RecordError, code: ValidationCode | undefined): RecordError {
  return code === undefined ? error : { ...error, code };
}

/** The field with this label; of several the one that was written. */
function pick(ids: readonly string[] | undefined, scope: ErrorScope): string | null {
  if (ids === undefined) return null;
  const written = ids.filter((id) => scope.written.has(id));
  if (written.length === 1) return written[0] ?? null;
  return ids.length === 1 ? (ids[0] ?? null) : null;
}

const key = (text: string): string => text.replaceAll('"', '').trim().toLowerCase();

function locate(label: string | undefined, model: string | undefined, scope: ErrorScope): string | null {
  if (label === undefined) return null;
  const own = pick(scope.labels.get(key(label)), scope);
  if (model === undefined || scope.modelNames.has(key(model))) return own;
  // A value that Tryton keeps elsewhere (a price per company) is named by that model, under the same label.
  if (own !== null && scope.written.has(own)) return own;
  const lists = scope.lists.filter((list) => list.modelNames.has(key(model)) && list.labels.has(key(label)));
  if (lists.length === 1) return lists[0]?.field ?? null;
  // Neither this model nor a known one: the link of a list, when only one list was written.
  return scope.lists.length === 1 ? (scope.lists[0]?.field ?? null) : null;
}

/** Messages of modules name fields in their own words: the longest label that occurs as words of its own. */
function findMentioned(msg: string, scope: ErrorScope): string | null {
  const text = msg.toLowerCase();
  const labels = [...scope.labels.keys()].filter((label) => label.length > 2 && !scope.modelNames.has(label));
  const isMentioned = (label: string) => {
    const at = text.indexOf(label);
    return at >= 0 && !/[\p{L}\d]/u.test(`${text[at - 1] ?? ''}${text[at + label.length] ?? ''}`);
  };
  const mentioned = labels.filter(isMentioned).toSorted((a, b) => b.length - a.length);
  for (const label of mentioned) {
    const field = pick(scope.labels.get(label), scope);
    if (field !== null && (scope.written.size === 0 || scope.written.has(field))) return field;
  }
  return null;
}

/** Errors of the database, which Tryton passes on as they are. */
function explainRaw(msg: string, scope: ErrorScope): Pick<RecordError, 'field' | 'class' | 'code'> {
  const max = /value too long for type character varying\((\d+)\)/.exec(msg)?.[1];
  if (max !== undefined) {
    const limit = Number(max);
    const tooLong = [...scope.written].filter((id) => {
      const value = scope.values[id];
      const size = scope.sizes.get(id);
      return typeof value === 'string' && value.length > limit && (size === undefined || size === limit);
    });
    const sized = tooLong.filter((id) => scope.sizes.has(id));
    const found = sized.length === 1 ? sized : tooLong;
    return { field: found.length === 1 ? (found[0] ?? null) : null, class: 'validation', code: 4102 };
  }
  if (/duplicate key value violates unique constraint/.test(msg)) {
    return { field: columnsOf(msg, scope), class: 'unique', code: 4900 };
  }
  if (/violates foreign key constraint/.test(msg)) {
    return { field: columnsOf(msg, scope), class: 'reference' };
  }
  const column = /null value in column "(\w+)"/.exec(msg)?.[1];
  if (column !== undefined)
    return { field: scope.written.has(column) ? column : null, class: 'validation', code: 4001 };
  // An unknown field is a KeyError: its name in quotes and nothing else.
  const name = /^'(\w+)'$/.exec(msg)?.[1];
  return { field: name !== undefined && scope.written.has(name) ? name : null, class: 'other' };
}

function columnsOf(msg: string, scope: ErrorScope): string | null {
  const columns = /Key \(([\w, ]+)\)=/.exec(msg)?.[1]?.split(', ') ?? [];
  return columns.find((column) => scope.written.has(column)) ?? null;
}

/** A refusal that says nothing about the data: the same call may work in a moment, and nothing was done. */
export function isPassing(error: TrytonError): boolean {
  return (
    error.kind === 'Exception' &&
    /could not serialize access|deadlock detected|could not obtain lock|lock timeout|too many (clients|connections)/i.test(
      error.message,
    )
  );
}
