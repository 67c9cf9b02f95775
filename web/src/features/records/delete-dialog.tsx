import { useTranslation } from 'react-i18next';
import type { Chosen } from '../../grid/chosen-rows.ts';
import { Dialog } from '../../ui/dialog.tsx';
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
    <Dialog
      isOpen
      onClose={onClose}
      title={t('table.deleteTitle', { count: chosen.count })}
      footer={
        <>
          <span className="sp" />
          <button type="button" className="btn lg" onClick={onClose}>
            {t('common.cancel')}
          </button>
          <button
            type="button"
            className="btn primary lg"
            data-autofocus
            onClick={() => {
              void deleteChosen(table, chosen);
              onClose();
            }}
          >
            {t('common.delete')}
          </button>
        </>
      }
    >
      <p style={{ padding: '0 20px 20px' }}>{t('table.deleteText', { system: table.metadata.systemName })}</p>
    </Dialog>
  );
};
