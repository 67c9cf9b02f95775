/** What a file is, by its first bytes. */
export interface FileKind {
  /** As people call it; the same in all languages. */
  name: string;
  mime: string;
  extension: string;
  isImage: boolean;
}

const kind = (name: string, mime: string, extension: string): FileKind => ({
  name,
  mime,
  extension,
  isImage: mime.startsWith('image/') && extension !== 'tif',
});

/** Signatures at the start of a file, as hexadecimal digits; the first that fits counts. */
const SIGNATURES: readonly (readonly [string, FileKind])[] = [
  ['89504e470d0a1a0a', kind('PNG', 'image/png', 'png')],
  ['ffd8ff', kind('JPEG', 'image/jpeg', 'jpg')],
  ['474946383', kind('GIF', 'image/gif', 'gif')],
  ['424d', kind('BMP', 'image/bmp', 'bmp')],
  ['49492a00', kind('TIFF', 'image/tiff', 'tif')],
  ['4d4d002a', kind('TIFF', 'image/tiff', 'tif')],
  ['255044462d', kind('PDF', 'application/pdf', 'pdf')],
  ['d0cf11e0a1b11ae1', kind('Microsoft Office', 'application/x-ole-storage', 'doc')],
  ['1f8b', kind('GZIP', 'application/gzip', 'gz')],
  ['526172211a07', kind('RAR', 'application/vnd.rar', 'rar')],
  ['377abcaf271c', kind('7-Zip', 'application/x-7z-compressed', '7z')],
  ['3c3f786d6c', kind('XML', 'text/xml', 'xml')],
  ['7b5c727466', kind('RTF', 'application/rtf', 'rtf')],
];

const ZIP = kind('ZIP', 'application/zip', 'zip');
const OFFICE: readonly (readonly [string, FileKind])[] = [
  ['word/', kind('Word', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx')],
  ['xl/', kind('Excel', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx')],
  [
    'ppt/',
    kind('PowerPoint', 'application/vnd.openxmlformats-officedocument.presentationml.presentation', 'pptx'),
  ],
];

/** The bytes of base64 (with or without url alphabet and padding); null when it is none. */
export const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> | null => {
  const plain = text.replaceAll(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  if (plain === '' || !/^[A-Za-z0-9+/]*$/.test(plain) || plain.length % 4 === 1) return null;
  return Uint8Array.from(atob(plain), (character) => character.charCodeAt(0));
};

const latin = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');

/** Bytes in which an archive tells what it holds. */
const HEAD = 4096;

/** Null where the bytes tell nothing. */
export const fileKindOf = (bytes: Uint8Array): FileKind | null => {
  const head = Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  if (head.startsWith('504b0304')) {
    const names = latin(bytes.subarray(0, HEAD));
    return OFFICE.find(([folder]) => names.includes(folder))?.[1] ?? ZIP;
  }
  if (head.startsWith('52494646') && latin(bytes.subarray(8, 12)) === 'WEBP')
    return kind('WebP', 'image/webp', 'webp');
  if (/^\s*<svg[\s>]/i.test(latin(bytes.subarray(0, 64)))) return kind('SVG', 'image/svg+xml', 'svg');
  return SIGNATURES.find(([signature]) => head.startsWith(signature))?.[1] ?? null;
};

/** The same of a text in base64, of which only the beginning is read; null also where it is none. */
export const fileKindOfBase64 = (text: string): FileKind | null => {
  const head = text.slice(0, 2 * HEAD).replaceAll(/\s/g, '');
  const bytes = bytesOfBase64(text.length > 2 * HEAD ? head.slice(0, head.length - (head.length % 4)) : head);
  return bytes ? fileKindOf(bytes) : null;
};

/** With padding and without line breaks. */
export const base64OfBytes = (bytes: Uint8Array): string => {
  let text = '';
  // In parts: too many arguments at once overflow the stack.
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
};
