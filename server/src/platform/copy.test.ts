import { describe, expect, it } from 'vitest';
import { LineMemory } from './copy.ts';

describe('memory for lines', () => {
  const texts = (round: number): string[] =>
    Array.from({ length: 40 }, (_, n) => `${'é€𝄞'.repeat((n * 7 + round * 13) % 31)}${round}-${n}\n`);

  it('holds what was put into it until that is given back, whatever the sizes', () => {
    const memory = new LineMemory();
    let held: { text: string; bytes: Buffer }[] = [];
    for (let round = 0; round < 20; round += 1) {
      held.push(...texts(round).map((text) => ({ text, bytes: memory.keep(text) })));
      for (const { text, bytes } of held) expect(bytes.toString()).toBe(text);
      const ended = held.filter((_, index) => index % 3 > 0);
      held = held.filter((_, index) => index % 3 === 0);
      memory.giveBack(ended.map(({ bytes }) => bytes));
    }
  });

  it('is used again, and not more of it than was ever needed at a time', () => {
    const memory = new LineMemory();
    const seen = new Set<ArrayBufferLike>();
    for (let round = 0; round < 50; round += 1) {
      const kept = [1, 2, 3].map((n) => memory.keep('x'.repeat(1000 * n)));
      for (const { buffer } of kept) seen.add(buffer);
      memory.giveBack(kept);
    }
    expect(seen.size).toBe(3);
  });
});
