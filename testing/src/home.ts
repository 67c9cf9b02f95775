import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Half of a start is stripping types: tests that start the product hundreds of times do that once. */
export const compileCache = path.join(os.tmpdir(), 'sluice-compile-cache');

/** Removes a data folder with its database, which lies elsewhere when root runs the product. */
export function removeHome(home: string): void {
  const idFile = path.join(home, 'database-id');
  const id = fs.existsSync(idFile) ? fs.readFileSync(idFile, 'utf8').trim() : '';
  fs.rmSync(home, { recursive: true, force: true });
  if (/^[0-9a-f]+$/.test(id)) fs.rmSync(path.join('/var/lib/sluice', id), { recursive: true, force: true });
}
