import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Seals text with AES-256-GCM. `context` (for instance `domain:<id>:password`) is authenticated too: a sealed
 * secret that is copied to another row does not open there.
 */
export function seal(key: Buffer, context: string, text: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Throws when key, context or content do not belong together. */
export function unseal(key: Buffer, context: string, sealed: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12));
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(12, 28));
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8');
}
