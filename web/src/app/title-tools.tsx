import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PushesDialog } from '../features/push/pushes-dialog.tsx';
import type { TableSession } from '../features/records/table-session.ts';
import { record } from '../grid/undo.ts';
import { Icon } from '../ui/icons.tsx';
import { MenuButton } from '../ui/popup-menu.tsx';

/** What other features offer beside the title of a table. */
export const TitleTools = ({
  table,
  collection,
  title,
  where,
  onShow,
}: {
  table: TableSession;
  collection: string;
  title: string;
  where: string;
  viewId: string | undefined;
  onShow: (id: string, field: string | null) => void;
}) => {
  const { t } = useTranslation();
  const { grid, metadata } = table;
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [open, setOpen] = useState<'pushes' | null>(null);
  const close = (): void => setOpen(null);
  return (
    <>
      <span className="sp" />
      <MenuButton
        isOpen={isMenuOpen}
        onChange={setMenuOpen}
        entries={[{ label: t('review.pushesTitle'), icon: 'clock', onClick: () => setOpen('pushes') }]}
      >
        <button type="button" className="iconbtn" aria-label={t('table.more')} title={t('table.more')}>
          <Icon name="dots" />
        </button>
      </MenuButton>
      {open === 'pushes' ? (
        <PushesDialog
          collection={collection}
          title={title}
          where={where}
          systemName={metadata.systemName}
          settings={grid.settings}
          me={table.me}
          canUndo={metadata.readOnlyReason === null}
          nameOf={(field) => grid.columns.find((column) => column.id === field)?.name ?? field}
          onClose={close}
          onShow={(id, field) => {
            close();
            onShow(id, field);
          }}
          onUndone={(editId) => {
            if (editId) {
              grid.undoStack = record(grid.undoStack, editId);
              grid.emit('undo');
            }
            table.catchUp();
          }}
        />
      ) : null}
    </>
  );
};
