import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { addRows } from '../../grid/actions.ts';
import { type Chosen, type ChosenRecords, chosenRows } from '../../grid/chosen-rows.ts';
import type { CellAt } from '../../grid/types.ts';
import type { MountedGrid } from '../../grid/view/mount.ts';
import type { MenuPlace } from '../../grid/view/pointer-targets.ts';
import { ApiError, errorText } from '../../platform/call.ts';
import { addShortcut, isMod } from '../../platform/shortcuts.ts';
import { useStore } from '../../platform/store.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { MenuAt, type MenuEntry } from '../../ui/popup-menu.tsx';
import { toast } from '../../ui/toasts.tsx';
import { autosizeColumns, keepArrangement, moveColumns, restoreArrangement } from './arrangement.ts';
import { canChoose, clearChosen } from './bulk-actions.ts';
import { tellFault } from './bulk-run.ts';
import { chosenPending } from './chosen-pending.ts';
import { FilterPopover } from './filter-popover.tsx';
import { FindBar } from './find-bar.tsx';
import { GridHost } from './grid-host.tsx';
import { Legend, TableFooter } from './legend-footer.tsx';
import { JobStrip } from './job-strip.tsx';
import { isNarrowed, nextSort, wholeTable } from './read-columns.ts';
import { Frame, ReadAt } from './table-frame.tsx';
import { type MenuActions, type MenuContext, cellMenu, headerMenu, rowMenu } from './table-menus.ts';
import { TableGuard } from './table-guard.tsx';
import type { TableSession } from './table-session.ts';
import { TableSkeleton } from './table-skeleton.tsx';
import { Toolbar } from './toolbar.tsx';
import { useSavedTable } from './use-saved-table.ts';
import { useTable } from './use-table.ts';
import { NotCachedYet } from './waiting.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';

const BatchEditDialog = lazyPart(async () => (await import('./batch-edit-dialog.tsx')).BatchEditDialog);
const DeleteDialog = lazyPart(async () => (await import('./delete-dialog.tsx')).DeleteDialog);
const OpenArray = lazyPart(async () => (await import('./open-array.tsx')).OpenArray);

export interface TableScreenProps {
  collection: string;
  title: string;
  systemName: string;
  domainAcronym: string | undefined;
  /** A saved view is in use: its columns are its own, until somebody saves them there. */
  isSavedView: boolean;
  /** `fieldId`: where the form begins. */
  onOpenForm: (id: string, fieldId?: string | null) => void;
  /** What happened to a record. */
  onHistory: (id: string) => void;
  onCopyForm: (id: string) => void;
  /** Dialogs of other features over this table. */
  renderPush: (
    table: TableSession,
    selection: ChosenRecords,
    onClose: () => void,
    onShow: (id: string, fieldId: string | null) => void,
  ) => ReactNode;
  renderResults: (table: TableSession, onShow: (id: string, fieldId: string | null) => void) => ReactNode;
  renderDiscard: (table: TableSession, selection: ChosenRecords, onClose: () => void) => ReactNode;
  /** What other features put beside the title. */
  renderTitle: (table: TableSession, onShow: (id: string, fieldId: string | null) => void) => ReactNode;
}

/** `/data/…/{resource}`: the table of a collection. */
export const TableScreen = (props: TableScreenProps) => {
  const { collection, title, systemName, domainAcronym } = props;
  const opening = useTable(collection, systemName, props.isSavedView);
  usePageTitle(title);
  if (opening.status === 'failed') {
    const { error } = opening;
    if (error instanceof ApiError && error.code === 'NOTHING_CACHED_YET') {
      return (
        <Frame title={title}>
          <NotCachedYet
            collection={collection}
            title={title}
            systemName={systemName}
            onReady={opening.retry}
          />
        </Frame>
      );
    }
    return <ErrorView error={error} domain={domainAcronym} />;
  }
  if (opening.status === 'loading') {
    return (
      <Frame title={title}>
        <div className="tools" />
        <TableSkeleton />
      </Frame>
    );
  }
  return <OpenTable {...props} table={opening.table} />;
};

const READ_ONLY = {
  noRight: 'table.readOnlyNoRight',
  domainInactive: 'table.readOnlyInactive',
  externalSystem: 'table.readOnlyExternal',
} as const;

type Overlay =
  | { kind: 'menu'; place: MenuPlace; entries: readonly MenuEntry[] }
  | { kind: 'filter'; columnId: string | null; at: { x: number; y: number } }
  | { kind: 'array'; at: CellAt }
  | { kind: 'delete' | 'batchEdit'; chosen: Chosen }
  | { kind: 'push' | 'discard'; selection: ChosenRecords };

