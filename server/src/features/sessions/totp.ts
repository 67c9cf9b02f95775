import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

// RFC 6238 as every authenticator app knows it: SHA-1, six digits, steps of thirty seconds.
const stepMs = 30_000;
const digits = 6;
/** A phone's clock may be a step off. */
const drift = 1;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export const newSecret = (): Buffer => randomBytes(20);

/** RFC 4648, without padding. */
export function base32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('');
}

export const stepOf = (now: Date): number => Math.floor(now.getTime() / stepMs);

/** The code of one time step. */
export function codeOf(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  const value = (mac.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 10 ** digits;
  return String(value).padStart(digits, '0');
}

/** The time step that a code is of, later than `after`; null when it is of none that counts now. */
export function matchingStep(secret: Uint8Array, code: string, now: Date, after: number): number | null {
  const given = Buffer.from(code.replaceAll(/\s/g, ''));
  for (let step = stepOf(now) - drift; step <= stepOf(now) + drift; step += 1) {
    const expected = Buffer.from(codeOf(secret, step));
    if (step > after && expected.length === given.length && timingSafeEqual(expected, given)) return step;
  }
  return null;
}

export function otpauthUri(secret: Uint8Array, username: string): string {
  const label = encodeURIComponent(`Sluice:${username}`);
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=Sluice&algorithm=SHA1&digits=${digits}&period=${stepMs / 1000}`;
}

/** Ten codes of ten letters (50 bits each) that a person can type; each works once. */
export function newRecoveryCodes(): string[] {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
  return Array.from({ length: 10 }, () => {
    const code = Array.from(randomBytes(40))
      .filter((byte) => byte < letters.length * 8)
      .slice(0, 10)
      .map((byte) => letters[byte % letters.length])
      .join('');
    return `${code.slice(0, 5)}-${code.slice(5)}`;
  });
}

export const recoveryHash = (code: string): string =>
  createHash('sha256')
    .update(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))
    .digest('hex');
