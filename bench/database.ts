/** The database behind the table: reading in, pages, edits, refresh. `node bench/database.ts --rows=20000` */
import { parseArgs } from 'node:util';
import { measureEdits } from './database/edits.ts';
import { measureExport } from './database/export.ts';
import { measureFinding } from './database/finding.ts';
import { measureIngest } from './database/ingest.ts';
import { measurePages } from './database/pages.ts';
import { measureRefresh } from './database/refresh.ts';
import { openWorkbench } from './database/workbench.ts';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } }, strict: false });
const bench = await openWorkbench(Number(values.rows));
try {
  await measureIngest(bench);
  await measureEdits(bench);
  await measurePages(bench);
  await measureFinding(bench);
  await measureExport(bench);
  await measureRefresh(bench);
} finally {
  await bench.stop();
}
