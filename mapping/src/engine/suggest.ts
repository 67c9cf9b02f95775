import type { FieldDescriptor, Value } from '@sluice/contract';
import { leafFields } from '../values.ts';
import { canConvert } from './chain-types.ts';
import { typeOfField } from './convert.ts';
import { t } from './functions/define.ts';
import type { Column, Texts } from './types.ts';

export interface Suggestion {
  targetField: string;
  sourceField: string;
  /** 0 to 1; below 0.5 nothing is suggested. */
  score: number;
  reason: Texts;
}

/** Words that mean the same, Dutch and English; the first stands for all. */
const synonyms: readonly string[][] = [
  ['name', 'naam', 'title', 'titel'],
  ['first', 'voor', 'given', 'roep'],
  ['last', 'achter', 'family', 'sur'],
  ['company', 'bedrijf', 'firma', 'organisation', 'organization', 'organisatie', 'onderneming'],
  ['customer', 'klant', 'client', 'debtor', 'debiteur', 'party', 'relatie', 'afnemer'],
  ['supplier', 'leverancier', 'vendor', 'creditor', 'crediteur'],
  ['postcode', 'zip', 'zipcode', 'postalcode', 'postal', 'plz'],
  ['city', 'plaats', 'stad', 'woonplaats', 'town', 'gemeente'],
  ['street', 'straat', 'straatnaam', 'address1', 'addressline'],
  ['number', 'nummer', 'nr', 'no', 'num', 'code', 'nbr'],
  ['house', 'huis'],
  ['country', 'land'],
  ['address', 'adres'],
  ['phone', 'telefoon', 'tel', 'telephone', 'mobile', 'mobiel', 'gsm'],
  ['email', 'mail', 'emailadres', 'emailaddress', 'epost'],
  ['price', 'prijs', 'tarief', 'rate'],
  ['amount', 'bedrag', 'total', 'totaal', 'sum'],
  ['quantity', 'aantal', 'qty', 'hoeveelheid'],
  ['date', 'datum', 'day', 'dag'],
  ['created', 'aangemaakt', 'since', 'sinds', 'gemaakt'],
  ['changed', 'gewijzigd', 'updated', 'modified', 'bijgewerkt'],
  ['description', 'omschrijving', 'beschrijving', 'desc'],
  ['note', 'notitie', 'opmerking', 'comment', 'remark', 'memo'],
  ['vat', 'btw', 'tax', 'belasting'],
  ['currency', 'valuta', 'munt'],
  ['language', 'taal', 'lang', 'locale'],
  ['bank', 'iban', 'rekening', 'account'],
  ['product', 'artikel', 'item', 'article', 'sku'],
  ['order', 'bestelling', 'opdracht'],
  ['invoice', 'factuur'],
  ['delivery', 'levering', 'shipping', 'verzending', 'bezorg'],
  ['blocked', 'geblokkeerd', 'inactive', 'inactief'],
  ['active', 'actief', 'enabled'],
  ['weight', 'gewicht'],
  ['discount', 'korting'],
  ['gender', 'geslacht', 'sex'],
  ['birth', 'geboorte'],
  ['website', 'url', 'site', 'web'],
  ['group', 'groep', 'category', 'categorie'],
  ['reference', 'referentie', 'ref', 'kenmerk'],
  ['id', 'key', 'sleutel', 'uuid', 'guid'],
];
const meaning = new Map(synonyms.flatMap((words) => words.map((word) => [word, words[0] ?? word] as const)));
const ending = [...meaning.keys()].filter((word) => word.length >= 3).sort((a, b) => b.length - a.length);

/** Words of a name: at capitals, digits and signs; long ones also where two known words were written as one. */
function wordsOf(name: string): string[] {
  const plain = name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase();
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    if (meaning.has(word)) return [meaning.get(word) ?? word];
    const last = ending.find((known) => word.length > known.length + 1 && word.endsWith(known));
    if (!last) return [word];
    const first = word.slice(0, -last.length);
    return [meaning.get(first) ?? first, meaning.get(last) ?? last];
  });
}

const plainName = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/** Names with what is before their last dot left out too: `billing.city` is a city. */
const namesOf = (field: FieldDescriptor): string[] => [
  field.name,
  field.id,
  field.id.split('.').at(-1) ?? field.id,
];

interface Match {
  score: number;
  reason: Texts;
}

