import { describe, expect, it } from 'vitest';
import { waitingMessages } from '../../platform/i18n/waiting-messages.ts';
import { nextMessage } from './waiting-turn.ts';

const memoryOf = (entries: Record<string, string> = {}) => {
  const map = new Map(Object.entries(entries));
  return {
    map,
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, value: string) => void map.set(key, value),
  };
};

describe('waiting messages', () => {
  it('[LOAD-01] are 140, each in both languages and none twice', () => {
    expect(waitingMessages.length).toBeGreaterThanOrEqual(140);
    for (const language of [0, 1] as const) {
      const texts = waitingMessages.map((pair) => pair[language].trim());
      expect(texts.every((text) => text.length > 5)).toBe(true);
      expect(new Set(texts).size).toBe(waitingMessages.length);
    }
    expect(waitingMessages.filter(([en, nl]) => en === nl)).toEqual([]);
  });

  it('[LOAD-06] take turns by indices in local storage, so that the next wait goes on with unseen ones', () => {
    const memory = memoryOf();
    const count = waitingMessages.length;
    const shown = Array.from({ length: count - 1 }, () => nextMessage(count, memory, Math.random));
    expect(new Set(shown).size).toBe(count - 1);
    expect(shown).not.toContain(0);
    expect(shown).not.toEqual(shown.toSorted((a, b) => a - b));
    expect(memory.map.get('loading.messages')).toBe('[]');
    expect(nextMessage(count, memory, Math.random)).toBeGreaterThan(0);
    expect(JSON.parse(memory.map.get('loading.messages') ?? '')).toHaveLength(count - 2);
  });

  it('what somebody else left in the storage does no harm', () => {
    for (const left of ['no json', '{"a":1}', '[99999,"x",null]']) {
      expect(nextMessage(3, memoryOf({ 'loading.messages': left }), () => 0.5)).toBeLessThan(3);
    }
  });
});
