import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DialogFooter } from '../../ui/dialog-footer.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import type { DuplicateColumn } from './duplicates-model.ts';

/** Most fields of a comparison. */
const MOST = 10;

/** Which fields have to be the same for two records to be duplicates. */
export const FieldsDialog = ({
  columns,
  chosen,
  onClose,
  onChoose,
}: {
  columns: readonly DuplicateColumn[];
  chosen: readonly string[];
  onClose: () => void;
  onChoose: (fields: readonly string[]) => void;
}) => {
  const { t } = useTranslation();
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set(chosen));
  const toggle = (id: string, is: boolean): void => {
    const next = new Set(picked);
    if (is) next.add(id);
    else next.delete(id);
    setPicked(next);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('duplicates.chooseFields')}
      footer={
        <DialogFooter
          onClose={onClose}
          action={{
            label: t('common.apply'),
            isDisabled: picked.size === 0 || picked.size > MOST,
            onClick: () => onChoose(columns.map((column) => column.id).filter((id) => picked.has(id))),
          }}
        />
      }
    >
      <div className="dup-fields">
        {columns.map((column) => (
          <label key={column.id} className="swt">
            <input
              type="checkbox"
              className="cbx"
              checked={picked.has(column.id)}
              onChange={(event) => toggle(column.id, event.target.checked)}
            />
            {column.name}
          </label>
        ))}
      </div>
    </Dialog>
  );
};