function nameMatch(source: FieldDescriptor, target: FieldDescriptor): Match | null {
  let best: Match | null = null;
  const better = (score: number, reason: Texts): void => {
    if (best === null || score > best.score) best = { score, reason };
  };
  for (const left of namesOf(source)) {
    for (const right of namesOf(target)) {
      if (plainName(left) === plainName(right) && plainName(left) !== '')
        better(left === source.id.split('.').at(-1) ? 0.92 : 0.95, t('the same name', 'dezelfde naam'));
      const [a, b] = [new Set(wordsOf(left)), new Set(wordsOf(right))];
      const shared = [...a].filter((word) => b.has(word));
      const size = new Set([...a, ...b]).size;
      if (shared.length === 0) continue;
      if (shared.length === size)
        better(0.85, t('names that mean the same', 'namen die hetzelfde betekenen'));
      else
        better(
          (0.75 * shared.length) / size,
          t(`both about '${shared.join(' ')}'`, `beide over '${shared.join(' ')}'`),
        );
    }
  }
  return best;
}

const forms: readonly { form: RegExp; word: string; reason: Texts }[] = [
  {
    form: /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
    word: 'email',
    reason: t('the values are e-mail addresses', 'de waarden zijn e-mailadressen'),
  },
  {
    form: /^[1-9]\d{3} ?[A-Za-z]{2}$/,
    word: 'postcode',
    reason: t('the values are postcodes', 'de waarden zijn postcodes'),
  },
  {
    form: /^[A-Z]{2}\d{2}[A-Z]{4}\d{6,}$/,
    word: 'bank',
    reason: t('the values are IBANs', 'de waarden zijn IBANs'),
  },
  {
    form: /^\+?[\d\s()-]{9,}$/,
    word: 'phone',
    reason: t('the values are phone numbers', 'de waarden zijn telefoonnummers'),
  },
];

/** What sample values tell: options that they are, or a form that the target's name asks for. */
function sampleMatch(samples: Column, target: FieldDescriptor): Match | null {
  const present = samples.filter((value): value is Exclude<Value, null> => value !== null && value !== '');
  if (present.length === 0) return null;
  if (target.options && target.options.length > 0) {
    const options = new Set<Value>(target.options.map((option) => option.value));
    const share = present.filter((value) => options.has(value)).length / present.length;
    return share > 0.8
      ? {
          score: 0.7,
          reason: t('the values are options of the field', 'de waarden zijn opties van het veld'),
        }
      : null;
  }
  const words = new Set(namesOf(target).flatMap(wordsOf));
  for (const { form, word, reason } of forms) {
    if (!words.has(word)) continue;
    const share =
      present.filter((value) => typeof value === 'string' && form.test(value)).length / present.length;
    if (share > 0.8) return { score: 0.75, reason };
  }
  return null;
}

function matchOf(source: FieldDescriptor, target: FieldDescriptor, samples: Column): Match | null {
  const isFitting = typeOfField(target).endsWith('[]')
    ? typeOfField(source).endsWith('[]')
    : canConvert(typeOfField(source), target.dataType ?? 'string');
  if (!isFitting) return null;
  const [name, sample] = [nameMatch(source, target), sampleMatch(samples, target)];
  if (!name) return sample;
  const isSameType = typeOfField(source) === typeOfField(target);
  const score = Math.min(1, name.score + (isSameType ? 0.03 : 0) + (sample ? 0.1 : 0));
  if (!sample) return { score, reason: name.reason };
  return {
    score,
    reason: t(`${name.reason.EN}, and ${sample.reason.EN}`, `${name.reason.NL}, en ${sample.reason.NL}`),
  };
}

/**
 * Source fields for target fields that have no mapping yet, the best first; each field once. Names count most (words in
 * both languages), then types, then sample values.
 */
export function suggestMappings(
  sourceFields: readonly FieldDescriptor[],
  targetFields: readonly FieldDescriptor[],
  samples: Readonly<Record<string, Column>> = {},
): Suggestion[] {
  const sources = leafFields(sourceFields);
  const candidates = leafFields(targetFields)
    .filter((target) => !target.isReadOnly && target.dataType !== 'unknown')
    .flatMap((target) =>
      sources.flatMap((source): Suggestion[] => {
        const match = matchOf(source, target, samples[source.id] ?? []);
        if (!match || match.score < 0.5) return [];
        return [{ targetField: target.id, sourceField: source.id, ...match }];
      }),
    )
    .sort((a, b) => b.score - a.score || (a.targetField < b.targetField ? -1 : 1));
  const [usedTargets, usedSources] = [new Set<string>(), new Set<string>()];
  return candidates.filter(({ targetField, sourceField }) => {
    if (usedTargets.has(targetField) || usedSources.has(sourceField)) return false;
    usedTargets.add(targetField);
    usedSources.add(sourceField);
    return true;
  });
}
