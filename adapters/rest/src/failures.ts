import type { ErrorClass, RecordError } from '@sluice/adapter-kit';
import type { FieldDescriptor } from '@sluice/contract';
import type { HttpAnswer } from '@sluice/adapter-kit/http';
import { at, parseJson, textAt } from './json.ts';
import type { AnswerClass, Errors } from './profile.ts';

/** One line of an error, classified by the profile's rules or else by its status. */
export interface Failure {
  code: string;
  message: string;
  field: string | null;
  class: AnswerClass;
  validation: RecordError['code'];
}

const longest = 500;

/** `{field} is required` as an expression: what stands at `{field}`, or null when the words differ. */
function match(template: string, message: string): { field: string | null } | null {
  const pattern = template
    .split(/(\{field\}|\{\*\})/)
    .map((part) => {
      if (part === '{*}') return '[^]*?';
      return part === '{field}'
        ? '(?<field>[\\w.-]+)'
        : part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
    })
    .join('');
  const found = new RegExp(`^${pattern}$`, 'i').exec(message.slice(0, longest));
  return found ? { field: found.groups?.['field'] ?? null } : null;
}

function classOf(status: number): AnswerClass {
  if (status === 400 || status === 422) return 'validation';
  if (status === 401) return 'auth';
  if (status === 403) return 'forbidden';
  if (status === 404 || status === 410) return 'notFound';
  if (status === 409) return 'conflict';
  if (status === 412 || status === 428) return 'stale';
  return status === 429 ? 'rate' : 'other';
}

const firstOf = (body: unknown, paths: readonly string[]): string | null => {
  for (const path of paths) {
    const text = textAt(body, path);
    if (text !== null) return text;
  }
  return null;
};

/** The field as the service names it (`/address/city`, `lines[0].price`), as an id of the collection. */
function fieldOf(fields: readonly FieldDescriptor[], name: string | null): string | null {
  if (name === null) return null;
  let id = name
    .replaceAll(/\[\d+\]|\/\d+(?=\/|$)/g, '')
    .replaceAll('/', '.')
    .replace(/^\.+|\.+$/g, '');
  for (;;) {
    const found =
      fields.find((field) => field.id === id) ?? fields.find((f) => f.id.toLowerCase() === id.toLowerCase());
    if (found) return found.id;
    if (!id.includes('.')) return null;
    id = id.slice(0, id.lastIndexOf('.'));
  }
}

/** The lines of an error body; at least one. */
export function failuresOf(
  errors: Errors,
  fields: readonly FieldDescriptor[],
  status: number,
  body: unknown,
): Failure[] {
  const list = errors.lines === undefined ? undefined : at(body, errors.lines);
  const lines: unknown[] = Array.isArray(list) && list.length > 0 ? list : [body];
  return lines.map((line): Failure => {
    const message =
      (typeof line === 'string' && line !== '' ? line : firstOf(line, errors.message)) ?? `HTTP ${status}`;
    const code = firstOf(line, errors.code) ?? `HTTP-${status}`;
    const told = firstOf(line, errors.field);
    for (const rule of errors.rules) {
      if (rule.status !== undefined && rule.status !== status) continue;
      if (rule.code !== undefined && rule.code !== code) continue;
      const words = rule.message === undefined ? { field: null } : match(rule.message, message);
      if (words === null) continue;
      const field = fieldOf(fields, words.field ?? told);
      return { code, message, field, class: rule.class, validation: rule.validation };
    }
    return { code, message, field: fieldOf(fields, told), class: classOf(status), validation: undefined };
  });
}

const ownClasses = new Set<AnswerClass>(['stale', 'duplicate', 'rate', 'auth']);

export const recordErrorOf = ({ code, message, field, class: kind, validation }: Failure): RecordError => ({
  errCode: code,
  msg: message,
  field,
  ...(validation === undefined ? {} : { code: validation }),
  class: ownClasses.has(kind) ? 'other' : (kind as ErrorClass),
});

/** The service's words about a failed call. */
export type Words = Pick<Failure, 'code' | 'message' | 'class'>;

export function wordsOf(errors: Errors, answer: HttpAnswer): Words {
  let body: unknown = null;
  try {
    body = parseJson(answer.text);
  } catch {
    // An error page of a server in between says nothing that we can show.
  }
  const [first] = failuresOf(errors, [], answer.status, body);
  return { code: first?.code ?? '', message: first?.message ?? '', class: first?.class ?? 'other' };
}

/** True for a 2xx whose body says that it failed. */
export const isHiddenFailure = (errors: Errors, body: unknown): boolean =>
  errors.isIn2xx && (firstOf(body, errors.message) ?? firstOf(body, errors.code)) !== null;
