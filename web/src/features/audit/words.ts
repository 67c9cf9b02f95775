import i18next from 'i18next';
import { numeral, t } from '../../platform/i18n/i18n.ts';

type Verb = 'auditVerb.session_login';
type Detail = 'auditDetail.name';

const isVerb = (key: string): key is Verb => i18next.exists(key);
const isDetail = (key: string): key is Detail => i18next.exists(key);

/** What somebody did, in words; a verb of a version that is gone stands as it was written. */
export const wordsOf = (verb: string): string => {
  const name = verb.replaceAll('.', '_');
  const key = `auditVerb.${name}`;
  return isVerb(key) ? t(key) : verb;
};

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value || '–';
  if (typeof value === 'number') return numeral(value);
  if (typeof value === 'boolean') return t(value ? 'common.yes' : 'common.no');
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) {
    const separator = value.some((item) => typeof item === 'object') ? '; ' : ', ';
    return value.map(textOf).join(separator) || '–';
  }
  const parts = Object.entries(value).map(([name, part]) => `${nameOf(name)}: ${textOf(part)}`);
  return parts.join(', ') || '–';
};

const nameOf = (name: string): string => {
  const key = `auditDetail.${name}`;
  return isDetail(key) ? t(key) : name;
};

/** The details of an entry, each with its name and its value in words. */
export const detailsOf = (details: Readonly<Record<string, unknown>>): { name: string; value: string }[] =>
  Object.entries(details).map(([name, value]) => ({ name: nameOf(name), value: textOf(value) }));
