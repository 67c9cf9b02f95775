export const fileEncodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type FileEncoding = (typeof fileEncodings)[number];

const startsWith = (bytes: Uint8Array, ...mark: number[]): boolean =>
  mark.every((byte, index) => bytes[index] === byte);

/** Share of the looked-at pairs that have a zero on that side from which a file without a mark is taken for UTF-16. */
const zeroShare = 0.3;
const sampleBytes = 4096;

/**
 * The encoding of a text file: by its mark; without one UTF-16 by its zero bytes, UTF-8 where every byte fits, and
 * else what Excel writes on Windows. A guess only where nothing in the file tells: the person sees it and may change it.
 */
export function detectEncoding(bytes: Uint8Array): FileEncoding {
  if (startsWith(bytes, 0xef, 0xbb, 0xbf)) return 'utf-8';
  if (startsWith(bytes, 0xff, 0xfe)) return 'utf-16le';
  if (startsWith(bytes, 0xfe, 0xff)) return 'utf-16be';
  const sample = bytes.subarray(0, sampleBytes);
  const zeros = [0, 0];
  sample.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  });
  const pairs = sample.length / 2;
  if ((zeros[1] ?? 0) > pairs * zeroShare) return 'utf-16le';
  if ((zeros[0] ?? 0) > pairs * zeroShare) return 'utf-16be';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

/** Text without the mark at its beginning; bytes that are none of the encoding's come as U+FFFD. */
export function decodeText(bytes: Uint8Array, encoding: FileEncoding): string {
  return new TextDecoder(encoding).decode(bytes);
}
