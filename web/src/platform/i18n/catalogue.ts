import type { connectorsPartEn } from './connectors-part-en.ts';
import type { en } from './en.ts';
import type { managePartEn } from './manage-part-en.ts';
import type { startEn } from './start-en.ts';
import type { transferEn } from './transfer-en.ts';

/** Every section and every key of texts, whatever the words. */
export type Widen<T> = { readonly [S in keyof T]: { readonly [K in keyof T[S]]: string } };
/** All texts in a language: what the code may ask for. */
export type Catalogue = Widen<
  typeof startEn & typeof en & typeof connectorsPartEn & typeof managePartEn & typeof transferEn
>;
/** Some sections of it. */
export type Texts = Partial<Catalogue>;
/**
 * Texts that are loaded together: what every page needs, what is behind the log-in, import and export, the connectors'
 * screens with the mapping editor, and the dashboard with what looks after systems and people.
 */
export type TextsPart = 'start' | 'inside' | 'transfer' | 'connectors' | 'manage';
