import { describe, expect, it } from 'vitest';
import { base64OfBytes, bytesOfBase64, fileKindOf, fileKindOfBase64 } from './file-kind.ts';

const bytes = (...hex: string[]): Uint8Array =>
  Uint8Array.from(hex.join('').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

describe('the kind of a file in a base64 field', () => {
  it('is told by its first bytes, and by nothing else', () => {
    expect(fileKindOf(bytes('89504e470d0a1a0a', '0000'))?.name).toBe('PNG');
    expect(fileKindOf(bytes('255044462d312e37'))?.extension).toBe('pdf');
    expect(fileKindOf(bytes('52494646', '00000000', '57454250'))?.name).toBe('WebP');
    expect(fileKindOf(bytes('00112233'))).toBeNull();
  });
  it('tells a workbook from any other archive by the names inside', () => {
    const text = (words: string) => Array.from(words, (c) => c.charCodeAt(0).toString(16)).join('');
    expect(fileKindOf(bytes('504b0304', text('[Content_Types].xml xl/workbook.xml')))?.name).toBe('Excel');
    expect(fileKindOf(bytes('504b0304', text('notes.txt')))?.name).toBe('ZIP');
  });
  it('[MAP-18] of base64 only the beginning is read, also one with line breaks', () => {
    const file = base64OfBytes(bytes('255044462d312e37', '00'.repeat(20_000)));
    expect(fileKindOfBase64(file)?.mime).toBe('application/pdf');
    expect(fileKindOfBase64(file.replaceAll(/.{75}/g, '$&\r\n'))?.mime).toBe('application/pdf');
    expect(fileKindOfBase64(`${file}, and no more`)?.mime).toBe('application/pdf');
    expect(fileKindOfBase64('JVBERi0xLjcK')?.mime).toBe('application/pdf');
    expect(fileKindOfBase64('AAAAAAAA')).toBeNull();
    expect(fileKindOfBase64('no file')).toBeNull();
  });
  it('base64 goes both ways, with either alphabet and with line breaks', () => {
    const all = Uint8Array.from({ length: 20_000 }, (_, i) => i % 256);
    expect(bytesOfBase64(base64OfBytes(all))).toEqual(all);
    expect(bytesOfBase64('-_8\n')).toEqual(Uint8Array.from([0xfb, 0xff]));
    expect(bytesOfBase64('no base64!')).toBeNull();
    expect(bytesOfBase64('')).toBeNull();
  });
});
