import { runFilterField } from '@sluice/contract/paths';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { viewQuery } from '../features/records/read-columns.ts';
import type { TableSession } from '../features/records/table-session.ts';
import { ViewsMenu } from '../features/views/views-menu.tsx';
import { withTexts } from '../platform/i18n/i18n.ts';
import { useStore } from '../platform/store.ts';
import { Icon } from '../ui/icons.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { MenuButton } from '../ui/popup-menu.tsx';
import { applyView, isAsSaved, rememberStep, shownView } from './table-glue.ts';

// Dialogs come when they are opened: the table itself stands sooner.
const TableDocumentation = lazyPart(
  async () => (await import('../features/documentation/table-documentation.tsx')).TableDocumentation,
);
const loadExportDialog = withTexts(() => import('../features/transfer/export-dialog.tsx'), 'transfer');
const ExportDialog = lazyPart(async () => (await loadExportDialog()).ExportDialog);
const loadImportDialog = withTexts(() => import('../features/transfer/import-dialog.tsx'), 'transfer');
const ImportDialog = lazyPart(async () => (await loadImportDialog()).ImportDialog);
const PushesDialog = lazyPart(async () => (await import('../features/push/pushes-dialog.tsx')).PushesDialog);

/** What other features offer beside the title of a table. */
export const TitleTools = ({
  table,
  collection,
  title,
  where,
  viewId,
  runId,
  children,
  onShow,
}: {
  table: TableSession;
  collection: string;
  title: string;
  where: string;
  viewId: string | undefined;
  runId: string | undefined;
  /** Stands first (the choice of an attribute). */
  children?: ReactNode;
  onShow: (id: string, field: string | null) => void;
}) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { grid, metadata } = table;
  const [isMenuOpen, setMenuOpen] = useState(false);
  // What is shown is compared with the saved view whenever it has become another.
  useStore(table.state);
  const [, update] = useState(0);
  useEffect(
    () =>
      grid.subscribe((event) => {
        if (event === 'layout') update((count) => count + 1);
      }),
    [grid],
  );
  const [open, setOpen] = useState<'pushes' | 'documentation' | 'import' | 'export' | null>(null);
  const close = (): void => setOpen(null);
  useEffect(() => {
    if (runId) table.setView({ filter: [{ field: runFilterField, operator: 'in', values: [runId] }] });
  }, [table, runId]);
  const listPath = `/data/${collection}`;
  return (
    <>
      <span className="sp" />
      {children}
      <ViewsMenu
        collection={collection}
        viewId={viewId}
        shown={() => shownView(table)}
        isAsSaved={(view) => isAsSaved(table, view)}
        onApply={(view) => applyView(table, view)}
        onChoose={(id) => void navigate({ to: listPath, search: id ? { view: id } : {}, replace: true })}
      />
      <button
        type="button"
        className="iconbtn"
        aria-label={t('documentation.button')}
        title={t('documentation.button')}
        onClick={() => setOpen('documentation')}
      >
        <Icon name="form" />
      </button>
      <MenuButton
        isOpen={isMenuOpen}
        onChange={setMenuOpen}
        entries={[
          { label: t('review.pushesTitle'), icon: 'clock', onClick: () => setOpen('pushes') },
          {
            label: t('duplicates.title'),
            icon: 'copy',
            onClick: () => void navigate({ to: `${listPath}/duplicates` }),
          },
          'divider',
          {
            label: t('table.importItem'),
            icon: 'up',
            isDisabled: !grid.canInsert && !grid.canUpdate,
            onClick: () => setOpen('import'),
          },
          { label: t('table.export'), icon: 'down', onClick: () => setOpen('export') },
        ]}
      >
        <button type="button" className="iconbtn" aria-label={t('table.more')} title={t('table.more')}>
          <Icon name="dots" />
        </button>
      </MenuButton>
      {open === 'import' ? (
        <ImportDialog
          collection={collection}
          tableId={metadata.tableId}
          title={title}
          grid={grid}
          keyFields={metadata.keyFields}
          onClose={close}
          onImported={(editId) => {
            if (editId) rememberStep(table, editId);
            grid.store.reset();
            table.catchUp(false);
          }}
        />
      ) : null}
      {open === 'export' ? (
        <ExportDialog
          collection={collection}
          title={title}
          view={viewQuery(table.state.get().view)}
          total={grid.store.total}
          shownColumns={grid.layout.columns.map(({ id }) => id)}
          onClose={close}
        />
      ) : null}
      {open === 'documentation' ? (
        <TableDocumentation
          collection={collection}
          title={title}
          formats={grid.settings.formats}
          onClose={close}
        />
      ) : null}
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
            if (editId) rememberStep(table, editId);
            table.catchUp();
          }}
        />
      ) : null}
    </>
  );
};
