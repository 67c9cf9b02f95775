import type { Locale } from '@sluice/contract';
import { en } from './locales/en.ts';
import { nl } from './locales/nl.ts';

/** A text of the catalogue, put into words in the language of whoever reads it. */
export interface StoredText {
  key: string;
  params?: Params;
}

/** A value in a text: itself a text of the catalogue, or words that come from elsewhere, in each language. */
type Param = string | number | StoredText | Record<Locale, string>;
export type Params = Record<string, Param>;

const catalogues: Record<Locale, Record<string, string>> = { EN: en, NL: nl };

const numerals = { EN: new Intl.NumberFormat('en'), NL: new Intl.NumberFormat('nl') };

/**
 * The text in that language with `{name}` filled in; of a `count` of one the text `{key}_one` where there is one. A key
 * that is not in the catalogue comes back as it is.
 */
export function text(locale: Locale, key: string, params: Params = {}): string {
  const own = catalogues[locale];
  const template =
    (params['count'] === 1 ? own[`${key}_one`] : undefined) ?? own[key] ?? catalogues.EN[key] ?? key;
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => shown(locale, params[name] ?? whole));
}

function shown(locale: Locale, param: Param): string {
  if (typeof param === 'number') return numerals[locale].format(param);
  if (typeof param !== 'object') return param;
  return 'key' in param ? text(locale, param.key, param.params) : param[locale];
}

/** EN or NL out of an Accept-Language header; EN when neither is asked for. */
export function localeOf(header: string | undefined): Locale {
  const first = (header ?? '').trim().slice(0, 2).toUpperCase();
  return first === 'NL' ? 'NL' : 'EN';
}
