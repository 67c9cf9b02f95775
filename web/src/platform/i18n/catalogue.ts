import type { connectorsPartEn } from './connectors-part-en.ts';
import type { en } from './en.ts';
import type { managePartEn } from './manage-part-en.ts';
import type { startEn } from './start-en.ts';

/** Every section and every key of texts, whatever the words. */
export type Widen<T> = { readonly [S in keyof T]: { readonly [K in keyof T[S]]: string } };
/** All texts in a language: what the code may ask for. */
export type Catalogue = Widen<typeof startEn & typeof en & typeof connectorsPartEn & typeof managePartEn>;
/** Some sections of it. */
export type Texts = Partial<Catalogue>;
/**
 * Texts that are loaded together: what every page needs, what is behind the log-in, the connectors' screens with the mapping editor, and what
 * looks after systems and people (with the plots of the dashboard).
 */
export type TextsPart = 'start' | 'inside' | 'connectors' | 'manage';
