import type { Locale, PendingOperation } from '@sluice/contract';
import { text } from '../../platform/texts.ts';
import type { CollectionModel } from '../cache/model.ts';

/** What a push left with a record, as it is stored: our own findings in English, the external system's as they came. */
type Told = Pick<PendingOperation['pushErrors'][number], 'errCode' | 'msg' | 'field'>;

/** Our own findings in the reader's language; the external system's words as they are. */
export function wordsOf(error: Told, model: CollectionModel, locale: Locale): string {
  const name = error.field === null ? '' : (model.byPath.get(error.field)?.field.name ?? error.field);
  switch (error.errCode) {
    case 'NOT_TAKEN_OVER':
      return text(locale, 'push.dropped', { fields: name });
    case 'CHANGED_IN_EXTERNAL_SYSTEM':
      // A record may have changed as a whole.
      return text(locale, 'push.changedExternally', { fields: name }).replace(/: $/, '');
    case 'NOT_FOUND':
      return error.msg === text('EN', 'push.gone') ? text(locale, 'push.gone') : error.msg;
    case 'OUTCOME_UNKNOWN':
      return error.msg.replace(text('EN', 'push.unknownOutcome'), text(locale, 'push.unknownOutcome'));
    default:
      return error.msg;
  }
}
