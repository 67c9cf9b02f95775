import { type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import { TypeAhead } from './type-ahead.ts';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;

/** The link in the next column (or the one before) that stands at about the same height. */
const beside = (link: HTMLElement, step: 1 | -1): HTMLElement | null => {
  const column = link.closest('.mega-col');
  const next = step > 0 ? column?.nextElementSibling : column?.previousElementSibling;
  const { top } = link.getBoundingClientRect();
  const links = [...(next?.querySelectorAll<HTMLElement>('a') ?? [])];
  const distance = (one: HTMLElement): number => Math.abs(one.getBoundingClientRect().top - top);
  return links.toSorted((a, b) => distance(a) - distance(b))[0] ?? null;
};

/**
 * Keys of an open dropdown: arrows, Home and End walk through its links, letters go to a title. They act while it is
 * open only, and never on what is typed into a field. Keyboard and mouse take turns: the one that was used last
 * decides which link stands out.
 */
export const useMenuKeys = (
  root: RefObject<HTMLElement | null>,
  isOpen: boolean,
  onBeside: (step: 1 | -1) => void,
): void => {
  const typeAhead = useRef(new TypeAhead());
  const handleBeside = useEffectEvent(onBeside);
  useEffect(() => {
    if (!isOpen) return undefined;
    const setMode = (mode: 'keyboard' | 'mouse'): void => {
      if (root.current) root.current.dataset['mode'] = mode;
    };
    const handleKey = (event: KeyboardEvent): void => {
      const menu = root.current;
      if (!menu || isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      const links = [...menu.querySelectorAll<HTMLElement>('a')];
      const current = links.findIndex((link) => link === document.activeElement);
      const go = (link: HTMLElement | null | undefined): void => {
        event.preventDefault();
        if (!link) return;
        setMode('keyboard');
        link.focus();
      };
      const count = links.length;
      const at = links[current];
      if (event.key === 'ArrowDown') go(links[(current + 1) % count]);
      else if (event.key === 'ArrowUp') go(links[(Math.max(current, 0) - 1 + count) % count]);
      else if (event.key === 'Home') go(links[0]);
      else if (event.key === 'End') go(links.at(-1));
      else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
        const step = event.key === 'ArrowRight' ? 1 : -1;
        const next = at ? beside(at, step) : null;
        if (next) go(next);
        else {
          event.preventDefault();
          handleBeside(step);
        }
      } else if (event.key.length === 1 && event.key !== ' ') {
        const titles = links.map((link) => link.textContent);
        const found = typeAhead.current.next(event.key, titles, current, event.timeStamp);
        if (found >= 0) go(links[found]);
      }
    };
    const handleMove = (): void => {
      if (root.current?.dataset['mode'] !== 'keyboard') return;
      setMode('mouse');
      // The keys go on from the menu, but no link of it stands out any more.
      if (root.current.contains(document.activeElement)) root.current.focus({ preventScroll: true });
    };
    window.addEventListener('keydown', handleKey);
    window.addEventListener('mousemove', handleMove);
    return () => {
      window.removeEventListener('keydown', handleKey);
      window.removeEventListener('mousemove', handleMove);
    };
  }, [isOpen, root]);
};
