// Glide over the same rows as our grid's page: 1,000,000 x 50, blocks of 100, answers after 20 ms.
import { DataEditor, GridCellKind } from '@glideapps/glide-data-grid';
import '@glideapps/glide-data-grid/dist/index.css';
import { createRef, useState } from 'react';
import { createRoot } from 'react-dom/client';

const query = new URLSearchParams(location.search);
const number = (name, fallback) => Number(query.get(name) ?? fallback);
const rows = number('rows', 1_000_000);
const width = number('columns', 50);
const latency = number('latency', 20);
const blockSize = 100;

const kinds = [
  'Number',
  'Name',
  'City',
  'Term',
  'Limit',
  'Since',
  'Blocked',
  'Quantity',
  'Read at',
  'Remarks',
];
const columns = Array.from({ length: width }, (_, index) => ({
  id: `f${index}`,
  title: `${kinds[index % kinds.length]} ${Math.floor(index / kinds.length) + 1}`,
  width: 130,
}));
const names = ['Bakkerij Ter Haar', 'Hotel Aan de Vecht', 'Maison Delvaux', 'IJssalon Florence'];
const two = (value) => String(value).padStart(2, '0');

function valueOf(row, col) {
  const mixed = (row * 2654435761 + col * 40503) >>> 0;
  switch (col % kinds.length) {
    case 0:
      return 100_000 + row;
    case 4:
      return (mixed % 10_000_000) / 100;
    case 5:
      return `${two(1 + (mixed % 28))}-${two(1 + (mixed % 12))}-20${two(10 + (mixed % 16))}`;
    case 6:
      return mixed % 3 === 0;
    case 7:
      return mixed % 100_000;
    default:
      return `${names[mixed % 4]} ${row % 977}`;
  }
}

/** Block number -> values by row and column; absent = not asked for yet. */
const blocks = new Map();
const asked = new Set();
const valueAt = (row, col) => blocks.get(Math.floor(row / blockSize))?.[row % blockSize]?.[col];

function cellOf(value) {
  if (value === undefined) return { kind: GridCellKind.Loading, allowOverlay: false };
  if (typeof value === 'boolean') return { kind: GridCellKind.Boolean, data: value, allowOverlay: false };
  const data = typeof value === 'number' ? { kind: GridCellKind.Number } : { kind: GridCellKind.Text };
  return { ...data, data: value, displayData: String(value), allowOverlay: true };
}

const handle = createRef();
let visible = { x: 0, y: 0, width: 0, height: 0 };

async function load(block) {
  if (asked.has(block)) return;
  asked.add(block);
  await new Promise((resolve) => setTimeout(resolve, latency));
  const first = block * blockSize;
  const count = Math.min(blockSize, rows - first);
  blocks.set(
    block,
    Array.from({ length: count }, (_, row) => columns.map((_, col) => valueOf(first + row, col))),
  );
  const damaged = [];
  const { x, y, width: shown, height } = visible;
  for (let row = Math.max(y, first); row < Math.min(y + height + 1, first + count); row += 1)
    for (let col = x; col <= x + shown; col += 1) damaged.push({ cell: [col, row] });
  handle.current?.updateCells(damaged);
}

function handleRegion(region) {
  visible = region;
  const last = Math.min(rows - 1, region.y + region.height);
  for (let block = Math.floor(region.y / blockSize); block * blockSize <= last; block += 1) void load(block);
}

function handleEdits(edits) {
  for (const { location: at, value } of edits) {
    const row = blocks.get(Math.floor(at[1] / blockSize))?.[at[1] % blockSize];
    if (row) row[at[0]] = value.data;
  }
  return true;
}

const getCell = ([col, row]) => cellOf(valueAt(row, col));

function Page() {
  const [selection, setSelection] = useState();
  return (
    <DataEditor
      ref={handle}
      width="100%"
      height="100%"
      columns={columns}
      rows={rows}
      rowHeight={28}
      headerHeight={32}
      freezeColumns={1}
      rowMarkers="number"
      columnSelect="multi"
      getCellContent={getCell}
      getCellsForSelection
      onPaste
      onCellsEdited={handleEdits}
      onVisibleRegionChanged={handleRegion}
      gridSelection={selection}
      onGridSelectionChange={setSelection}
    />
  );
}

/** What the measurements ask: is everything in sight real, and what does a cell hold? */
window.peer = {
  load,
  valueAt,
  isReal() {
    const { y, height } = visible;
    return (
      height > 0 && valueAt(y, 0) !== undefined && valueAt(Math.min(rows, y + height) - 1, 0) !== undefined
    );
  },
};
createRoot(document.querySelector('#root')).render(<Page />);
