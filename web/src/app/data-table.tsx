import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { showResults, shownResults } from '../features/push/push-progress.ts';
import { TableScreen } from '../features/records/table-screen.tsx';
import type { TableSession } from '../features/records/table-session.ts';
import type { ChosenRecords } from '../grid/chosen-rows.ts';
import { cellText } from '../grid/format-value.ts';
import { errorText } from '../platform/call.ts';
import { useStore } from '../platform/store.ts';
import { toast } from '../ui/toasts.tsx';
import { AttributeSwitch } from './attribute-switch.tsx';
import { TitleTools } from './title-tools.tsx';
import { lazyPart, loadPartsSoon } from '../ui/lazy-part.tsx';

const DiscardDialog = lazyPart(
  async () => (await import('../features/push/discard-dialog.tsx')).DiscardDialog,
);
const HistoryDialog = lazyPart(
  async () => (await import('../features/history/history-dialog.tsx')).HistoryDialog,
);
const PushDialog = lazyPart(async () => (await import('../features/push/push-dialog.tsx')).PushDialog);
const ResultsDialog = lazyPart(
  async () => (await import('../features/push/results-dialog.tsx')).ResultsDialog,
);

const cardContext = (table: TableSession) => ({
  columns: new Map(table.grid.columns.map((column) => [column.id, column])),
  settings: table.grid.settings,
  systemName: table.metadata.systemName,
  me: table.me,
});

/** A record of the table as a person knows it. */
const labelOf = ({ grid, metadata }: TableSession, id: string): string => {
  const position = grid.store.positionOf(id);
  const texts = [metadata.labelField, ...metadata.keyFields].map((field) => {
    const column = grid.columns.find((one) => one.id === field);
    const value = column && position !== null ? grid.store.valueAt(position, column.id) : null;
    return column ? cellText(value, column.field, grid.settings).main : '';
  });
  return texts.filter(Boolean).join(', ');
};

/** The table of a collection with the dialogs of the other features over it. */
export const DataTable = ({
  collection,
  title,
  where,
  systemName,
  domainAcronym,
  viewId,
  runId,
  pushId,
  attribute,
}: {
  collection: string;
  title: string;
  where: string;
  systemName: string;
  domainAcronym: string | undefined;
  /** A saved view that the address asks for. */
  viewId: string | undefined;
  /** A run of a connector whose changes the address asks for. */
  runId: string | undefined;
  /** A push whose results the address asks for. */
  pushId: string | undefined;
  /** Of an attribute collection: its path, and the attribute shown. */
  attribute: { base: string; id: string } | null;
}) => {
  const navigate = useNavigate();
  const results = useStore(shownResults);
  useEffect(loadPartsSoon, []);
  useEffect(() => {
    if (pushId !== undefined)
      showResults({ collection, title, systemName }, pushId)
        .catch((error: unknown) => toast('error', errorText(error)))
        // Asked for again it shows again.
        .finally(() => void navigate({ to: '.', search: ({ push: _, ...rest }) => rest, replace: true }));
  }, [pushId, collection, title, systemName, navigate]);
  const listPath = `/data/${collection}`;
  const openForm = (id: string, field: string | null = null): void =>
    void navigate({
      to: `${listPath}/${encodeURIComponent(id)}/edit`,
      search: field === null ? {} : { field },
    });
  /** Records of a push that may go again. */
  const [again, setAgain] = useState<ChosenRecords | null>(null);
  const [historyOf, setHistoryOf] = useState<string | null>(null);
  const review = (
    table: TableSession,
    selection: ChosenRecords,
    onClose: () => void,
    onShow: (id: string, field: string | null) => void,
  ) => (
    <PushDialog
      collection={collection}
      title={title}
      where={where}
      isProduction={table.metadata.isProduction}
      context={cardContext(table)}
      selection={selection}
      onClose={onClose}
      onShow={onShow}
      onChanged={() => table.catchUp()}
      heard={table.state}
    />
  );
  return (
    <TableScreen
      collection={collection}
      title={title}
      systemName={systemName}
      domainAcronym={domainAcronym}
      isSavedView={viewId !== undefined}
      onOpenForm={openForm}
      onHistory={setHistoryOf}
      onCopyForm={(id) => void navigate({ to: `${listPath}/new`, search: { copyFrom: id } })}
      renderTitle={(table, onShow) => (
        <TitleTools
          table={table}
          collection={collection}
          title={title}
          where={where}
          viewId={viewId}
          runId={runId}
          onShow={onShow}
        >
          {attribute ? <AttributeSwitch base={attribute.base} attributeId={attribute.id} /> : null}
        </TitleTools>
      )}
      renderPush={review}
      renderDiscard={(table, selection, onClose) => (
        <DiscardDialog
          collection={collection}
          title={title}
          where={where}
          context={cardContext(table)}
          selection={selection}
          onClose={onClose}
          onShow={onClose}
          onDiscard={(lists) => table.discard(lists)}
          onUndone={() => {
            table.grid.store.reset();
            table.catchUp(false);
          }}
        />
      )}
      renderResults={(table, onShow) => (
        <>
          {results ? (
            <ResultsDialog
              nameOf={(of, field) =>
                (of === collection && table.grid.columns.find((column) => column.id === field)?.name) || field
              }
              onShow={(of, id, field) =>
                of === collection
                  ? onShow(id, field)
                  : void navigate({ to: `/data/${of}/${encodeURIComponent(id)}/edit` })
              }
              onReview={(ids) => setAgain({ ids, isMeant: true })}
            />
          ) : null}
          {again
            ? review(
                table,
                again,
                () => setAgain(null),
                (id, field) => {
                  setAgain(null);
                  onShow(id, field);
                },
              )
            : null}
          {historyOf === null ? null : (
            <HistoryDialog
              collection={collection}
              id={historyOf}
              label={labelOf(table, historyOf)}
              columns={table.grid.columns}
              settings={table.grid.settings}
              systemName={systemName}
              me={table.me}
              onClose={() => setHistoryOf(null)}
            />
          )}
        </>
      )}
    />
  );
};
