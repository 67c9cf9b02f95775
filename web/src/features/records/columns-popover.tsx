import { Popover } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { GridController } from '../../grid/controller.ts';
import { Icon } from '../../ui/icons.tsx';
import { useOverlay } from '../../ui/overlays.ts';
import { setColumn } from './arrangement.ts';

/** Which columns show, found by name. */
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
      width={280}
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
                grid.arrange(null, {});
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
