import type { Value } from '@sluice/contract';
import { applyChanges } from '../../grid/actions.ts';
import type { CellAt } from '../../grid/types.ts';
import { ArrayEditor } from './array-editor.tsx';
import type { TableSession } from './table-session.ts';

/** The editor of the array in a cell. */
export const OpenArray = ({
  table,
  at,
  onClose,
}: {
  table: TableSession;
  at: CellAt;
  onClose: () => void;
}) => {
  const { grid } = table;
  const row = grid.store.rowAt(at.row);
  const column = grid.columnAt(at.col);
  if (!row || !column) return null;
  const save = (value: Value): void => {
    void applyChanges(grid, [{ rowId: row.id, fieldId: column.id, value }]);
    onClose();
  };
  return (
    <ArrayEditor
      field={column.field}
      value={grid.store.valueAt(at.row, column.id) ?? null}
      settings={grid.settings}
      isReadOnly={grid.whyReadOnly(row, column) !== null}
      onSave={save}
      onClose={onClose}
    />
  );
};
