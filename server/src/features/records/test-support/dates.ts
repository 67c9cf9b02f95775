/**
 * `node dates.ts <postgres url>` prints what becomes of dates and times wherever they go, as JSON. The test runs it in
 * many time zones: nothing of it may depend on the one that the machine is in.
 */
import { Readable } from 'node:stream';
import type { DataType, Formats } from '@sluice/contract';
import { fieldOf } from '@sluice/contract/test-support';
import { formatValue, fromUtc, parseTyped, toUtc } from '@sluice/mapping';
import { dateChoices, parseDelimited, readCell } from '@sluice/mapping/files';
import { readSheet } from 'read-excel-file/node';
import { parseTsv, toTsv } from '../../../../../web/src/grid/clipboard.ts';
import { arrays, createPool, sql } from '../../../platform/db.ts';
import { workbookOf } from '../xlsx.ts';

/** First and last day, leap days, days on which clocks change, days that some place never had. */
const days = [
  '1900-03-01',
  '1937-07-01',
  '1970-01-01',
  '2011-12-30',
  '2024-02-29',
  '2026-03-29',
  '2026-10-25',
  '2026-12-31',
  '2099-12-31',
];
const instants = days.flatMap((day) => [`${day}T00:00:00Z`, `${day}T01:30:00Z`, `${day}T23:59:59Z`]);

const field = (id: string, dataType: DataType) => fieldOf(id, { dataType });
const date = field('day', 'date');
const time = field('at', 'datetime');
const shortDates: Formats['shortDate'][] = ['dd-mm-yyyy', 'mm/dd/yyyy', 'dd.mm.yyyy'];
const userZones = ['Europe/Amsterdam', 'America/New_York', 'Pacific/Apia'];

async function sheetOf(values: readonly string[]): Promise<unknown[]> {
  const rows = Readable.from([values.map((value) => [value])]);
  const parts: Uint8Array[] = [];
  for await (const part of workbookOf('Days', [{ name: 'day', pgType: 'date' }], rows))
    parts.push(part as Uint8Array);
  const read = await readSheet(Buffer.concat(parts));
  return read.slice(1).map(([cell]) => (cell instanceof Date ? { date: cell.toISOString() } : cell));
}

async function databaseOf(url: string): Promise<unknown> {
  const pool = createPool({ url, max: 1, applicationName: 'dates', onError: () => undefined });
  try {
    return await arrays(
      pool,
      sql`select d, d::text, at, at::text, (at at time zone 'Europe/Amsterdam')::text
          from unnest(${days}::date[], ${days.map((day) => `${day}T23:30:00Z`)}::timestamptz[]) v(d, at)`,
    );
  } finally {
    await pool.end();
  }
}

const shown = shortDates.map((shortDate) =>
  userZones.map((timeZone) => {
    const context = {
      formats: { shortDate, numberFormat: 'dotSeparated', fullDate: 'long' },
      timeZone,
    } as const;
    const texts = [
      days.map((value) => formatValue(date, value, context)),
      instants.map((value) => formatValue(time, value, context)),
    ];
    return { texts, read: texts[0]?.map((text) => parseTyped(date, text, context)) };
  }),
);
const sheet = await sheetOf(days);
const column = { field: date, dateFormat: 'dd-mm-yyyy', numberFormat: null } as const;
const reader = {
  formats: { shortDate: 'dd-mm-yyyy', numberFormat: 'dotSeparated', fullDate: 'long' },
  timeZone: 'Europe/Amsterdam',
} as const;
const csv = parseDelimited(
  `day;other\n${days.map((day) => `${day.split('-').reverse().join('-')};x`).join('\n')}`,
  ';',
);

console.log(
  JSON.stringify({
    shown,
    local: userZones.map((zone) => instants.map((instant) => fromUtc(instant, zone))),
    utc: userZones.map((zone) => days.map((day) => toUtc(day, '02:30:00', zone))),
    clipboard: parseTsv(toTsv([shown.flatMap((zones) => zones.flatMap(({ texts }) => texts[1] ?? []))])),
    sheet: sheet.map((cell) => readCell(column, cell as { date: string }, reader).value),
    csv: csv.rows.slice(1).map(([cell]) => readCell(column, cell ?? null, reader).value),
    choices: dateChoices(csv.rows.slice(1).map(([cell]) => cell ?? '')),
    database: await databaseOf(process.argv[2] ?? ''),
  }),
);
