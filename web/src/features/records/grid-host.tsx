import { type RefObject, useEffect, useRef } from 'react';
import '../../grid/grid.css';
import { type GridHost as Host, type MountedGrid, mountGrid } from '../../grid/view/mount.ts';
import type { TableSession } from './table-session.ts';

/** The element the grid draws itself into; React does nothing inside it. */
export const GridHost = ({
  table,
  host,
  mounted,
}: {
  table: TableSession;
  host: Host;
  mounted: RefObject<MountedGrid | null>;
}) => {
  const node = useRef<HTMLDivElement>(null);
  const latest = useRef(host);
  latest.current = host;
  useEffect(() => {
    if (!node.current) return undefined;
    const grid = mountGrid(node.current, table.grid, {
      label: latest.current.label,
      onMenu: (place) => latest.current.onMenu(place),
      onDeleteRows: () => latest.current.onDeleteRows(),
      onUndoDelete: (id) => latest.current.onUndoDelete(id),
      onOpenArray: (at) => latest.current.onOpenArray(at),
      onResolve: (choice, id, field) => latest.current.onResolve(choice, id, field),
      onColumnResized: () => latest.current.onColumnResized(),
      onFind: () => latest.current.onFind(),
      onLeave: () => latest.current.onLeave(),
    });
    mounted.current = grid;
    return () => {
      mounted.current = null;
      grid.dispose();
    };
  }, [table, mounted]);
  return <div className="gridhost" ref={node} />;
};
