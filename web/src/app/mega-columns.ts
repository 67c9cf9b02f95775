export interface MegaGroup<T> {
  letter: string;
  isContinued: boolean;
  items: T[];
}

/** Heights in px of a link and of a letter with the gap above it, as the style sheet has them. */
export const ROW = 28;
export const HEADING = 30;
const SMALL_GROUP = 6;

const letterOf = (title: string): string =>
  title
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .charAt(0)
    .toUpperCase() || '#';

/** Fills columns of a given height from left to right. */
const fill = <T>(groups: ReadonlyMap<string, T[]>, height: number): MegaGroup<T>[][] => {
  const columns: MegaGroup<T>[][] = [[]];
  let used = 0;
  for (const [letter, all] of groups) {
    let items = all;
    let isContinued = false;
    while (items.length > 0) {
      const room = Math.floor((height - used - HEADING) / ROW);
      const fits = items.length <= room;
      const mayCut = items.length > SMALL_GROUP && room >= 2;
      if (!fits && !mayCut && used > 0) {
        columns.push([]);
        used = 0;
        continue;
      }
      const take = fits ? items.length : Math.max(1, mayCut ? room : items.length);
      columns.at(-1)?.push({ letter, isContinued, items: items.slice(0, take) });
      used += HEADING + take * ROW;
      items = items.slice(take);
      isContinued = true;
    }
  }
  return columns;
};

/**
 * Groups by first letter, spread over as few columns of at most the given height as it takes. Small groups stay
 * together, large ones may be cut, with their letter repeated. The columns are made as low as their number allows, so
 * that they come out about equally long.
 */
export const megaColumns = <T extends { title: string }>(
  sorted: readonly T[],
  height: number,
): MegaGroup<T>[][] => {
  if (sorted.length === 0) return [];
  const groups = Map.groupBy(sorted, ({ title }) => letterOf(title));
  const widest = fill(groups, height);
  // Lower than this a small group would have to be cut.
  for (let low = HEADING + SMALL_GROUP * ROW; low < height; low += ROW / 2) {
    const columns = fill(groups, low);
    if (columns.length <= widest.length) return columns;
  }
  return widest;
};
