/**
 * Browsers cut elements off at some 17 (Firefox) to 33 million pixels, a million rows need up to 40 million.
 * So the scroll area is capped and mapped: small movements (wheel, keys) go by pixels, long ones (thumb, jumps)
 * in proportion, and when it is idle the thumb is put where it belongs.
 */
export const MAX_SCROLL_HEIGHT = 8_000_000;
/** Movements beyond this many viewports are taken for a drag of the thumb. */
const DRAG_VIEWPORTS = 20;

export interface ScrollMap {
  /** Height of all rows. */
  contentHeight: number;
  viewportHeight: number;
  /** What the browser's scroll position is. */
  scrollTop: number;
  /** What the user looks at: pixels from the top of the first row. */
  viewTop: number;
}

export const scrollHeight = (contentHeight: number): number => Math.min(contentHeight, MAX_SCROLL_HEIGHT);

const maxScroll = (map: ScrollMap): number =>
  Math.max(0, scrollHeight(map.contentHeight) - map.viewportHeight);
const maxView = (map: ScrollMap): number => Math.max(0, map.contentHeight - map.viewportHeight);
const isMapped = (map: ScrollMap): boolean => map.contentHeight > MAX_SCROLL_HEIGHT;
const clamp = (value: number, max: number): number => Math.max(0, Math.min(value, max));

/** Near both ends a pixel of the thumb is a pixel of the content, so that the wheel reaches the very first and last row. */
const EDGE = 200_000;

const middle = (map: ScrollMap): { edge: number; stretch: number } => {
  const edge = Math.min(EDGE, Math.floor(maxScroll(map) / 4));
  const room = maxScroll(map) - 2 * edge;
  return { edge, stretch: room <= 0 ? 1 : (maxView(map) - 2 * edge) / room };
};

const inProportion = (map: ScrollMap, scrollTop: number): number => {
  const { edge, stretch } = middle(map);
  if (scrollTop <= edge) return scrollTop;
  if (scrollTop >= maxScroll(map) - edge) return maxView(map) - (maxScroll(map) - scrollTop);
  return Math.round(edge + (scrollTop - edge) * stretch);
};

/** Where the thumb belongs for what is looked at. */
export const restingScrollTop = (map: ScrollMap): number => {
  const { viewTop } = map;
  if (!isMapped(map)) return clamp(viewTop, maxScroll(map));
  const { edge, stretch } = middle(map);
  if (viewTop <= edge) return viewTop;
  if (viewTop >= maxView(map) - edge) return maxScroll(map) - (maxView(map) - viewTop);
  return Math.round(edge + (viewTop - edge) / stretch);
};

/** The browser scrolled to `scrollTop`. */
export const onScrolled = (map: ScrollMap, scrollTop: number): ScrollMap => {
  if (!isMapped(map)) return { ...map, scrollTop, viewTop: clamp(scrollTop, maxView(map)) };
  const moved = scrollTop - map.scrollTop;
  if (moved === 0) return map;
  const isDrag = Math.abs(moved) > DRAG_VIEWPORTS * map.viewportHeight;
  const viewTop = isDrag ? inProportion(map, scrollTop) : clamp(map.viewTop + moved, maxView(map));
  return { ...map, scrollTop, viewTop };
};

/**
 * Whether the browser's range ran out before the rows did (or the other way round): then the thumb has to be
 * set at once, since the wheel would be stuck.
 */
export const isStuck = (map: ScrollMap): boolean => {
  if (!isMapped(map)) return false;
  const atTop = map.scrollTop <= 0;
  const atEnd = map.scrollTop >= maxScroll(map) - 1;
  // A pixel before the end is no end yet: the thumb rests there, and the next movement takes it.
  return (atTop && map.viewTop > 0) || (atEnd && map.viewTop < maxView(map) - 1);
};

/** Jump to a place in the content; the caller sets the browser's scroll position to the answer's. */
export const jumpTo = (map: ScrollMap, viewTop: number): ScrollMap => {
  const next = { ...map, viewTop: clamp(Math.round(viewTop), maxView(map)) };
  return { ...next, scrollTop: restingScrollTop(next) };
};

/** Other sizes: keeps what is looked at in its place. */
export const resized = (map: ScrollMap, contentHeight: number, viewportHeight: number): ScrollMap =>
  jumpTo({ ...map, contentHeight, viewportHeight }, map.viewTop);

/** Smallest movement that brings [top, bottom) of the content into the viewport. */
export const reveal = (map: ScrollMap, top: number, bottom: number): number => {
  if (top < map.viewTop) return top;
  if (bottom > map.viewTop + map.viewportHeight) return bottom - map.viewportHeight;
  return map.viewTop;
};
