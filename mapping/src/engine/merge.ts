import { parseTemplate } from './functions/text-patterns.ts';

export interface MergePattern {
  literals: readonly string[];
  /** Indexes of the merge sources (from 0) between the literals. */
  indexes: readonly number[];
}

export type MergeResult =
  | { isOk: true; pattern: MergePattern; unused: number[] }
  | { isOk: false; code: 'openBrace' | 'mergeNumber'; name: string };

/** `{1} {2}` of so many sources (decisions Q-MAP-04); an unused source is no fault. */
export function parseMerge(text: string, sources: number): MergeResult {
  const parsed = parseTemplate(text);
  if (!parsed) return { isOk: false, code: 'openBrace', name: '' };
  const indexes: number[] = [];
  for (const name of parsed.names) {
    const number = /^\d{1,4}$/.test(name) ? Number(name) : 0;
    if (number < 1 || number > sources) return { isOk: false, code: 'mergeNumber', name };
    indexes.push(number - 1);
  }
  const used = new Set(indexes);
  const unused = Array.from({ length: sources }, (_, index) => index).filter((index) => !used.has(index));
  return { isOk: true, pattern: { literals: parsed.literals, indexes }, unused };
}
