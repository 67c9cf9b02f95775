import { useEffect, useEffectEvent, useRef } from 'react';
import '../../grid/grid.css';
import { type GridHost as Host, type MountedGrid, mountGrid } from '../../grid/view/mount.ts';
import type { TableSession } from './table-session.ts';

/** The element the grid draws itself into; React does nothing inside it. */
export const GridHost = ({
  table,
  host,
  onMounted,
}: {
  table: TableSession;
  host: Host;
  onMounted: (grid: MountedGrid | null) => void;
}) => {
  const node = useRef<HTMLDivElement>(null);
  const tell = useEffectEvent((run: (now: Host) => void) => run(host));
  const label = useEffectEvent(() => host.label);
  useEffect(() => {
    if (!node.current) return undefined;
    const grid = mountGrid(node.current, table.grid, {
      label: label(),
      onMenu: (place) => tell((now) => now.onMenu(place)),
      onDeleteRows: () => tell((now) => now.onDeleteRows()),
      onClear: () => tell((now) => now.onClear()),
      onUndoDelete: (id) => tell((now) => now.onUndoDelete(id)),
      onOpenArray: (at) => tell((now) => now.onOpenArray(at)),
      onResolve: (choice, id, field) => tell((now) => now.onResolve(choice, id, field)),
      onColumnResized: () => tell((now) => now.onColumnResized()),
      onMoveColumns: (ids, before) => tell((now) => now.onMoveColumns(ids, before)),
      onAutosize: (ids) => tell((now) => now.onAutosize(ids)),
      onSortLevel: (id) => tell((now) => now.onSortLevel(id)),
      onFind: () => tell((now) => now.onFind()),
      onLeave: () => tell((now) => now.onLeave()),
    });
    onMounted(grid);
    return () => {
      onMounted(null);
      grid.dispose();
    };
  }, [table, onMounted]);
  return <div className="gridhost" ref={node} />;
};
