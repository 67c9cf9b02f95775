import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { minPasswordLength } from '@sluice/contract';
import { AppError } from '../../platform/errors.ts';

const derive = promisify(argon2);
// OWASP's second recommendation for argon2id: 19 MiB, 2 passes, 1 lane.
const cost = { memory: 19_456, passes: 2, parallelism: 1 };

async function hashWith(
  password: string,
  salt: Buffer,
  { memory, passes, parallelism }: typeof cost,
): Promise<Buffer> {
  return await derive('argon2id', {
    message: Buffer.from(password.normalize('NFKC')),
    nonce: salt,
    memory,
    passes,
    parallelism,
    tagLength: 32,
  });
}

/** A self-describing hash: cost changes later do not lock anybody out. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await hashWith(password, salt, cost);
  return `argon2id$${cost.memory}$${cost.passes}$${cost.parallelism}$${salt.toString('base64')}$${hash.toString('base64')}`;
}

export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [kind, memory, passes, parallelism, salt = '', hash = ''] = stored.split('$');
  if (kind !== 'argon2id') return false;
  const expected = Buffer.from(hash, 'base64');
  const given = await hashWith(password, Buffer.from(salt, 'base64'), {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  });
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** Length is what counts (decisions Q-AUTH-02); the own name is the first that others would try. */
export function checkNewPassword(password: string, username: string, field: string): void {
  if (password.length < minPasswordLength)
    throw new AppError('VALIDATION', {
      fields: [{ field, code: 4101, params: { min: minPasswordLength } }],
    });
  if (
    username !== '' &&
    password.toLowerCase().includes(username.toLowerCase()) &&
    password.length < 2 * minPasswordLength
  )
    throw new AppError('VALIDATION', {
      fields: [{ field, code: null, params: { key: 'password.holdsName' } }],
    });
}

/** A password that a person can type: five groups of four from an alphabet without look-alikes (about 97 bits). */
export function generatePassword(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
  const letters = Array.from(randomBytes(200))
    .filter((byte) => byte < alphabet.length * 8)
    .slice(0, 20)
    .map((byte) => alphabet[byte % alphabet.length]);
  return letters.join('').replace(/(.{4})(?=.)/g, '$1-');
}
