const STORAGE_KEY = 'loading.messages';

/** Where the turn is kept between waits. */
type Memory = Pick<Storage, 'getItem' | 'setItem'>;

const remembered = (memory: Memory, count: number): number[] => {
  try {
    const value: unknown = JSON.parse(memory.getItem(STORAGE_KEY) ?? '[]');
    const isFitting = (one: unknown): one is number => Number.isInteger(one) && Number(one) < count;
    return Array.isArray(value) ? value.filter(isFitting) : [];
  } catch {
    return [];
  }
};

/**
 * The next message of the shuffled rest, which goes on where the last wait stopped; a new shuffle when all have had
 * their turn. Number 0 has no turn: it begins each wait.
 */
export const nextMessage = (count: number, memory: Memory, random: () => number): number => {
  let rest = remembered(memory, count);
  if (rest.length === 0) {
    rest = Array.from({ length: count - 1 }, (_, i) => ({ index: i + 1, place: random() }))
      .sort((a, b) => a.place - b.place)
      .map(({ index }) => index);
  }
  const [next = 0, ...others] = rest;
  memory.setItem(STORAGE_KEY, JSON.stringify(others));
  return next;
};
