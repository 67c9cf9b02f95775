import type { Value } from '@sluice/contract';
import { fileKindOfBase64 } from '../file-kind.ts';
import type { Column } from './types.ts';

/** Content in base64: a known kind of file, or a long text of nothing else. A word of eight letters is none. */
function isBase64(value: Value): boolean {
  if (typeof value !== 'string' || value.length % 4 !== 0) return false;
  if (value.length < 32 && fileKindOfBase64(value) === null) return false;
  return /^[A-Za-z0-9+/]+={0,2}$/.test(value);
}

/** MAP-17: are some of the values content in base64 and others not? Empty ones do not count. */
export function isMixedBase64(values: Column): boolean {
  let [some, others] = [false, false];
  for (const value of values) {
    if (value === null || value === '') continue;
    if (isBase64(value)) some = true;
    else others = true;
    if (some && others) return true;
  }
  return false;
}
