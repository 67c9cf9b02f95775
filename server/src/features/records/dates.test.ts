import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import { z } from 'zod';

const run = promisify(execFile);
const script = path.join(import.meta.dirname, 'test-support/dates.ts');

/** East and west of Greenwich, half and quarter hours, with and without summer time, beyond the date line. */
const zones = [
  'UTC',
  'Europe/Amsterdam',
  'Europe/London',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
  'Pacific/Honolulu',
  'Pacific/Kiritimati',
];
const outcome = z.looseObject({
  sheet: z.array(z.string()),
  csv: z.array(z.string()),
  database: z.array(z.array(z.string())),
});

it('a date is the same day in every time zone that a machine may be in: read, shown, copied, imported, exported, stored', async () => {
  const outputs: string[] = [];
  for (const zone of zones) {
    const { stdout } = await run(process.execPath, [script, inject('postgresUrl')], {
      env: { PATH: path.dirname(process.execPath), TZ: zone },
    });
    outputs.push(stdout);
  }
  outputs.forEach((output, index) => expect(output, zones[index]).toBe(outputs[0]));
  // And it is the right one.
  const { sheet, csv, database } = outcome.parse(JSON.parse(outputs[0] ?? ''));
  const days = database.map(([day]) => day);
  expect(days).toContain('2011-12-30');
  expect(sheet).toEqual(days);
  expect(csv).toEqual(days);
  expect(database.map((cells) => [cells[1], cells[2]])).toEqual(days.map((day) => [day, `${day}T23:30:00Z`]));
});
