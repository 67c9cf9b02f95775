import { expect, it } from 'vitest';
import { z } from 'zod';
import { newId } from './ids.ts';

it('ids are random UUIDs of version 4, as the contract takes them', () => {
  const ids = Array.from({ length: 2000 }, newId);
  for (const id of ids) expect(() => z.uuidv4().parse(id), id).not.toThrow();
  expect(new Set(ids).size).toBe(ids.length);
  // The digits around those of version and variant take every value.
  for (const at of [0, 7, 9, 12, 15, 17, 20, 24, 35])
    expect(new Set(ids.map((id) => id[at])).size, `digit ${at}`).toBe(16);
});
