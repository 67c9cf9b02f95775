const SMALL = new Set([
  'a',
  'an',
  'the',
  'at',
  'with',
  'from',
  'by',
  'for',
  'in',
  'of',
  'on',
  'to',
  'up',
  'and',
  'as',
  'but',
  'or',
  'nor',
]);
const SHORT_LIMIT = 24;

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** English titles: all words but the small ones begin with a capital; the first and the last always do. */
export const englishTitle = (title: string): string => {
  const words = title.split(' ');
  return words
    .map((word, i) =>
      SMALL.has(word.toLowerCase()) && i > 0 && i < words.length - 1 ? word.toLowerCase() : capitalised(word),
    )
    .join(' ');
};

/** The last two words stay together; where room is short only when the title is. */
export const keepTogether = (title: string, isShortPlace = false): string => {
  if (isShortPlace && title.length > SHORT_LIMIT) return title;
  const at = title.lastIndexOf(' ');
  return at < 0 ? title : `${title.slice(0, at)}\u00a0${title.slice(at + 1)}`;
};
