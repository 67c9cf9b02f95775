import type { Action, ActionMetadata } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/dialog.tsx';
import { compareContents } from './compare.ts';
import { Differences } from './differences.tsx';
import { type Content, contentOf } from './draft.ts';
import { ScrollArea } from './scroll-area.tsx';

/** Somebody else saved meanwhile: both versions, and whose counts. */
export const ConflictDialog = ({
  before,
  mine,
  theirs,
  metadata,
  isSaving,
  onMine,
  onTheirs,
  onClose,
}: {
  /** What both began with. */
  before: Content;
  mine: Content;
  theirs: Action;
  metadata: ActionMetadata;
  isSaving: boolean;
  onMine: () => void;
  onTheirs: () => void;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const others = compareContents(before, contentOf(theirs), metadata).length;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width={880}
      title={t('mapping.conflictTitle')}
      subtitle={t('mapping.conflictText', { count: others })}
      footer={
        <>
          <button type="button" className="btn lg" onClick={onClose}>
            {t('mapping.conflictStay')}
          </button>
          <span className="sp" />
          <button type="button" className="btn lg" onClick={onTheirs}>
            {t('mapping.conflictTheirs')}
          </button>
          <button type="button" className="btn lg primary" disabled={isSaving} onClick={onMine}>
            {t('mapping.conflictMine')}
          </button>
        </>
      }
    >
      <ScrollArea className="mp-root mp-dlg" label={t('mapping.conflictTitle')}>
        <Differences
          differences={compareContents(contentOf(theirs), mine, metadata)}
          beforeLabel={t('mapping.theirVersion')}
          afterLabel={t('mapping.myVersion')}
        />
      </ScrollArea>
    </Dialog>
  );
};
