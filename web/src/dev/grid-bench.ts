/**
 * A page of its own for measuring: 1,000,000 generated rows, 50 columns (`?rows=&columns=&latency=&row=`), answers
 * after 20 ms. Not part of the product's build.
 */
import type { DataType, FieldDescriptor, Value } from '@sluice/contract';
import { GridController } from '../grid/controller.ts';
import type { GridTranslate } from '../grid/texts.ts';
import type { GridColumn, RowBlock, RowState } from '../grid/types.ts';
import { mountGrid } from '../grid/view/mount.ts';
import { en } from '../platform/i18n/en.ts';
import { newId } from '../platform/ids.ts';
import '../styles/fonts.css';
import '../styles/tokens.css';
import '../grid/grid.css';

const query = new URLSearchParams(location.search);
const number = (name: string, fallback: number): number => Number(query.get(name) ?? fallback);
const rows = number('rows', 1_000_000);
const width = number('columns', 50);
const latency = number('latency', 20);
const theme = query.get('theme');
if (theme) document.documentElement.dataset['theme'] = theme;

const KINDS: { name: string; type: DataType; scale?: number; options?: FieldDescriptor['options'] }[] = [
  { name: 'Number', type: 'nonFormattableInt' },
  { name: 'Name', type: 'string' },
  { name: 'City', type: 'string' },
  {
    name: 'Payment term',
    type: 'string',
    options: [
      { value: '10', description: '14 days net' },
      { value: '20', description: '30 days net' },
      { value: '22', description: '30 days, end of month' },
      { value: '30', description: '60 days net' },
    ],
  },
  { name: 'Credit limit', type: 'float64', scale: 2 },
  { name: 'Since', type: 'date' },
  { name: 'Blocked', type: 'bool' },
  { name: 'Quantity', type: 'int' },
  { name: 'Read at', type: 'datetime' },
  { name: 'Remarks', type: 'string' },
];

const columns: GridColumn[] = Array.from({ length: width }, (_, index) => {
  const kind = KINDS[index % KINDS.length] ?? { name: 'Text', type: 'string' as const };
  const turn = Math.floor(index / KINDS.length);
  const field: FieldDescriptor = {
    id: `f${index}`,
    name: turn === 0 ? kind.name : `${kind.name} ${turn + 1}`,
    kind: 'field',
    dataType: kind.type,
    isKey: index === 0,
    isMandatory: index < 2,
    isReadOnly: false,
    isReadOnlyOnUpdate: index === 0,
    isHidden: false,
    validations: kind.name === 'Name' ? [{ code: 4102, params: { max: 30 } }] : [],
    ...(kind.options ? { options: kind.options } : {}),
    ...(kind.scale === undefined ? {} : { scale: kind.scale }),
  };
  const isEnd = !kind.options && (kind.type === 'int' || kind.type === 'float64');
  return {
    id: field.id,
    name: field.name,
    field,
    index,
    align: isEnd ? 'end' : 'start',
    isReadOnly: index === 0,
    group: null,
  };
});

const NAMES = [
  'Bakkerij Ter Haar',
  'Hotel Aan de Vecht',
  'Café-Brasserie Het Anker',
  'Maison Delvaux',
  'Kaasboerderij Weenink',
  'Versmarkt Hogeweg',
  'Traiteur Claes-Peeters',
  'IJssalon Florence',
];
const CITIES = [
  'Amersfoort',
  'IJmuiden',
  'Deventer',
  'Utrecht',
  'Breukelen',
  'Antwerpen',
  'Münster',
  'Zwolle',
];

const generated = (row: number, column: GridColumn): Value => {
  const mixed = (row * 2654435761 + column.index * 40503) >>> 0;
  const { name, options, dataType } = column.field;
  if (options) return String(options[mixed % options.length]?.value ?? '');
  switch (dataType) {
    case 'nonFormattableInt':
      return 100_000 + row;
    case 'float64':
      return (mixed % 10_000_000) / 100;
    case 'int':
      return mixed % 100_000;
    case 'bool':
      return mixed % 3 === 0;
    case 'date':
      return `20${String(10 + (mixed % 16)).padStart(2, '0')}-${String(1 + (mixed % 12)).padStart(2, '0')}-${String(1 + (mixed % 28)).padStart(2, '0')}`;
    case 'datetime':
      return `2026-03-${String(1 + (mixed % 28)).padStart(2, '0')}T${String(mixed % 24).padStart(2, '0')}:${String(mixed % 60).padStart(2, '0')}:00Z`;
    default:
      return name.startsWith('City') ? (CITIES[mixed % 8] ?? '') : `${NAMES[mixed % 8]} ${row % 977}`;
  }
};

/** Row -> column id -> value that was saved. */
const changed = new Map<number, Map<string, Value>>();
const valueOf = (row: number, column: GridColumn): Value =>
  changed.get(row)?.get(column.id) ?? generated(row, column);

const cells = (
  entries: [string, RowState['cells'] extends ReadonlyMap<string, infer C> ? C : never][],
): RowState['cells'] => new Map(entries);

