import type { Readable } from 'node:stream';
import type { ConfigField } from '@sluice/adapter-kit';

export interface FileEntry {
  /** Name in the folder. */
  name: string;
  size: number;
  modifiedAt: Date;
}

/** Where files are: a folder of the server, the uploads of a domain, an SFTP server. */
export interface FileSource {
  /** Files of the folder itself, without hidden ones, in the order of their names. */
  list(signal: AbortSignal): Promise<FileEntry[]>;
  open(name: string, signal: AbortSignal): Promise<Readable>;
  /** What the test of the connection says beyond the files, and the input that `detail` is for; null = nothing. */
  remark(): { key: 'fingerprint'; detail: string; field: ConfigField['name'] } | null;
  close(): Promise<void>;
}

export const inOrder = (entries: readonly FileEntry[]): FileEntry[] =>
  entries
    .filter(({ name }) => !name.startsWith('.'))
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
