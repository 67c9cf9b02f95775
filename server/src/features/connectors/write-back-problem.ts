import { ExternalSystemError, type Outcome } from '@sluice/adapter-kit';
import type { FieldDescriptor, Locale } from '@sluice/contract';
import { leafFields } from '@sluice/mapping';
import { type RecordError, recordErrorText } from '@sluice/mapping/engine';
import { type StoredText, text } from '../../platform/texts.ts';
import { messageOf } from './runs/finish.ts';
import { shownParams } from './runs/wire.ts';

/** Why a record could not be written back to its source. */
export interface Problem {
  text: StoredText;
  /** Equal where it is the same that is wrong, whatever the record: by it people are told once. */
  sort: string;
}

const sortOf = (...parts: (string | null | undefined)[]): string => parts.filter(Boolean).join(' ');

const plain = (reason: string): StoredText =>
  reason === '' ? { key: 'run.message.noReason' } : { key: 'run.message.plain', params: { reason } };

/** What the source has against the new values of one record. */
export const rejection = (errors: Extract<Outcome, { state: 'rejected' }>['errors']): Problem => ({
  text: plain(errors.map(({ msg }) => msg).join(' ')),
  sort: [...new Set(errors.map((error) => sortOf(error.class, error.errCode, error.field)))].join('; '),
});

/** No answer about the record, or none that settles it: it is written once more. */
export const unanswered = (outcome: Outcome | undefined): Problem => ({
  text: outcome && 'reason' in outcome ? plain(outcome.reason) : { key: 'writeBack.noAnswer' },
  sort: outcome?.state ?? 'noAnswer',
});

/** Why nothing could be written to the source at all. */
export const problemOf = (error: unknown): Problem => ({
  text: messageOf(error) ?? { key: 'run.message.noReason' },
  sort: error instanceof ExternalSystemError ? sortOf(error.code, error.errCode) : nameOf(error),
});

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown');

/** Why a value could not be made, by the name of the field that it was for. */
export function mappingProblem(error: RecordError | undefined, fields: readonly FieldDescriptor[]): Problem {
  if (!error) return { text: { key: 'run.message.noReason' }, sort: 'mapping' };
  const field = leafFields(fields).find(({ id }) => id === error.targetField)?.name ?? error.targetField;
  const inWords = (locale: Locale): string =>
    recordErrorText(error, locale, (code, params) => text(locale, `validation.${code}`, shownParams(params)));
  return {
    text: { key: 'writeBack.mapping', params: { field, reason: { EN: inWords('EN'), NL: inWords('NL') } } },
    sort: sortOf('mapping', error.path, error.code),
  };
}
