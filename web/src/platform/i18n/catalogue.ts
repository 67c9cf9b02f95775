import type { connectorsEn } from './connectors-en.ts';
import type { en } from './en.ts';
import type { mappingEn } from './mapping-en.ts';

/** Every section and every key of texts, whatever the words. */
export type Widen<T> = { readonly [S in keyof T]: { readonly [K in keyof T[S]]: string } };
/** All texts in a language: what the code may ask for. */
export type Catalogue = Widen<typeof en & typeof connectorsEn & typeof mappingEn>;
/** Some sections of it. */
export type Texts = Partial<Catalogue>;
/** Texts that are loaded together: what every screen needs, and the connectors' screens with the mapping editor. */
export type TextsPart = 'core' | 'connectors';
