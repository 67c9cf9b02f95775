import { fail } from '../errors.ts';
import { leaves } from '../model/model.ts';
import type { EntitySet, EdmType } from '../model/types.ts';
import { column, isExactDecimal, type SqlValue } from '../store.ts';

export interface Sql {
  sql: string;
  params: SqlValue[];
}

/** Either an SQL expression over a column, with its type, or a value that the client wrote. */
interface Operand extends Sql {
  type: EdmType | null;
}

const tokenPattern =
  /\s*(?:('(?:[^']|'')*')|(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d))|(\d{4}-\d\d-\d\d)(?![\dT])|(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)|([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([A-Za-z_][\w/.]*)|([(),]))/y;

type Token = {
  kind: 'text' | 'datetime' | 'date' | 'time' | 'guid' | 'number' | 'word' | 'mark';
  text: string;
};
const kinds: readonly Token['kind'][] = [
  'text',
  'datetime',
  'date',
  'time',
  'guid',
  'number',
  'word',
  'mark',
];

const bad = (what: string) => fail(400, 'BAD-FILTER', { what });

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 0;
  const end = source.trimEnd().length;
  while (tokenPattern.lastIndex < end) {
    const at = tokenPattern.lastIndex;
    const match = tokenPattern.exec(source);
    if (!match) throw bad(source.slice(at, at + 30));
    const group = match.findIndex((part, i) => i > 0 && part !== undefined);
    tokens.push({ kind: kinds[group - 1] ?? 'mark', text: match[group] ?? '' });
  }
  return tokens;
}

const comparisons: Record<string, string> = { eq: 'IS', ne: 'IS NOT', gt: '>', ge: '>=', lt: '<', le: '<=' };

/** Column of a property path; text search and comparison are on the stored form. */
export function columnOf(set: EntitySet, path: string): { sql: string; type: EdmType } {
  const leaf = leaves(set.fields).find((l) => l.path === path);
  if (!leaf || leaf.field.kind !== 'scalar') throw bad(path);
  const name = column(path);
  return { sql: isExactDecimal(leaf) ? `CAST(${name} AS REAL)` : name, type: leaf.field.type };
}

/** Compiles an OData `$filter` into a condition over the columns of the set. */
export function compileFilter(set: EntitySet, source: string): Sql {
  const tokens = tokenize(source);
  let at = 0;
  const peek = (text: string): boolean => tokens[at]?.text === text && tokens[at]?.kind !== 'text';
  const take = (text: string): void => {
    if (!peek(text)) throw bad(`${text} expected at '${tokens[at]?.text ?? 'the end'}'`);
    at++;
  };

  function or(): Sql {
    let left = and();
    while (peek('or')) {
      at++;
      const right = and();
      left = { sql: `(${left.sql} OR ${right.sql})`, params: [...left.params, ...right.params] };
    }
    return left;
  }
  function and(): Sql {
    let left = not();
    while (peek('and')) {
      at++;
      const right = not();
      left = { sql: `(${left.sql} AND ${right.sql})`, params: [...left.params, ...right.params] };
    }
    return left;
  }
  function not(): Sql {
    if (peek('not')) {
      at++;
      const inner = not();
      return { sql: `NOT (${inner.sql})`, params: inner.params };
    }
    if (peek('(')) {
      at++;
      const inner = or();
      take(')');
      return inner;
    }
    return comparison();
  }
  function comparison(): Sql {
    const left = operand();
    const word = tokens[at]?.kind === 'word' ? (tokens[at]?.text ?? '') : '';
    if (word === 'in') {
      at++;
      take('(');
      const values: Sql[] = [];
      do {
        values.push(fit(operand(), left.type));
        if (!peek(',')) break;
        at++;
      } while (at < tokens.length);
      take(')');
      return {
        sql: `${left.sql} IN (${values.map((v) => v.sql).join(', ')})`,
        params: [...left.params, ...values.flatMap((v) => v.params)],
      };
    }
    const operator = comparisons[word];
    if (operator === undefined) {
      if (left.type === 'Edm.Boolean') return { sql: `${left.sql} = 1`, params: left.params };
      throw bad(word || 'an operator is missing');
    }
    at++;
    const right = fit(operand(), left.type);
    return { sql: `${left.sql} ${operator} ${right.sql}`, params: [...left.params, ...right.params] };
  }
  function operand(): Operand {
    const token = tokens[at++];
    if (!token) throw bad('something is missing at the end');
    switch (token.kind) {
      case 'text':
        return { sql: '?', params: [token.text.slice(1, -1).replaceAll("''", "'")], type: null };
      case 'number':
        return { sql: '?', params: [Number(token.text)], type: null };
      case 'datetime':
        return { sql: '?', params: [new Date(token.text).toISOString()], type: null };
      case 'time':
        return { sql: '?', params: [token.text.length === 5 ? `${token.text}:00` : token.text], type: null };
      case 'guid':
        return { sql: '?', params: [token.text.toLowerCase()], type: null };
      case 'date':
        return { sql: '?', params: [token.text], type: null };
      case 'mark':
        throw bad(token.text);
      case 'word':
        if (token.text === 'null') return { sql: 'NULL', params: [], type: null };
        if (token.text === 'true' || token.text === 'false')
          return { sql: '?', params: [token.text === 'true' ? 1 : 0], type: null };
        if (peek('(')) return call(token.text);
        return { ...columnOf(set, token.text), params: [] };
    }
  }
  function call(name: string): Operand {
    take('(');
    const first = operand();
    if (name === 'tolower' || name === 'toupper') {
      take(')');
      return {
        sql: `${name === 'tolower' ? 'lower' : 'upper'}(${first.sql})`,
        params: first.params,
        type: 'Edm.String',
      };
    }
    take(',');
    const second = operand();
    take(')');
    const [a, b] = [first.sql, second.sql];
    const params = [...first.params, ...second.params];
    const type = 'Edm.Boolean';
    if (name === 'contains') return { sql: `(instr(${a}, ${b}) > 0)`, params, type };
    if (name === 'startswith') return { sql: `(instr(${a}, ${b}) = 1)`, params, type };
    if (name === 'endswith')
      return {
        sql: `(substr(${a}, -length(${b})) = ${b})`,
        params: [...first.params, ...second.params, ...second.params],
        type,
      };
    throw bad(`${name}()`);
  }

  const result = or();
  if (at < tokens.length) throw bad(tokens[at]?.text ?? '');
  return result;
}

/** A literal is compared in the stored form of the column's type. */
function fit(value: Operand, type: EdmType | null): Operand {
  if (value.type !== null || value.params.length !== 1) return value;
  const [raw] = value.params;
  if (type === 'Edm.String' && typeof raw === 'number') return { ...value, params: [String(raw)] };
  return value;
}
