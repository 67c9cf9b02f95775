import type { Value } from '@sluice/contract';
import type { Column } from './types.ts';

/** Beginnings of files in base64, of kinds that people send along. */
const beginnings: readonly [start: string, type: string][] = [
  ['JVBERi0', 'application/pdf'],
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['SUkqA', 'image/tiff'],
  ['TU0AK', 'image/tiff'],
  ['UEsDB', 'application/zip'],
  ['0M8R4KGxGuE', 'application/x-ole-storage'],
  ['PD94bWwg', 'application/xml'],
];

/** The type of a file in base64 by how it begins; null = "File type not recognized" (MAP-18). */
export function fileTypeOf(base64: string): string | null {
  return beginnings.find(([start]) => base64.startsWith(start))?.[1] ?? null;
}

/** Content in base64: a known kind of file, or a long text of nothing else. A word of eight letters is none. */
function isBase64(value: Value): boolean {
  if (typeof value !== 'string' || value.length % 4 !== 0) return false;
  if (fileTypeOf(value) === null && value.length < 32) return false;
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
