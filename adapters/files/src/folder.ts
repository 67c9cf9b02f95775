import { createReadStream, existsSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { ExternalSystemError } from '@sluice/adapter-kit';
import { type FileSource, inOrder } from './source.ts';

/** A folder of this machine; links that lead out of the allowed folders are not followed. */
export function folderSource(folder: string, roots: readonly string[]): FileSource {
  const check = async (): Promise<string> => {
    const real = await realpath(folder).catch((error: unknown) => {
      throw missing(folder, error);
    });
    for (const root of roots) {
      const allowed = await realpath(root).catch(() => null);
      if (allowed !== null && isWithin(allowed, real)) return real;
    }
    const names = roots.length > 0 ? roots.join(', ') : '–';
    throw new ExternalSystemError(
      'FORBIDDEN',
      `${folder} is not in a folder that files may be read from (SLUICE_FILE_ROOTS: ${names})`,
      { retryable: false },
    );
  };
  return {
    list: async () => {
      const real = await check();
      const found = await readdir(real, { withFileTypes: true });
      const files = found.filter((entry) => entry.isFile());
      return inOrder(
        await Promise.all(
          files.map(async ({ name }) => {
            const { size, mtime } = await stat(path.join(real, name));
            return { name, size, modifiedAt: mtime };
          }),
        ),
      );
    },
    open: async (name, signal) => {
      const file = path.join(await check(), path.basename(name));
      if (!isWithin(await check(), await realpath(file))) throw missing(name, null);
      return createReadStream(file, { signal, highWaterMark: 256 * 1024 });
    },
    remark: () => null,
    close: () => Promise.resolve(),
  };
}

/** The files that were uploaded for a domain; before the first one there is no folder yet. */
export function uploadSource(folder: string): FileSource {
  const own = folderSource(folder, [folder]);
  return {
    ...own,
    list: async (signal) => (existsSync(folder) ? await own.list(signal) : []),
  };
}

const isWithin = (root: string, file: string): boolean =>
  file === root || file.startsWith(root.endsWith(path.sep) ? root : root + path.sep);

const missing = (name: string, cause: unknown): ExternalSystemError =>
  new ExternalSystemError('NOT_FOUND', `${name} does not exist or cannot be read`, {
    retryable: false,
    cause,
  });
