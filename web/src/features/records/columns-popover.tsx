import { Popover } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { GridController } from '../../grid/controller.ts';
import { errorText } from '../../platform/call.ts';
import { type PreferenceAt, savePreference, session } from '../../platform/session.ts';
import { useStore } from '../../platform/store.ts';
import { Icon } from '../../ui/icons.tsx';
import { useOverlay } from '../../ui/overlays.ts';
import { toast } from '../../ui/toasts.tsx';
import { setColumn } from './arrangement.ts';

const ROW_HEIGHTS = ['compact', 'normal', 'roomy'] as const;
const DISPLAY_MODES = [
  ['value', 'displayValue'],
  ['description', 'displayDescription'],
  ['both', 'displayBoth'],
] as const;

const Choice = <T extends string>({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: readonly { id: T; label: string }[];
  value: T;
  onChange: (id: T) => void;
}) => (
  <div style={{ display: 'grid', gap: 4 }}>
    <span className="sec" style={{ fontSize: 12 }} id={`look-${label}`}>
      {label}
    </span>
    <fieldset
      className="seg"
      aria-labelledby={`look-${label}`}
      style={{ display: 'grid', gridAutoFlow: 'column', gridAutoColumns: '1fr' }}
    >
      {options.map((option) => (
        <button
          key={option.id}
          type="button"
          className={option.id === value ? 'on' : ''}
          aria-pressed={option.id === value}
          style={{ padding: 0 }}
          onClick={() => onChange(option.id)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  </div>
);

/** How rows and options are written; the same in all tables of this user. */
const Looks = () => {
  const { t } = useTranslation();
  const state = useStore(session);
  if (state.status !== 'loggedIn') return null;
  const { rowHeight, table } = state.userPreferences.options;
  const save = <P extends string>(path: P, value: PreferenceAt<P>): void => {
    savePreference(path, value).catch((error: unknown) => toast('error', errorText(error)));
  };
  return (
    <div style={{ display: 'grid', gap: 8, borderTop: '1px solid var(--line)', paddingTop: 8 }}>
      <Choice
        label={t('table.rowHeight')}
        options={ROW_HEIGHTS.map((id) => ({ id, label: t(`table.${id}`) }))}
        value={rowHeight}
        onChange={(id) => save('options/rowHeight', id)}
      />
      <Choice
        label={t('table.optionsShown')}
        options={DISPLAY_MODES.map(([id, key]) => ({ id, label: t(`table.${key}`) }))}
        value={table.fieldsWithOptions.displayMode}
        onChange={(displayMode) => save('options/table/fieldsWithOptions/displayMode', displayMode)}
      />
    </div>
  );
};

/** Which columns show, found by name, and how. */
export const ColumnsButton = ({ grid, onChange }: { grid: GridController; onChange: () => void }) => {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const [wanted, setWanted] = useState('');
  useOverlay('dropdown', isOpen, () => setOpen(false));
  const visible = new Set(grid.layout.columns.map((column) => column.id));
  const found = grid.columns.filter((column) => column.name.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      offset={4}
      trapFocus
      returnFocus
      width={320}
    >
      <Popover.Target>
        <button
          type="button"
          className="btn hasic ghost"
          aria-label={t('table.columns')}
          onClick={() => setOpen((is) => !is)}
        >
          <Icon name="columns" />
          <span className="opt-l">{t('table.columns')}</span>
          <span className="k">
            {t('table.columnsOf', { shown: visible.size, total: grid.columns.length })}
          </span>
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <div style={{ display: 'grid', gap: 6, padding: 8 }}>
          <label className="field find">
            <Icon name="search" />
            <input
              aria-label={t('table.findColumn')}
              placeholder={t('table.findColumn')}
              value={wanted}
              onChange={(event) => setWanted(event.target.value)}
            />
          </label>
          <div style={{ maxHeight: 320, overflow: 'auto', display: 'grid' }}>
            {found.map((column) => (
              <label key={column.id} className="swt" style={{ minHeight: 26 }}>
                <input
                  type="checkbox"
                  className="cbx"
                  style={{ width: 14, height: 14, borderRadius: 3 }}
                  checked={visible.has(column.id)}
                  disabled={visible.size === 1 && visible.has(column.id)}
                  onChange={(event) => {
                    setColumn(grid, column.id, { isHidden: !event.target.checked });
                    onChange();
                  }}
                />
                <span className="trunc">
                  {column.group ? <span className="mut">{column.group} › </span> : null}
                  {column.name}
                </span>
              </label>
            ))}
          </div>
          <Looks />
          <div style={{ display: 'flex', justifyContent: 'space-between', fontSize: 12 }}>
            <button
              type="button"
              className="link"
              onClick={() => {
                for (const column of grid.columns) setColumn(grid, column.id, { isHidden: false });
                onChange();
              }}
            >
              {t('table.showAll')}
            </button>
            <button
              type="button"
              className="link"
              onClick={() => {
                grid.arrange(null, {}, null);
                onChange();
              }}
            >
              {t('table.resetColumns')}
            </button>
          </div>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
};
