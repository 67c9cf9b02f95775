import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from './empty-state.tsx';
import { Icon } from './icons.tsx';
import { DialogFooter } from './dialog-footer.tsx';
import { SideDialog } from './side-dialog.tsx';
import './documentation.css';

/** Most characters of a note (decisions Q-DOC-01). */
const MAX_LENGTH = 20_000;

/** A note to read, and to write where that is allowed. Knows no server. */
export const NoteDialog = ({
  title,
  value,
  draft,
  isEditing,
  isSaving,
  canEdit,
  submitLabel,
  emptyText,
  byline,
  notice,
  onDraft,
  onEdit,
  onSave,
  onCancel,
  onClose,
}: {
  title: string;
  value: string;
  /** What is typed and not saved. */
  draft: string;
  isEditing: boolean;
  isSaving: boolean;
  canEdit: boolean;
  submitLabel?: string;
  /** Says to whom may write what a note is good for, while there is none. */
  emptyText: string;
  byline?: string | undefined;
  /** A failure, or another's text that came in between. */
  notice?: ReactNode;
  onDraft: (text: string) => void;
  onEdit: () => void;
  onSave: () => void;
  /** Back to reading, without what was typed. */
  onCancel: () => void;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const save = isSaving ? t('common.saving') : (submitLabel ?? t('common.save'));
  return (
    <SideDialog
      onClose={onClose}
      title={title}
      subtitle={byline}
      width={520}
      footer={
        <DialogFooter
          note={
            isEditing ? (
              <span className="mut tn">
                {t('documentation.length', { count: draft.length, max: MAX_LENGTH })}
              </span>
            ) : null
          }
          close={t(isEditing ? 'common.cancel' : 'common.close')}
          onClose={isEditing ? onCancel : onClose}
          action={
            isEditing
              ? {
                  label: (
                    <>
                      {isSaving ? <Icon name="spinner" size="spin" /> : null}
                      {save}
                    </>
                  ),
                  isDisabled: isSaving || draft === value,
                  onClick: onSave,
                }
              : canEdit
                ? {
                    label: (
                      <>
                        <Icon name="edit" />
                        {t('common.edit')}
                      </>
                    ),
                    onClick: onEdit,
                  }
                : null
          }
        />
      }
    >
      {notice}
      {isEditing ? (
        <textarea
          className="note-edit"
          aria-label={title}
          data-autofocus
          maxLength={MAX_LENGTH}
          readOnly={isSaving}
          value={draft}
          onChange={(event) => onDraft(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !isSaving) onSave();
          }}
        />
      ) : value === '' ? (
        <EmptyState icon="form" title={t('documentation.empty')} text={canEdit ? emptyText : undefined} />
      ) : (
        <div className="note-text">{value}</div>
      )}
    </SideDialog>
  );
};
