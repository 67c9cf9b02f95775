import type { Value } from '@sluice/contract';
import {
  canonicalDecimal,
  checkValue,
  formatDate,
  formatDateTime,
  formatNumber,
  parseTableBoolean,
  parseTyped,
} from '@sluice/mapping';
import { AppError } from '../../platform/errors.ts';
import { arrays, type Db, type Sql, sql } from '../../platform/db.ts';
import {
  type CollectionModel,
  type Column,
  columnOf,
  tableOf,
  textOfValue,
  valueOfText,
} from '../cache/model.ts';
import { isReadOnly } from '../pending/changes.ts';
import { type FindTerms, matcherOf, numberTexts, patternOf, type Shown } from '../records/matching.ts';

/** One replacement: which columns it can concern, and what becomes of a cell. */
export interface Replacer {
  columns: readonly Column[];
  /** By column number, true for rows (alias `t`) that may have a hit in it; `replace` has the last word. */
  conditions: ReadonlyMap<number, Sql>;
  /** Null where the text is not in the cell. */
  replace(column: Column, old: string): { text: string | null } | 'incompatible' | null;
}

export function replacerOf(
  model: CollectionModel,
  terms: FindTerms,
  replacement: string,
  shown: Shown,
): Replacer {
  const matcher = matcherOf(model, terms, shown);
  // Lists are edited as lists, not as the text that they are stored as.
  const kept = matcher.columns.flatMap((column, index) =>
    column.pgType === 'jsonb' ? [] : [{ column, condition: matcher.conditions[index] ?? sql`false` }],
  );
  const patterns = new Map<string, RegExp>();
  const patternFor = (text: string): RegExp => {
    const known = patterns.get(text) ?? patternOf(terms, text);
    patterns.set(text, known);
    known.lastIndex = 0;
    return known;
  };
  return {
    columns: kept.map(({ column }) => column),
    conditions: new Map(kept.map(({ column, condition }) => [column.fno, condition])),
    replace: (column, old) => {
      const value = valueOfText(column.pgType, old);
      if (column.pgType === 'text') {
        const pattern = patternFor(terms.text);
        if (!pattern.test(old)) return null;
        return stored(
          column,
          checkValue(
            column.field,
            old.replace(patternFor(terms.text), () => replacement),
          ),
        );
      }
      if (column.pgType === 'boolean') {
        if (parseTableBoolean(terms.text) !== value) return null;
        const next = parseTableBoolean(replacement);
        if (replacement.trim() === '') return { text: null };
        return next === null ? 'incompatible' : { text: String(next) };
      }
      const form = formsOf(column, value, old, terms, shown).find(({ needle, text }) =>
        patternFor(needle).test(text),
      );
      if (!form) return null;
      const next = form.text.replace(patternFor(form.needle), () => replacement.trim());
      return form.isStored && next !== ''
        ? stored(column, checkValue(column.field, column.pgType === 'bigint' ? wholeOf(next) : next))
        : stored(column, parseTyped(column.field, next, shown));
    },
  };
}

function stored(
  column: Column,
  checked: { isOk: true; value: Value } | { isOk: false },
): { text: string | null } | 'incompatible' {
  return checked.isOk ? { text: textOfValue(column.pgType, checked.value) } : 'incompatible';
}

const wholeOf = (text: string): Value => (/^-?\d+$/.test(text) ? Number(text) : text);

/** The texts of a cell that a person may mean: as he sees it first, then as it is stored. */
function formsOf(
  { pgType, field }: Column,
  value: Value,
  old: string,
  { text }: FindTerms,
  { formats, timeZone }: Shown,
): { text: string; needle: string; isStored: boolean }[] {
  const typed = (shownAs: string) => ({ text: shownAs, needle: text, isStored: false });
  switch (pgType) {
    case 'bigint':
    case 'double precision':
    case 'numeric': {
      const plain = value as number | string;
      const scale = field.scale;
      const canonical = String(canonicalDecimal(String(plain)));
      return [
        typed(formatNumber(plain, formats.numberFormat, { scale, isGrouped: false })),
        typed(formatNumber(plain, formats.numberFormat, { scale })),
        ...numberTexts(text, formats).map((needle) => ({ text: canonical, needle, isStored: true })),
      ];
    }
    case 'date':
      return [typed(formatDate(old, formats.shortDate)), typed(old)];
    case 'timestamptz':
      return [typed(formatDateTime(String(value), formats.shortDate, timeZone)), typed(String(value))];
    default:
      return [typed(String(value))];
  }
}

/** The texts of the rows among these that may have a hit. */
export async function readCandidates(
  db: Db,
  model: CollectionModel,
  { columns, conditions }: Pick<Replacer, 'columns' | 'conditions'>,
  rids: readonly number[],
): Promise<Map<number, Map<number, string | null>>> {
  if (columns.length === 0 || rids.length === 0) return new Map();
  const where = columns.map(({ fno }) => conditions.get(fno) ?? sql`false`);
  const found = await arrays(
    db,
    sql`select t.rid, ${sql.join(columns.map(({ fno }) => sql`t.${columnOf(fno)}::text`))}
        from ${tableOf(model.collectionId)} t where t.rid = any(${rids}::int4[]) and (${sql.join(where, sql` or `)})`,
  );
  return new Map(
    found.map(([rid, ...texts]) => [
      rid as number,
      new Map(columns.map(({ fno }, index) => [fno, texts[index] as string | null])),
    ]),
  );
}

const checkedAtOnce = 20_000;

/**
 * A replacement that is no value of a column refuses the whole command before anything is changed (FILT-10), also in
 * parts that come later: every hit in a column that is not text is tried first.
 */
export async function refuseIncompatible(
  db: Db,
  model: CollectionModel,
  replacer: Replacer,
  rids: { total: number; part(from: number, size: number): number[] },
): Promise<void> {
  const typed = replacer.columns.filter((column) => column.pgType !== 'text' && !isReadOnly(column, true));
  if (typed.length === 0) return;
  const narrowed = { ...replacer, columns: typed };
  for (let from = 0; from < rids.total; from += checkedAtOnce) {
    const texts = await readCandidates(db, model, narrowed, rids.part(from, checkedAtOnce));
    for (const cells of texts.values()) {
      for (const column of typed) {
        const old = cells.get(column.fno) ?? null;
        if (old !== null && replacer.replace(column, old) === 'incompatible') throw incompatible(column);
      }
    }
  }
}

function incompatible({ path }: Column): AppError {
  const text = { key: 'bulk.incompatibleReplacement' };
  return new AppError('VALIDATION', { text, fields: [{ field: path, code: null, params: text }] });
}
