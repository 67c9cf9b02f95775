import type { CopyReply } from '@sluice/contract';
import { t } from '../../platform/i18n/i18n.ts';

/** What became of a copy (ACT-10, ACT-11). */
export const copyResult = ({ copied, total }: Pick<CopyReply, 'copied' | 'total'>): string => {
  if (total === 0) return t('connectors.noActionsToCopy');
  if (copied === 0) return t('connectors.copiedNone');
  return copied < total
    ? t('connectors.copiedSome', { copied, total })
    : t('connectors.copiedAll', { count: copied });
};

/** The actions that were left out, each with why; empty where there are none. */
export const skippedWords = ({ skipped }: Pick<CopyReply, 'skipped'>): string =>
  skipped.length === 0
    ? ''
    : `${t('connectors.willNotCopy')}: ${skipped
        .map(({ name, reason }) => {
          const why = reason === 'copyNotAllowed' ? 'connectors.copyNotAllowed' : 'actions.fieldsMissing';
          return `${name} (${t(why)})`;
        })
        .join(', ')}`;
