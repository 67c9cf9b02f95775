import { useTranslation } from 'react-i18next';
import type { Chosen } from '../../grid/chosen-rows.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { deleteChosen } from './bulk-actions.ts';
import type { TableSession } from './table-session.ts';

/** Asks before chosen records become pending deletes. */
export const DeleteDialog = ({
  table,
  chosen,
  onClose,
}: {
  table: TableSession;
  chosen: Chosen;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  return (
    <ConfirmDialog
      title={t('table.deleteTitle', { count: chosen.count })}
      text={t('table.deleteText', { system: table.metadata.systemName })}
      yes={t('common.delete')}
      isYesFocused
      onNo={onClose}
      onYes={() => {
        void deleteChosen(table, chosen);
        onClose();
      }}
    />
  );
};
