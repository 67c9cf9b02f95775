import type { Value } from '@sluice/contract';
import type { ReadRecord } from '@sluice/adapter-kit';
import { checkValue, dependenciesOf, validateFields } from '@sluice/mapping';
import { copyText } from '../../platform/copy.ts';
import type { Column, PgType } from './model.ts';
import { textOfValue } from './model.ts';

/** An error in received data: `r` the raw value where it could not be stored, `c` the broken rule. */
export interface BadValue {
  r?: Value;
  c?: number;
  p?: Record<string, Value>;
}

export type CopyEncoder = (record: ReadRecord) => string;

/**
 * Makes lines of COPY's text format: `k, ver, bad, f…` in the order of the columns. Values of the wrong type become
 * null and are kept raw in `bad`; values that break a rule are stored and named there.
 */
export function copyEncoder(columns: readonly Column[]): CopyEncoder {
  const encoders = columns.map((column) => fastEncoder(column.pgType));
  const ruled = columns.filter(({ field }) => hasRules(field));
  const isFine = ruled.map(({ field }) => quickCheck(field));
  const fnoOf = new Map(columns.map(({ path, fno }) => [path, fno]));

  // Of one record after the other: a text that grows part by part leaves ten times as much behind to clean up.
  const cells = ['', '', '', ...columns.map(() => '')];

  return (record) => {
    const { values } = record;
    let bad: Record<string, BadValue> | null = null;
    for (let index = 0; index < columns.length; index += 1) {
      const column = columns[index] as Column;
      const value = values[column.path];
      let cell = '\\N';
      if (value !== null && value !== undefined && value !== '') {
        const fast = encoders[index]?.(value);
        if (fast !== undefined && fast !== null) cell = fast;
        else {
          const checked = checkValue(column.field, value);
          if (checked.isOk) {
            const text = textOfValue(column.pgType, checked.value);
            if (text !== null) cell = copyText(text);
          } else {
            bad ??= {};
            bad[column.fno] = { r: value };
          }
        }
      }
      cells[index + 3] = cell;
    }
    for (let index = 0; index < ruled.length; index += 1) {
      const { field, path } = ruled[index] as Column;
      if (isFine[index]?.(values[path] ?? null)) continue;
      for (const violation of validateFields([field], (id) => values[id], { isNew: false })) {
        const fno = fnoOf.get(violation.field.replace(/\[.*$/, ''));
        if (fno === undefined || bad?.[fno]) continue;
        bad ??= {};
        bad[fno] = { c: violation.code, p: violation.params };
      }
    }
    cells[0] = copyText(record.key);
    cells[1] = record.version === null ? '\\N' : copyText(record.version);
    cells[2] = bad ? copyText(JSON.stringify(bad)) : '\\N';
    return `${cells.join('\t')}\n`;
  };
}

const unescapes: Record<string, string> = { '\\\\': '\\', '\\t': '\t', '\\n': '\n', '\\r': '\r' };

/** The texts of such a line, for a statement that takes arrays. */
export function textsOfLine(line: string): (string | null)[] {
  return line
    .slice(0, -1)
    .split('\t')
    .map((text) =>
      text === '\\N'
        ? null
        : text.includes('\\')
          ? text.replace(/\\[\\tnr]/g, (escaped) => unescapes[escaped] ?? escaped)
          : text,
    );
}

function hasRules(field: Column['field']): boolean {
  return (
    field.isMandatory ||
    field.validations.some((rule) => rule.code !== 4900) ||
    (field.options?.length ?? 0) > 0 ||
    field.format === 'url' ||
    field.mandatoryIf !== undefined ||
    dependenciesOf(field).length > 0
  );
}

const quickRules = new Set([4001, 4102, 4200, 4201, 4900]);

/**
 * Says at once of most values that they break no rule of their field: asking all rules of every value would take as
 * long as storing it. Null for fields whose rules are not that simple.
 */
function quickCheck(field: Column['field']): ((value: Value) => boolean) | null {
  const isSimple =
    field.validations.every(({ code }) => quickRules.has(code)) &&
    field.format !== 'url' &&
    field.mandatoryIf === undefined &&
    field.children === undefined &&
    dependenciesOf(field).length === 0;
  if (!isSimple) return null;
  const limit = (code: number, name: 'min' | 'max'): number[] =>
    field.validations.filter((rule) => rule.code === code).map(({ params }) => Number(params[name]));
  const longest = Math.min(...limit(4102, 'max'));
  const greatest = Math.min(...limit(4200, 'max'));
  const smallest = Math.max(...limit(4201, 'min'));
  const isOptional = !field.isMandatory && field.validations.every(({ code }) => code !== 4001);
  const options =
    field.options && field.options.length > 0
      ? new Set<Value>(field.options.map(({ value }) => value))
      : null;
  return (value) => {
    if (value === null || value === '') return isOptional;
    if (options && !options.has(value)) return false;
    // UTF-16 units are at least as many as the characters that the rule counts.
    if (typeof value === 'string')
      return value.length <= longest && greatest === Infinity && smallest === -Infinity;
    if (typeof value === 'number') return value <= greatest && value >= smallest;
    return typeof value === 'boolean';
  };
}

/** Dates without 29, 30 and 31, moments in UTC with seconds: what needs no look at the calendar. */
const plainDate = /^(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/;
const plainMoment =
  /^(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const plainUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The common case of each type without the full check; null sends the value to `checkValue`. */
function fastEncoder(pgType: PgType): ((value: Value) => string | null) | undefined {
  switch (pgType) {
    case 'text':
      return (value) => (typeof value === 'string' && !value.includes('\u0000') ? copyText(value) : null);
    case 'bigint':
      return (value) =>
        typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? String(value) : null;
    case 'double precision':
    case 'numeric':
      return (value) => (typeof value === 'number' && Number.isFinite(value) ? String(value) : null);
    case 'boolean':
      return (value) => (value === true ? 't' : value === false ? 'f' : null);
    case 'date':
      return (value) => (typeof value === 'string' && plainDate.test(value) ? value : null);
    case 'timestamptz':
      return (value) => (typeof value === 'string' && plainMoment.test(value) ? value : null);
    case 'uuid':
      return (value) => (typeof value === 'string' && plainUuid.test(value) ? value : null);
    default:
      return undefined;
  }
}
