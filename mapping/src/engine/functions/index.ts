import { codeFunctions } from './codes.ts';
import { formatFunctions } from './formats.ts';
import { conditionFunctions } from './conditions.ts';
import { datePartFunctions } from './date-parts.ts';
import { numberTextFunctions } from './number-text.ts';
import { characterFunctions } from './text-characters.ts';
import { searchFunctions } from './text-search.ts';
import { dateFunctions } from './dates.ts';
import { dateTextFunctions } from './date-text.ts';
import type { FunctionEntry } from './define.ts';
import { encodingFunctions } from './encoding.ts';
import { listFunctions } from './list.ts';
import { logicFunctions } from './logic.ts';
import { lookupFunctions } from './lookup.ts';
import { numberFunctions } from './number.ts';
import { patternFunctions } from './text-patterns.ts';
import { textFunctions } from './text.ts';

/** All transform functions, by group; adding one is adding its entry to its group's file. */
export const functions: readonly FunctionEntry[] = [
  ...textFunctions,
  ...searchFunctions,
  ...patternFunctions,
  ...characterFunctions,
  ...numberFunctions,
  ...numberTextFunctions,
  ...dateTextFunctions,
  ...dateFunctions,
  ...datePartFunctions,
  ...logicFunctions,
  ...conditionFunctions,
  ...listFunctions,
  ...encodingFunctions,
  ...formatFunctions,
  ...lookupFunctions,
  ...codeFunctions,
];

const byId = new Map(functions.map((entry) => [entry.id, entry]));

export const functionOf = (id: string): FunctionEntry | undefined => byId.get(id);
