import type { bulkCommandSchema, FieldError } from '@sluice/contract';
import { calculateDecimal, checkValue } from '@sluice/mapping';
import type { z } from 'zod';
import { AppError } from '../../platform/errors.ts';
import { type Column, textOfValue } from '../cache/model.ts';
import { currentTexts, type LockedRow } from '../pending/apply.ts';
import { type CellTexts, textsOfChanges, throwFaults } from '../pending/changes.ts';
import { columnAt } from '../records/column-at.ts';
import type { CollectionContext } from '../records/context.ts';
import { readCandidates, type Replacer } from './replace.ts';
import { skip } from './skips.ts';
import { type Done, editableRows, isFree, type Part, stageCells } from './stage.ts';

export type Command = z.output<typeof bulkCommandSchema>;
type CommandOf<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

const ridOfRow = (row: LockedRow | number): number => (typeof row === 'number' ? row : row.rid);

/** The values of a `set` as texts; fields that are read-only always are left out and counted by their number. */
export function parseSet(
  { model }: CollectionContext,
  { changes }: CommandOf<'set'>,
): { texts: CellTexts; readOnly: number } {
  const faults: Omit<FieldError, 'message'>[] = [];
  const texts = textsOfChanges(model, changes, { place: 'command.changes.', isNew: true }, faults);
  const isClosed = ({ params }: (typeof faults)[number]): boolean => params.key === 'field.readOnly';
  throwFaults(faults.filter((fault) => !isClosed(fault)));
  return { texts, readOnly: faults.filter(isClosed).length };
}

export async function setValues(
  part: Part,
  { texts, readOnly }: { texts: CellTexts; readOnly: number },
): Promise<Done> {
  const { model } = part.context;
  const wanted = new Map<number, CellTexts>();
  const columns = [...texts.keys()].flatMap((fno) => model.byFno.get(fno) ?? []);
  let asked = 0;
  for (const row of editableRows(part)) {
    skip(part.skips, 'readOnlyField', readOnly);
    const locked = typeof row === 'number' ? undefined : row;
    const free = columns.filter((column) => isFree(part, locked, column));
    asked += free.length;
    // Mostly all of them: then all rows share one map.
    const own =
      free.length === columns.length
        ? texts
        : new Map(free.map(({ fno }) => [fno, texts.get(fno) ?? null] as const));
    if (own.size > 0) wanted.set(ridOfRow(row), own);
  }
  return await stageCells(part, 'batchEdit', wanted, asked);
}

/** The columns of a `calculate`, all of them numbers. */
export function numberColumns({ model }: CollectionContext, command: CommandOf<'calculate'>): Column[] {
  const columns = [...new Set(command.fields)].map((path) => columnAt(model, path, 'command.fields'));
  const wrong = columns.filter(({ pgType }) => !['bigint', 'numeric', 'double precision'].includes(pgType));
  if (wrong.length > 0) {
    throw new AppError('VALIDATION', {
      fields: wrong.map(({ path }) => ({ field: path, code: null, params: { key: 'bulk.notNumeric' } })),
    });
  }
  return columns;
}

export async function calculateValues(
  part: Part,
  columns: readonly Column[],
  { calculation: { operator, operand, roundTo } }: CommandOf<'calculate'>,
): Promise<Done> {
  return await rewriteCells(part, 'calculate', columns, (column, old) => {
    const result = calculateDecimal(old, operator, operand, roundTo);
    if (result === null) return 'incompatible';
    const isWhole = column.pgType === 'bigint';
    if (isWhole && !/^-?\d+$/.test(result)) return 'incompatible';
    const checked = checkValue(column.field, isWhole ? Number(result) : result);
    return checked.isOk ? { text: textOfValue(column.pgType, checked.value) } : 'incompatible';
  });
}

export async function replaceTexts(part: Part, replacer: Replacer): Promise<Done> {
  const candidates = await readCandidates(part.tx, part.context.model, replacer, [
    ...part.clean,
    ...part.pending.keys(),
  ]);
  return await rewriteCells(
    part,
    'replace',
    replacer.columns,
    (column, old) => replacer.replace(column, old),
    candidates,
  );
}

type Rewritten = { text: string | null } | 'incompatible' | null;

/** Each cell's new text out of its old one; null = it is not meant. Empty cells stay empty. */
async function rewriteCells(
  part: Part,
  kind: string,
  columns: readonly Column[],
  rewrite: (column: Column, old: string) => Rewritten,
  known?: ReadonlyMap<number, ReadonlyMap<number, string | null>>,
): Promise<Done> {
  const { tx, context } = part;
  const editable = editableRows(part);
  const current =
    known ??
    (await currentTexts(
      tx,
      context.model,
      editable.map(ridOfRow),
      columns.map(({ fno }) => fno),
    ));
  const wanted = new Map<number, Map<number, string | null>>();
  const used = new Set<number>();
  let asked = 0;
  for (const row of editable) {
    const rid = ridOfRow(row);
    const locked = typeof row === 'number' ? undefined : row;
    for (const column of columns) {
      const old = current.get(rid)?.get(column.fno) ?? null;
      const next = old === null ? null : rewrite(column, old);
      if (next === null || !isFree(part, locked, column)) continue;
      if (next === 'incompatible') {
        skip(part.skips, 'incompatible');
        continue;
      }
      asked += 1;
      used.add(column.fno);
      const texts = wanted.get(rid) ?? new Map<number, string | null>();
      wanted.set(rid, texts.set(column.fno, next.text));
    }
  }
  // Rows of the same fields are written by one statement: what is not meant is repeated as it is.
  for (const rid of part.clean) {
    const texts = wanted.get(rid);
    for (const fno of texts ? used : [])
      if (!texts?.has(fno)) texts?.set(fno, current.get(rid)?.get(fno) ?? null);
  }
  return await stageCells(part, kind, wanted, asked);
}