const OpenTable = ({
  table,
  title,
  isSavedView,
  onOpenForm,
  onHistory,
  onCopyForm,
  renderPush,
  renderDiscard,
  renderResults,
  renderTitle,
}: TableScreenProps & { table: TableSession }) => {
  const { t } = useTranslation();
  const { grid, metadata } = table;
  const { view } = useStore(table.state);
  const [mounted, setMounted] = useState<MountedGrid | null>(null);
  useSavedTable(table, mounted);
  const findField = useRef<HTMLInputElement>(null);
  const leaveTarget = useRef<HTMLButtonElement>(null);
  const [isFindOpen, setFindOpen] = useState(false);
  const [overlay, setOverlay] = useState<Overlay | null>(null);
  // A low window (a zoomed one) belongs to the records.
  const [isLegendOpen, setLegendOpen] = useState(() => window.innerHeight >= 520);
  const [, update] = useState(0);
  const close = useCallback(() => {
    setOverlay(null);
    mounted?.focus();
  }, [mounted]);

  useEffect(() => {
    restoreArrangement(grid, metadata.tableId);
    return grid.subscribe((event) => {
      if (event === 'total' || event === 'layout' || event === 'error') update((count) => count + 1);
    });
  }, [grid, metadata.tableId]);
  const openFind = useCallback((): void => {
    setFindOpen(true);
    table.finder.begin();
    findField.current?.select();
  }, [table]);
  useEffect(
    () =>
      addShortcut({
        matches: (event) => isMod(event) && event.key.toLowerCase() === 'f',
        run: openFind,
      }),
    [openFind],
  );
  useEffect(() => {
    table.finder.showHitsBy((at) => mounted?.view.scrollToCell(at));
  }, [table, mounted]);

  const arranged = (): void => {
    if (!isSavedView) keepArrangement(grid, metadata.tableId);
    update((count) => count + 1);
  };
  const openSelection = (kind: 'push' | 'discard'): void => {
    chosenPending(table)
      .then((selection) => setOverlay({ kind, selection }))
      .catch((error: unknown) => tellFault(table, error));
  };
  const askDelete = (): void => {
    if ((!grid.canDelete && !grid.canInsert) || !canChoose(grid)) return;
    const chosen = chosenRows(grid);
    if (chosen.count === 0) grid.store.removeRows(chosen.draftIds);
    else if (grid.canDelete) setOverlay({ kind: 'delete', chosen });
  };
  const openBatchEdit = (): void => {
    if (!canChoose(grid)) return;
    const chosen = chosenRows(grid);
    if (chosen.count > 0) setOverlay({ kind: 'batchEdit', chosen });
    else toast('info', t('bulk.selectFirst'));
  };
  const showAdded = (): void => {
    requestAnimationFrame(() => {
      mounted?.view.scrollToCell(grid.selection.active);
      mounted?.focus();
    });
  };
  /** The record in the table when it is loaded; else its form, which always can be shown. */
  const showRow = (id: string, fieldId: string | null = null): void => {
    close();
    const row = grid.store.positionOf(id);
    if (row === null) {
      onOpenForm(id, fieldId);
      return;
    }
    const col = Math.max(
      0,
      grid.layout.columns.findIndex((column) => column.id === fieldId),
    );
    grid.selectAt({ row, col });
    mounted?.view.scrollToCell({ row, col });
  };
  const menuActions: MenuActions = {
    onFilter: (columnId, at) => setOverlay({ kind: 'filter', columnId, at }),
    onArranged: arranged,
    onDelete: askDelete,
    onBatchEdit: openBatchEdit,
    onClear: () => void clearChosen(table),
    onAdded: showAdded,
    onOpenForm,
    onHistory,
    onCopyForm,
  };
  const entriesFor = (place: MenuPlace): readonly MenuEntry[] => {
    if (!mounted) return [];
    const context: MenuContext = { table, mounted, actions: menuActions, t };
    if (place.kind === 'header') return headerMenu(context, place.at, place);
    return place.kind === 'row' ? rowMenu(context, place.at) : cellMenu(context, place.at);
  };

  const readOnly = metadata.readOnlyReason;
  const isEmpty = grid.store.isLoaded && grid.store.rowCount === 0 && !grid.store.isLoading;
  const { error } = grid.store;
  return (
    <Frame
      title={title}
      meta={
        <>
          <ReadAt table={table} />
          {renderTitle(table, showRow)}
        </>
      }
    >
      <Toolbar
        table={table}
        leaveTarget={leaveTarget}
        onFind={openFind}
        onBatchEdit={openBatchEdit}
        onFilter={(columnId, at) => setOverlay({ kind: 'filter', columnId, at })}
        onArranged={arranged}
        onAdded={showAdded}
        onPush={() => openSelection('push')}
        onDiscard={() => openSelection('discard')}
      />
      {isFindOpen ? (
        <FindBar
          table={table}
          field={findField}
          onClose={() => {
            setFindOpen(false);
            mounted?.focus();
          }}
        />
      ) : null}
      {readOnly ? (
        <output className="ro-line">
          <Icon name="lock" size="s" />
          {t(READ_ONLY[readOnly], { system: metadata.systemName })}
        </output>
      ) : null}
      {error ? (
        <p className="note-line bad" role="alert" style={{ borderRadius: 0 }}>
          <Icon name="danger" />
          {errorText(error)}
          <button type="button" className="link" onClick={() => grid.store.retry()}>
            {t('common.retry')}
          </button>
        </p>
      ) : null}
      <div className="gridwrap">
        <GridHost
          table={table}
          onMounted={setMounted}
          host={{
            label: title,
            onMenu: (place) => setOverlay({ kind: 'menu', place, entries: entriesFor(place) }),
            onDeleteRows: askDelete,
            onUndoDelete: (id) =>
              table.undoDelete(id).catch((fault: unknown) => toast('error', errorText(fault))),
            onOpenArray: (at) => setOverlay({ kind: 'array', at }),
            onResolve: (choice, id, field) =>
              table.resolve(id, field, choice).catch((fault: unknown) => toast('error', errorText(fault))),
            onColumnResized: arranged,
            onMoveColumns: (ids, before) => {
              moveColumns(grid, ids, before);
              arranged();
            },
            onAutosize: (ids) => {
              autosizeColumns(grid, ids, (col) => mounted?.view.fittingWidth(col) ?? 0);
              arranged();
            },
            onSortLevel: (id) => table.setView({ sort: nextSort(table.state.get().view.sort, id) }),
            onClear: () => void clearChosen(table),
            onFind: openFind,
            onLeave: () => leaveTarget.current?.focus(),
          }}
        />
        <JobStrip table={table} onStop={() => mounted?.focus()} />
        {isEmpty ? (
          <div className="over">
            {isNarrowed(view) ? (
              <EmptyState
                icon="filter"
                title={t('table.nothingMatches')}
                text={t('table.nothingMatchesText')}
              >
                <button
                  type="button"
                  className="btn"
                  onClick={() => table.setView({ filter: wholeTable.filter, search: null })}
                >
                  {t('table.clearFilter')}
                </button>
              </EmptyState>
            ) : (
              <EmptyState
                icon="table"
                title={t('table.emptyTitle')}
                text={t('table.emptyText', { system: metadata.systemName })}
              >
                {grid.canInsert ? (
                  <button
                    type="button"
                    className="btn primary"
                    onClick={() => {
                      addRows(grid, 1);
                      showAdded();
                    }}
                  >
                    <Icon name="plus" />
                    {t('table.emptyAdd')}
                  </button>
                ) : null}
              </EmptyState>
            )}
          </div>
        ) : null}
      </div>
      {isLegendOpen ? <Legend onHide={() => setLegendOpen(false)} /> : null}
      <TableFooter
        table={table}
        isLegendOpen={isLegendOpen}
        onShowLegend={() => setLegendOpen(true)}
        onShowReview={() => openSelection('push')}
      />
      <MenuAt
        at={overlay?.kind === 'menu' ? overlay.place : null}
        entries={overlay?.kind === 'menu' ? overlay.entries : []}
        onClose={() => setOverlay((now) => (now?.kind === 'menu' ? null : now))}
      />
      {overlay?.kind === 'filter' ? (
        <FilterPopover
          key={`${overlay.columnId}`}
          at={overlay.at}
          table={table}
          columnId={overlay.columnId}
          onClose={close}
        />
      ) : null}
      {overlay?.kind === 'array' ? <OpenArray table={table} at={overlay.at} onClose={close} /> : null}
      {overlay?.kind === 'delete' ? (
        <DeleteDialog table={table} chosen={overlay.chosen} onClose={close} />
      ) : null}
      {overlay?.kind === 'batchEdit' ? (
        <BatchEditDialog
          table={table}
          chosen={overlay.chosen}
          columnId={grid.columnAt(grid.selection.active.col)?.id ?? null}
          onClose={close}
        />
      ) : null}
      {overlay?.kind === 'push' ? renderPush(table, overlay.selection, close, showRow) : null}
      {overlay?.kind === 'discard' ? renderDiscard(table, overlay.selection, close) : null}
      {renderResults(table, showRow)}
      <TableGuard table={table} />
    </Frame>
  );
};
