import { type NumberFormat, formatNumber } from '@sluice/mapping';
import i18next, { type FormatterModule } from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Catalogue, Texts, TextsPart } from './catalogue.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Catalogue };
    returnNull: false;
  }
}

export type Language = 'EN' | 'NL';
const STORAGE_KEY = 'sluice.language';

const isLanguage = (value: string | null | undefined): value is Language => value === 'EN' || value === 'NL';

/** A choice made here, or what the user chose elsewhere; else NL when that is the browser's first language. */
const startLanguage = async (users: Promise<Language | null>): Promise<Language> => {
  const stored = localStorage.getItem(STORAGE_KEY);
  if (isLanguage(stored)) return stored;
  return (await users) ?? (navigator.language.toLowerCase().startsWith('nl') ? 'NL' : 'EN');
};

export const currentLanguage = (): Language => (i18next.language === 'nl' ? 'NL' : 'EN');

/** Only what is needed is loaded: the texts of one language, and those of the connectors with their screens. */
const files: Record<TextsPart, Record<Language, () => Promise<Texts>>> = {
  start: {
    EN: async () => (await import('./start-en.ts')).startEn,
    NL: async () => (await import('./start-nl.ts')).startNl,
  },
  inside: {
    EN: async () => (await import('./en.ts')).en,
    NL: async () => (await import('./nl.ts')).nl,
  },
  transfer: {
    EN: async () => (await import('./transfer-en.ts')).transferEn,
    NL: async () => (await import('./transfer-nl.ts')).transferNl,
  },
  connectors: {
    EN: async () => (await import('./connectors-part-en.ts')).connectorsPartEn,
    NL: async () => (await import('./connectors-part-nl.ts')).connectorsPartNl,
  },
  manage: {
    EN: async () => (await import('./manage-part-en.ts')).managePartEn,
    NL: async () => (await import('./manage-part-nl.ts')).managePartNl,
  },
};

const parts = new Set<TextsPart>(['start']);
const loaded = new Set<string>();

const load = async (part: TextsPart, language: Language): Promise<void> => {
  if (loaded.has(`${part} ${language}`)) return;
  i18next.addResourceBundle(language.toLowerCase(), 'translation', await files[part][language](), true);
  loaded.add(`${part} ${language}`);
};

/** Until then nobody knows which language it will be. */
const languageKnown = Promise.withResolvers<void>();

/** The language that the page has, or is being switched to. */
let chosen: Language = 'EN';
let isStarted = false;

/** Loads more texts, from now on in every language that is chosen. */
export const loadTexts = async (part: TextsPart): Promise<void> => {
  await languageKnown.promise;
  parts.add(part);
  // A switch that has begun has asked for its texts already, and not for these.
  await Promise.all([load(part, chosen), isStarted ? load(part, currentLanguage()) : null]);
};

/** Loads the code of a screen together with the texts that only such screens need. */
export const withTexts =
  <T>(load: () => Promise<T>, ...parts: TextsPart[]) =>
  async (): Promise<T> => {
    const [module] = await Promise.all([load(), ...parts.map(loadTexts)]);
    return module;
  };

/** Switches texts, the page's language and what calls ask for. */
export const setLanguage = async (language: Language): Promise<void> => {
  chosen = language;
  await Promise.all([...parts].map(async (part) => await load(part, language)));
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

/** `users`: the language of who is logged in, waited for only where none was chosen in this browser. */
export const startI18n = async (users: Promise<Language | null>): Promise<void> => {
  await i18next
    .use(initReactI18next)
    .use(numbersInTexts)
    .init({
      lng: 'en',
      fallbackLng: 'en',
      resources: {},
      interpolation: { escapeValue: false, alwaysFormat: true },
    });
  chosen = await startLanguage(users);
  languageKnown.resolve();
  await setLanguage(chosen);
  isStarted = true;
};

export const t = i18next.t.bind(i18next);
