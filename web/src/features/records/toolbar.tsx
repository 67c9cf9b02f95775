import { Popover } from '@mantine/core';
import { runFilterField } from '@sluice/contract/paths';
import { type RefObject, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { addRows } from '../../grid/actions.ts';
import { errorText } from '../../platform/call.ts';
import { keyCaps } from '../../platform/shortcuts.ts';
import { useStore } from '../../platform/store.ts';
import { Icon } from '../../ui/icons.tsx';
import { TextField } from '../../ui/fields.tsx';
import { useOverlay } from '../../ui/overlays.ts';
import { toast } from '../../ui/toasts.tsx';
import { ColumnsButton } from './columns-popover.tsx';
import { SearchChip } from './find-bar.tsx';
import { conditionText, operatorKey, takesMany } from './filter-operators.ts';
import type { TableSession } from './table-session.ts';

/** Most rows that can be added at a time (decisions Q-GRID-02). */
const MAX_ROWS = 1000;

/** The table shows what one run of a connector made. */
const RunChip = ({ table }: { table: TableSession }) => {
  const { t } = useTranslation();
  const { view } = useStore(table.state);
  const name = t('table.ofOneRun');
  return (
    <span className="chip">
      <span className="lbl">{name}</span>
      <button
        type="button"
        aria-label={t('table.removeFilter', { name })}
        onClick={() => table.setView({ filter: view.filter.filter(({ field }) => field !== runFilterField) })}
      >
        <Icon name="close" size="xs" />
      </button>
    </span>
  );
};

const Chips = ({
  table,
  onEdit,
  onFind,
}: {
  table: TableSession;
  onFind: () => void;
  onEdit: (columnId: string, at: { x: number; y: number }) => void;
}) => {
  const { t } = useTranslation();
  const { view } = useStore(table.state);
  const { grid } = table;
  return (
    <div className="chips">
      <SearchChip table={table} onOpen={onFind} />
      {view.filter.map((condition, i) => {
        if (condition.field === runFilterField) return <RunChip key={condition.field} table={table} />;
        const column = grid.columns.find((one) => one.id === condition.field);
        if (!column) return null;
        const value = conditionText(condition, column.field, grid.settings);
        const isSimple = condition.operator === 'equals' || takesMany(condition.operator);
        return (
          <span className="chip" key={`${condition.field}${i}`}>
            <button
              type="button"
              className="lbl"
              onClick={(event) => {
                const box = event.currentTarget.getBoundingClientRect();
                onEdit(condition.field, { x: box.left, y: box.bottom + 4 });
              }}
            >
              <i>
                {column.name}
                {isSimple && value ? ':' : ''}
              </i>
              {isSimple && value ? null : t(`table.${operatorKey(condition.operator)}`)} <b>{value}</b>
            </button>
            <button
              type="button"
              aria-label={t('table.removeFilter', { name: column.name })}
              onClick={() => table.setView({ filter: view.filter.filter((_, at) => at !== i) })}
            >
              <Icon name="close" size="xs" />
            </button>
          </span>
        );
      })}
    </div>
  );
};

/** How many rows to add, 1 to 1,000. */
const AddRows = ({ onAdd }: { onAdd: (count: number) => void }) => {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('10');
  useOverlay('dropdown', isOpen, () => setOpen(false));
  const count = /^\d{1,4}$/.test(text.trim()) ? Number(text) : 0;
  const isRight = count >= 1 && count <= MAX_ROWS;
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" offset={4} trapFocus width={240}>
      <Popover.Target>
        <button
          type="button"
          className="iconbtn"
          style={{ width: 24 }}
          aria-label={t('table.addHowMany')}
          aria-expanded={isOpen}
          onClick={() => setOpen((is) => !is)}
        >
          <Icon name="chevron" size="xs" />
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          className="addrows"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (!isRight) return;
            setOpen(false);
            onAdd(count);
          }}
        >
          <TextField
            label={t('table.addCount')}
            type="number"
            inputMode="numeric"
            min={1}
            max={MAX_ROWS}
            value={text}
            onChange={setText}
            hint={t('table.addRange')}
            error={isRight || text === '' ? null : t('table.addRange')}
            data-autofocus
          />
          <button type="submit" className="btn primary" disabled={!isRight}>
            <Icon name="plus" />
            {t('table.addRow', { count: isRight ? count : 1 })}
          </button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
};