const sampleState = (row: number): RowState | null => {
  const others = { name: 'Fenna de Boer', initials: 'FB' };
  switch (row) {
    case 1:
      return { action: 'add', bar: null, sign: 'new', cells: cells([]) };
    case 3:
      return {
        action: 'update',
        bar: 'you',
        sign: null,
        cells: cells([
          ['f2', { mark: 'you', message: null }],
          ['f4', { mark: 'you', message: null }],
        ]),
      };
    case 5:
      return {
        action: 'update',
        bar: 'you',
        sign: 'invalid',
        cells: cells([['f1', { mark: 'invalid', message: 'Use at most 30 characters' }]]),
      };
    case 6:
      return {
        action: 'update',
        bar: 'others',
        sign: null,
        author: others,
        cells: cells([['f2', { mark: 'others', message: null, author: others, oldValue: 'Delft' }]]),
      };
    case 8:
      return {
        action: 'update',
        bar: 'pushing',
        sign: 'pushing',
        cells: cells([['f4', { mark: 'you', message: null }]]),
      };
    case 10:
      return { action: 'delete', bar: 'you', sign: 'deleted', cells: cells([]) };
    case 12:
      return {
        action: 'update',
        bar: 'you',
        sign: 'rejected',
        cells: cells([
          [
            'f4',
            {
              mark: 'rejected',
              message: 'CUST-0214: discount 22,50 is above 20,00, the maximum of price group HORECA.',
            },
          ],
        ]),
      };
    case 14:
      return {
        action: null,
        bar: null,
        sign: 'received',
        cells: cells([['f5', { mark: 'received', message: 'No date: 2026-02-31' }]]),
      };
    case 16:
      return {
        action: 'update',
        bar: 'you',
        sign: 'conflict',
        cells: cells([['f4', { mark: 'conflict', message: 'Changed in Northwind ERP', theirs: 20000 }]]),
      };
    default:
      return null;
  }
};

const wait = (signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, latency);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });

const block = (offset: number, limit: number): RowBlock => {
  const count = Math.max(0, Math.min(limit, rows - offset));
  const states = new Map<string, RowState>();
  const ids = Array.from({ length: count }, (_, i) => {
    const state = query.has('states') ? sampleState(offset + i) : null;
    if (state) states.set(String(offset + i), state);
    return String(offset + i);
  });
  return {
    offset,
    ids,
    revisions: ids.map(() => 0),
    columns: columns.map((column) => ids.map((_, i) => valueOf(offset + i, column))),
    states,
    snapshot: 's1',
    snapshotChanged: false,
    total: rows,
  };
};

const translate: GridTranslate = (key, params = {}) => {
  let text: string = (en.grid as Record<string, string>)[key] ?? key;
  for (const [name, value] of Object.entries(params)) text = text.replaceAll(`{{${name}}}`, String(value));
  return text;
};

const grid = new GridController({
  source: {
    loadBlock: async ({ offset, limit, signal }) => {
      await wait(signal);
      return block(offset, limit);
    },
  },
  commands: {
    apply: async (batch) => {
      await wait();
      for (const { rowId, changes } of batch.edits) {
        let own = changed.get(Number(rowId));
        if (!own) changed.set(Number(rowId), (own = new Map()));
        for (const [id, value] of Object.entries(changes)) own.set(id, value);
      }
      return {
        rows: [],
        // As the product's server answers a batch: by the ids of what is stored as it was sent.
        stored: new Map(batch.edits.map(({ rowId }) => [rowId, 1])),
        settled: new Map(),
        failures: [],
        isStored: true,
      };
    },
    remove: async () => ({ states: new Map(), revisions: new Map(), removedIds: [], refused: 0 }),
    bulk: async () => undefined,
    undo: async () => ({ rows: [], removedIds: [], kept: 0 }),
    redo: async () => ({ rows: [], removedIds: [], kept: 0 }),
    loadRows: async (offset, limit) => {
      await wait();
      return block(offset, limit);
    },
    track: () => ({ isStopped: false, update: () => undefined, end: () => undefined }),
    describeError: String,
    newId,
  },
  columns,
  settings: {
    formats: { shortDate: 'dd-mm-yyyy', numberFormat: 'dotSeparated', fullDate: 'long' },
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    displayMode: 'both',
    yes: 'Yes',
    no: 'No',
  },
  translate,
  canInsert: true,
  canUpdate: true,
  canDelete: true,
  rowHeight: number('row', 28),
  today: () => '2026-11-21',
});

const root = document.querySelector<HTMLElement>('#root');
if (root) {
  const mounted = mountGrid(root, grid, {
    label: 'Bench',
    onMenu: () => undefined,
    onDeleteRows: () => undefined,
    onClear: () => undefined,
    onUndoDelete: () => undefined,
    onOpenArray: () => undefined,
    onResolve: () => undefined,
    onColumnResized: () => undefined,
    onMoveColumns: () => undefined,
    onAutosize: () => undefined,
    onSortLevel: () => undefined,
    onFind: () => undefined,
    onLeave: () => undefined,
  });
  // What the bench drives: the same objects the product uses.
  Object.assign(window, { bench: { grid, mounted } });
}
