import fs from 'node:fs';
import path from 'node:path';

/** Removes a data folder with its database, which lies elsewhere when root runs the product. */
export function removeHome(home: string): void {
  const idFile = path.join(home, 'database-id');
  const id = fs.existsSync(idFile) ? fs.readFileSync(idFile, 'utf8').trim() : '';
  fs.rmSync(home, { recursive: true, force: true });
  if (/^[0-9a-f]+$/.test(id)) fs.rmSync(path.join('/var/lib/sluice', id), { recursive: true, force: true });
}
