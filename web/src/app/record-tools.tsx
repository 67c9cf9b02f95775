import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { HistoryDialog } from '../features/history/history-dialog.tsx';
import type { FormatSettings } from '../grid/format-value.ts';
import type { GridColumn } from '../grid/types.ts';
import { currentUser } from '../platform/session.ts';
import { Icon } from '../ui/icons.tsx';

/** What other features offer about the record of a form. */
export const RecordTools = ({
  collection,
  id,
  label,
  columns,
  settings,
  systemName,
}: {
  collection: string;
  id: string;
  label: string;
  columns: readonly GridColumn[];
  settings: FormatSettings;
  systemName: string;
}) => {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="btn" onClick={() => setOpen(true)}>
        <Icon name="clock" />
        {t('history.open')}
      </button>
      {isOpen ? (
        <HistoryDialog
          collection={collection}
          id={id}
          label={label}
          columns={columns}
          settings={settings}
          systemName={systemName}
          me={currentUser()?.user.internalId ?? ''}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
};
