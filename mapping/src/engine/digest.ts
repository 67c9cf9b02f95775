/**
 * Digests that answer at once, in the browser too (its own are asynchronous). Bytes in, bytes out; for telling values
 * apart and for ids that stay the same, not for secrets.
 */
const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by));

/** The message with its padding to blocks of 64 bytes, length at the end. */
function padded(bytes: Uint8Array, isLittleEndian: boolean): DataView {
  const size = ((bytes.length + 8) >> 6) * 64 + 64;
  const block = new Uint8Array(size);
  block.set(bytes);
  block[bytes.length] = 0x80;
  const view = new DataView(block.buffer);
  const [high, low] = [Math.floor(bytes.length / 0x20000000), (bytes.length << 3) >>> 0];
  view.setUint32(size - 8, isLittleEndian ? low : high, isLittleEndian);
  view.setUint32(size - 4, isLittleEndian ? high : low, isLittleEndian);
  return view;
}

function result(words: readonly number[], isLittleEndian: boolean): Uint8Array {
  const bytes = new Uint8Array(words.length * 4);
  const view = new DataView(bytes.buffer);
  words.forEach((word, index) => view.setUint32(index * 4, word >>> 0, isLittleEndian));
  return bytes;
}

/** Fractional parts of the cube roots of the first 64 primes, and of the square roots of the first 8. */
function rootsOfPrimes(): { k: number[]; h: number[] } {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  const fraction = (value: number): number => Math.floor((value - Math.floor(value)) * 2 ** 32) | 0;
  return {
    k: primes.map((n) => fraction(Math.cbrt(n))),
    h: primes.slice(0, 8).map((n) => fraction(Math.sqrt(n))),
  };
}
const roots = rootsOfPrimes();

export function sha256(bytes: Uint8Array): Uint8Array {
  const view = padded(bytes, false);
  const state = [...roots.h];
  const w = new Int32Array(64);
  for (let offset = 0; offset < view.byteLength; offset += 64) {
    for (let i = 0; i < 16; i += 1) w[i] = view.getInt32(offset + i * 4);
    for (let i = 16; i < 64; i += 1) {
      const [x, y] = [w[i - 15] ?? 0, w[i - 2] ?? 0];
      const s0 = rotate(x, 25) ^ rotate(x, 14) ^ (x >>> 3);
      const s1 = rotate(y, 15) ^ rotate(y, 13) ^ (y >>> 10);
      w[i] = ((w[i - 16] ?? 0) + s0 + (w[i - 7] ?? 0) + s1) | 0;
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let i = 0; i < 64; i += 1) {
      const s1 = rotate(e, 26) ^ rotate(e, 21) ^ rotate(e, 7);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (roots.k[i] ?? 0) + (w[i] ?? 0)) | 0;
      const s0 = rotate(a, 30) ^ rotate(a, 19) ^ rotate(a, 10);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, index) => (state[index] = ((state[index] ?? 0) + value) | 0));
  }
  return result(state, false);
}

export function sha1(bytes: Uint8Array): Uint8Array {
  const view = padded(bytes, false);
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  const w = new Int32Array(80);
  for (let offset = 0; offset < view.byteLength; offset += 64) {
    for (let i = 0; i < 16; i += 1) w[i] = view.getInt32(offset + i * 4);
    for (let i = 16; i < 80; i += 1)
      w[i] = rotate((w[i - 3] ?? 0) ^ (w[i - 8] ?? 0) ^ (w[i - 14] ?? 0) ^ (w[i - 16] ?? 0), 1);
    let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
    for (let i = 0; i < 80; i += 1) {
      const [f, k] =
        i < 20
          ? [(b & c) | (~b & d), 0x5a827999]
          : i < 40
            ? [b ^ c ^ d, 0x6ed9eba1]
            : i < 60
              ? [(b & c) | (b & d) | (c & d), 0x8f1bbcdc]
              : [b ^ c ^ d, 0xca62c1d6];
      const next = (rotate(a, 5) + f + e + k + (w[i] ?? 0)) | 0;
      [e, d, c, b, a] = [d, c, rotate(b, 30), a, next];
    }
    [a, b, c, d, e].forEach((value, index) => (state[index] = ((state[index] ?? 0) + value) | 0));
  }
  return result(state, false);
}

const md5Shifts = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
const md5Sines = Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32) | 0);

export function md5(bytes: Uint8Array): Uint8Array {
  const view = padded(bytes, true);
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let offset = 0; offset < view.byteLength; offset += 64) {
    let [a = 0, b = 0, c = 0, d = 0] = state;
    for (let i = 0; i < 64; i += 1) {
      const round = i >> 4;
      const [f, g] =
        round === 0
          ? [(b & c) | (~b & d), i]
          : round === 1
            ? [(d & b) | (~d & c), (5 * i + 1) % 16]
            : round === 2
              ? [b ^ c ^ d, (3 * i + 5) % 16]
              : [c ^ (b | ~d), (7 * i) % 16];
      const sum = (a + f + (md5Sines[i] ?? 0) + view.getInt32(offset + g * 4, true)) | 0;
      [a, d, c, b] = [d, c, b, (b + rotate(sum, md5Shifts[round * 4 + (i % 4)] ?? 0)) | 0];
    }
    [a, b, c, d].forEach((value, index) => (state[index] = ((state[index] ?? 0) + value) | 0));
  }
  return result(state, true);
}

const crcTable = Int32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

export function crc32(bytes: Uint8Array): Uint8Array {
  let crc = -1;
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return result([~crc], false);
}

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** RFC 9562 version 5: the same namespace and name always give the same id. */
export function uuidV5(namespace: string, name: string): string {
  const space = namespace.replaceAll('-', '');
  const prefix = Uint8Array.from({ length: 16 }, (_, i) =>
    Number.parseInt(space.slice(i * 2, i * 2 + 2), 16),
  );
  const text = new TextEncoder().encode(name);
  const bytes = new Uint8Array(16 + text.length);
  bytes.set(prefix);
  bytes.set(text, 16);
  const digest = sha1(bytes).slice(0, 16);
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = hexOf(digest);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
