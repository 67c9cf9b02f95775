export interface MegaGroup<T> {
  letter: string;
  isContinued: boolean;
  items: T[];
}

const ROW = 28;
const HEADING = 30;
const SMALL_GROUP = 6;

const letterOf = (title: string): string =>
  title
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .charAt(0)
    .toUpperCase() || '#';

/**
 * Groups by first letter, spread over columns of the given height. Small groups stay together, large ones may be
 * cut, with their letter repeated; columns come out about equally long.
 */
export const megaColumns = <T extends { title: string }>(
  sorted: readonly T[],
  height: number,
): MegaGroup<T>[][] => {
  const groups = new Map<string, T[]>();
  for (const item of sorted) {
    const letter = letterOf(item.title);
    groups.set(letter, [...(groups.get(letter) ?? []), item]);
  }
  const total = sorted.length * ROW + groups.size * HEADING;
  const columnCount = Math.max(1, Math.ceil(total / height));
  const target = Math.min(height, Math.ceil(total / columnCount) + ROW);
  const columns: MegaGroup<T>[][] = [[]];
  let used = 0;
  for (const [letter, all] of groups) {
    let items = all;
    let isContinued = false;
    while (items.length > 0) {
      const room = Math.floor((target - used - HEADING) / ROW);
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
  return columns.filter((column) => column.length > 0);
};
