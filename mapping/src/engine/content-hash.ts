import type { Value } from '@sluice/contract';

/**
 * A fingerprint of values: 128 bits as 32 hexadecimal digits, the same in every process and version. It tells whether
 * a source record changed since the last run; it is no protection against anybody who wants two records to look alike.
 * Order matters; an empty text counts as empty; keys of objects are sorted.
 */
export function contentHash(values: readonly Value[]): string {
  begin();
  for (const value of values) take(value);
  return end();
}

/** Four lanes that feed each other; module state, because it is used from beginning to end without a pause. */
let [a, b, c, d] = [0, 0, 0, 0];

function begin(): void {
  [a, b, c, d] = [0x4e0a7c15, 0x6a09e667, 0x3c6ef372, 0x510e527f];
}

function mix(unit: number): void {
  a = Math.imul(a ^ unit, 0x239b961b) ^ (b >>> 15);
  b = Math.imul(b ^ unit, 0xab0e9789 | 0) ^ (c >>> 13);
  c = Math.imul(c ^ unit, 0x38b34ae5) ^ (d >>> 16);
  d = Math.imul(d ^ unit, 0xa1e38b93 | 0) ^ (a >>> 14);
}

function text(value: string): void {
  // The length first, so that no text can run into the next one.
  mix(value.length);
  for (let index = 0; index < value.length; index += 1) mix(value.charCodeAt(index));
}

/** Kinds begin with units that no character has. */
function take(value: Value): void {
  if (value === null || value === '') mix(0x10001);
  else if (typeof value === 'string') {
    mix(0x10002);
    text(value);
  } else if (typeof value === 'number') {
    mix(0x10003);
    text(String(value));
  } else if (typeof value === 'boolean') mix(value ? 0x10004 : 0x10005);
  else if (Array.isArray(value)) {
    mix(0x10006);
    mix(value.length);
    for (const item of value) take(item);
  } else {
    const keys = Object.keys(value).sort();
    mix(0x10007);
    mix(keys.length);
    for (const key of keys) {
      text(key);
      take(value[key] ?? null);
    }
  }
}

function final(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

const bytesInHex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const hex = (value: number): string => {
  const bits = final(value);
  return (
    (bytesInHex[bits >>> 24] ?? '') +
    (bytesInHex[(bits >>> 16) & 0xff] ?? '') +
    (bytesInHex[(bits >>> 8) & 0xff] ?? '') +
    (bytesInHex[bits & 0xff] ?? '')
  );
};

function end(): string {
  for (let round = 0; round < 4; round += 1) mix(0x20000 + round);
  return hex(a ^ (c >>> 7)) + hex(b ^ (d >>> 9)) + hex(c) + hex(d);
}
