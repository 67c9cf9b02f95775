import type { GridController } from '../controller.ts';
import type { CellAt } from '../types.ts';
import type { Bubble } from './bubble.ts';
import type { Editor } from './editor.ts';
import type { GridView } from './grid-view.ts';

export type MenuPlace = { kind: 'cell' | 'row' | 'header'; at: CellAt; x: number; y: number };

export interface PointerTargets {
  grid: GridController;
  view: GridView;
  editor: Editor;
  bubble: Bubble;
  onMenu: (place: MenuPlace) => void;
  onUndoDelete: (rowId: string) => void;
  onColumnResized: () => void;
  /** Columns were dragged before column `before` (the number of columns = to the end). */
  onMoveColumns: (ids: readonly string[], before: number) => void;
  onAutosize: (ids: readonly string[]) => void;
  onSortLevel: (columnId: string) => void;
}
