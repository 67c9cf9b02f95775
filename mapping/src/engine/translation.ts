import type { Scalar, TranslationTable, Value } from '@sluice/contract';
import { textOf, convertScalar } from './convert.ts';

export interface CompiledTable {
  /** The key of a value, or null where it is none of the table's input type. */
  keyOf(value: Value): string | null;
  byKey: ReadonlyMap<string, Value>;
  defaultValue: Value;
  /** Row numbers (from 0) of faults, for the editor. */
  problems: { row: number; code: 'duplicateKey' | 'invalidKey' | 'invalidValue'; value: Scalar }[];
}

/**
 * Compiles the rows to a Map (decisions Q-TRANS-01): keys are compared exactly after conversion to the input type, so
 * that 10 and 10.0 are one number and a date-time matches its day. Of two rows with one key the first holds.
 */
export function compileTable(table: TranslationTable, zone: string): CompiledTable {
  const keyOf = (value: Value): string | null => {
    const converted = convertScalar(value, table.inputType, zone);
    return converted.isOk ? textOf(converted.value) : null;
  };
  const byKey = new Map<string, Value>();
  const problems: CompiledTable['problems'] = [];
  table.rows.forEach(({ key: given, value }, row) => {
    const key = keyOf(given);
    const converted = convertScalar(value, table.returnType, zone);
    if (key === null) problems.push({ row, code: 'invalidKey', value: given });
    else if (byKey.has(key)) problems.push({ row, code: 'duplicateKey', value: given });
    if (!converted.isOk) problems.push({ row, code: 'invalidValue', value });
    if (key !== null && !byKey.has(key) && converted.isOk) byKey.set(key, converted.value);
  });
  const fallback = convertScalar(table.defaultValue, table.returnType, zone);
  return { keyOf, byKey, defaultValue: fallback.isOk ? fallback.value : null, problems };
}
