import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';

const OVERSCAN_PX = 400;

/** First index whose end lies beyond `at`; `ends` rise. */
const indexAt = (ends: readonly number[], at: number): number => {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** A long list of which only what is in sight is drawn; heights are guessed first and then measured. */
export const VirtualList = <T,>({
  items,
  keyOf,
  estimate,
  render,
  className = '',
  label,
  children,
}: {
  items: readonly T[];
  keyOf: (item: T) => string;
  estimate: (item: T) => number;
  render: (item: T) => ReactNode;
  className?: string;
  label: string;
  /** Stands above the items and scrolls with them. */
  children?: ReactNode;
}) => {
  const frame = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<string, number>());
  const [measured, setMeasured] = useState(0);
  const [sight, setSight] = useState({ top: 0, height: 800 });
  const ends = useMemo(() => {
    let at = 0;
    return items.map((item) => (at += heights.current.get(keyOf(item)) ?? estimate(item)));
    // `measured` stands for the heights, which change in place.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- keyOf and estimate are pure functions of the item
  }, [items, measured]);
  const first = indexAt(ends, sight.top - OVERSCAN_PX);
  const last = Math.min(items.length - 1, indexAt(ends, sight.top + sight.height + OVERSCAN_PX));
  const above = ends[first - 1] ?? 0;
  const below = (ends.at(-1) ?? 0) - (ends[last] ?? 0);

  const [observer] = useState(
    () =>
      new ResizeObserver((entries) => {
        let isChanged = false;
        for (const { target } of entries) {
          const key = target instanceof HTMLElement ? target.dataset['key'] : undefined;
          if (key === undefined || !(target instanceof HTMLElement) || !target.isConnected) continue;
          if (heights.current.get(key) === target.offsetHeight) continue;
          heights.current.set(key, target.offsetHeight);
          isChanged = true;
        }
        if (isChanged) setMeasured((count) => count + 1);
      }),
  );
  useEffect(() => () => observer.disconnect(), [observer]);
  const observe = useCallback(
    (node: HTMLDivElement | null) => {
      if (!node) return undefined;
      observer.observe(node);
      return () => observer.unobserve(node);
    },
    [observer],
  );
  useLayoutEffect(() => {
    const node = frame.current;
    if (!node) return undefined;
    const look = (): void =>
      setSight((before) =>
        before.top === node.scrollTop && before.height === node.clientHeight
          ? before
          : { top: node.scrollTop, height: node.clientHeight },
      );
    look();
    const size = new ResizeObserver(look);
    size.observe(node);
    node.addEventListener('scroll', look, { passive: true });
    return () => {
      size.disconnect();
      node.removeEventListener('scroll', look);
    };
  }, []);

  return (
    <div className={className} ref={frame}>
      {children}
      {items.length > 0 ? (
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- spacers between ul and li would be no list
        <div role="list" aria-label={label}>
          <div role="presentation" style={{ height: above }} />
          {items.slice(first, last + 1).map((item, i) => {
            const key = keyOf(item);
            return (
              <div
                // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- belongs to the list role around it
                role="listitem"
                aria-setsize={items.length}
                aria-posinset={first + i + 1}
                key={key}
                data-key={key}
                ref={observe}
              >
                {render(item)}
              </div>
            );
          })}
          <div role="presentation" style={{ height: Math.max(0, below) }} />
        </div>
      ) : null}
    </div>
  );
};
