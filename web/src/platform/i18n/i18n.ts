import { type NumberFormat, formatNumber } from '@sluice/mapping';
import i18next, { type FormatterModule } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { type Catalogue, en } from './en.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Catalogue };
    returnNull: false;
  }
}

export type Language = 'EN' | 'NL';
const STORAGE_KEY = 'sluice.language';

const isLanguage = (value: string | null | undefined): value is Language => value === 'EN' || value === 'NL';

/** EN, or NL when that is the browser's first language; a choice made here before comes first. */
const startLanguage = (): Language => {
  const stored = localStorage.getItem(STORAGE_KEY);
  if (isLanguage(stored)) return stored;
  return navigator.language.toLowerCase().startsWith('nl') ? 'NL' : 'EN';
};

export const currentLanguage = (): Language => (i18next.language === 'nl' ? 'NL' : 'EN');

const load = async (language: Language): Promise<void> => {
  if (language === 'NL' && !i18next.hasResourceBundle('nl', 'translation')) {
    const { nl } = await import('./nl.ts');
    i18next.addResourceBundle('nl', 'translation', nl);
  }
};

/** Switches texts, the page's language and what calls ask for. */
export const setLanguage = async (language: Language): Promise<void> => {
  await load(language);
  await i18next.changeLanguage(language.toLowerCase());
  document.documentElement.lang = language.toLowerCase();
  localStorage.setItem(STORAGE_KEY, language);
};

let numberFormat: NumberFormat = 'dotSeparated';

/** How numbers in texts are written from now on. */
export const setNumberFormat = (format: NumberFormat): void => {
  numberFormat = format;
};

/** A number as the user writes numbers, for where it stands without a text. */
export const numeral = (value: number): string => formatNumber(value, numberFormat);

/** Whoever hands a number to a text need not think of grouping it. */
const numbersInTexts: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value: unknown) => (typeof value === 'number' ? numeral(value) : (value as string)),
};

export const startI18n = async (): Promise<void> => {
  await i18next
    .use(initReactI18next)
    .use(numbersInTexts)
    .init({
      lng: 'en',
      fallbackLng: 'en',
      resources: { en: { translation: en } },
      interpolation: { escapeValue: false, alwaysFormat: true },
    });
  await setLanguage(startLanguage());
};

export const t = i18next.t.bind(i18next);
