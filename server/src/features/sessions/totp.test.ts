import { describe, expect, it } from 'vitest';
import { base32, codeOf, matchingStep, newRecoveryCodes, newSecret, recoveryHash, stepOf } from './totp.ts';

const secret = Buffer.from('12345678901234567890');
const at = (seconds: number): Date => new Date(seconds * 1000);

describe('codes of the second factor', () => {
  it('are those of RFC 6238, appendix B, by their last six digits', () => {
    for (const [seconds, code] of [
      [59, '287082'],
      [1_111_111_109, '081804'],
      [1_111_111_111, '050471'],
      [1_234_567_890, '005924'],
      [2_000_000_000, '279037'],
      [20_000_000_000, '353130'],
    ] as const)
      expect(codeOf(secret, stepOf(at(seconds)))).toBe(code);
  });

  it('count for a step before and after, with or without a space, and not below the last one taken', () => {
    const now = at(1_111_111_111);
    const step = stepOf(now);
    expect(matchingStep(secret, '050 471', now, 0)).toBe(step);
    expect(matchingStep(secret, codeOf(secret, step - 1), now, 0)).toBe(step - 1);
    expect(matchingStep(secret, codeOf(secret, step + 1), now, 0)).toBe(step + 1);
    expect(matchingStep(secret, codeOf(secret, step + 2), now, 0)).toBeNull();
    expect(matchingStep(secret, codeOf(secret, step - 2), now, 0)).toBeNull();
    expect(matchingStep(secret, '050471', now, step)).toBeNull();
    expect(matchingStep(secret, '', now, 0)).toBeNull();
  });

  it('secrets are told as RFC 4648 writes them', () => {
    expect(base32(Buffer.from('foobar'))).toBe('MZXW6YTBOI');
    expect(base32(newSecret())).toMatch(/^[A-Z2-7]{32}$/);
  });

  it('recovery codes are ten different ones, read with or without the dash and in any case', () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[a-z2-9]{5}-[a-z2-9]{5}$/);
    const [code = ''] = codes;
    expect(recoveryHash(code.toUpperCase().replace('-', ' '))).toBe(recoveryHash(code));
  });
});
