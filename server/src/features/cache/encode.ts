import type { Value } from '@sluice/contract';
import type { ReadRecord } from '@sluice/adapter-kit';
import { checkValue, dependenciesOf, validateFields } from '@sluice/mapping';
import type { Column, PgType } from './model.ts';
import { textOfValue } from './model.ts';

const needsEscape = /[\\\t\n\r]/;
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escape(text: string): string {
  return needsEscape.test(text)
    ? text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character)
    : text;
}

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
  const ruledFields = ruled.map(({ field }) => field);
  const fnoOf = new Map(columns.map(({ path, fno }) => [path, fno]));

  return (record) => {
    const { values } = record;
    let bad: Record<string, BadValue> | null = null;
    let line = '';
    for (let index = 0; index < columns.length; index += 1) {
      const column = columns[index] as Column;
      const value = values[column.path];
      line += '\t';
      if (value === null || value === undefined || value === '') {
        line += '\\N';
        continue;
      }
      const fast = encoders[index]?.(value);
      if (fast !== undefined && fast !== null) {
        line += fast;
        continue;
      }
      const checked = checkValue(column.field, value);
      if (checked.isOk) {
        const text = textOfValue(column.pgType, checked.value);
        line += text === null ? '\\N' : escape(text);
      } else {
        bad ??= {};
        bad[column.fno] = { r: value };
        line += '\\N';
      }
    }
    if (ruledFields.length > 0) {
      for (const violation of validateFields(ruledFields, (id) => values[id], { isNew: false })) {
        const fno = fnoOf.get(violation.field.replace(/\[.*$/, ''));
        if (fno === undefined || bad?.[fno]) continue;
        bad ??= {};
        bad[fno] = { c: violation.code, p: violation.params };
      }
    }
    const version = record.version === null ? '\\N' : escape(record.version);
    return `${escape(record.key)}\t${version}\t${bad ? escape(JSON.stringify(bad)) : '\\N'}${line}\n`;
  };
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

/** The common case of each type without the full check; null sends the value to `checkValue`. */
function fastEncoder(pgType: PgType): ((value: Value) => string | null) | undefined {
  switch (pgType) {
    case 'text':
      return (value) => (typeof value === 'string' && !value.includes('\u0000') ? escape(value) : null);
    case 'bigint':
      return (value) =>
        typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? String(value) : null;
    case 'double precision':
    case 'numeric':
      return (value) => (typeof value === 'number' && Number.isFinite(value) ? String(value) : null);
    case 'boolean':
      return (value) => (value === true ? 't' : value === false ? 'f' : null);
    default:
      return undefined;
  }
}