export const Toolbar = ({
  table,
  leaveTarget,
  onFind,
  onBatchEdit,
  onFilter,
  onArranged,
  onAdded,
  onPush,
  onDiscard,
}: {
  table: TableSession;
  /** Where the focus goes when it leaves the grid by key. */
  leaveTarget: RefObject<HTMLButtonElement | null>;
  onFind: () => void;
  onBatchEdit: () => void;
  onFilter: (columnId: string | null, at: { x: number; y: number }) => void;
  onArranged: () => void;
  /** New rows stand at the top: the grid takes the focus. */
  onAdded: () => void;
  onPush: () => void;
  onDiscard: () => void;
}) => {
  const { t } = useTranslation();
  const { view, counts, isRefreshing, cache } = useStore(table.state);
  const { grid, metadata } = table;
  const all = counts ? counts.insert + counts.update + counts.delete : 0;
  // What the review ticks by itself: nothing that is held back, and nothing that was just refused.
  const ready = counts
    ? Math.max(0, all - counts.invalid - counts.conflict - counts.beingPushed - counts.rejected)
    : 0;
  const add = (count: number): void => {
    addRows(grid, count);
    onAdded();
  };
  return (
    <div className="tools" role="toolbar" aria-label={t('shortcuts.table')}>
      <button ref={leaveTarget} type="button" className="btn findbutton" onClick={onFind}>
        <Icon name="search" />
        <span>{t('find.open')}</span>
        <span className="kbd">{keyCaps(['Mod', 'F']).join(' ')}</span>
      </button>
      <button
        type="button"
        className="btn"
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          onFilter(null, { x: box.left, y: box.bottom + 4 });
        }}
      >
        <Icon name="filter" />
        <span>{t('table.filter')}</span>
        {view.filter.length > 0 ? <span className="only-n k">{view.filter.length}</span> : null}
      </button>
      <Chips table={table} onEdit={onFilter} onFind={onFind} />
      <span className="sp" />
      <ColumnsButton grid={grid} onChange={onArranged} />
      {grid.canUpdate ? (
        <button
          type="button"
          className="btn hasic ghost"
          aria-label={t('bulk.batchEdit')}
          title={t('bulk.batchEdit')}
          onClick={onBatchEdit}
        >
          <Icon name="edit" />
          <span className="opt-l">{t('bulk.batchEdit')}</span>
        </button>
      ) : null}
      {grid.canInsert ? (
        <span style={{ display: 'inline-flex' }}>
          <button
            type="button"
            className="btn hasic ghost"
            aria-label={t('table.addRow', { count: 1 })}
            onClick={() => add(1)}
          >
            <Icon name="plus" />
            <span className="opt-l">{t('table.addRow', { count: 1 })}</span>
          </button>
          <AddRows onAdd={add} />
        </span>
      ) : null}
      <button
        type="button"
        className="btn ghost sq"
        disabled={isRefreshing}
        aria-label={t('table.refresh', { system: metadata.systemName })}
        title={
          isRefreshing
            ? t('table.refreshing', { system: metadata.systemName, loaded: cache?.loaded ?? 0 })
            : t('table.refresh', { system: metadata.systemName })
        }
        onClick={() => table.refresh.ask().catch((error: unknown) => toast('error', errorText(error)))}
      >
        <Icon name="refresh" size={isRefreshing ? 'spin' : ''} />
      </button>
      <span className="div" />
      <button type="button" className="btn" disabled={all === 0} onClick={onDiscard}>
        {t('table.discard')}
      </button>
      <button type="button" className="btn primary" disabled={all === 0} onClick={onPush}>
        <Icon name="push" />
        {t('table.push', { count: ready })}
      </button>
    </div>
  );
};
