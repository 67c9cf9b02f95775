import type { KeyboardEvent } from 'react';

/** Arrows walk through the links of an open dropdown. */
export const walkLinks = (event: KeyboardEvent<HTMLElement>): void => {
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
  const step = steps[event.key];
  if (!step) return;
  const links = [...(event.currentTarget.closest('nav')?.querySelectorAll<HTMLElement>('a') ?? [])];
  const at = links.indexOf(document.activeElement as HTMLElement);
  links[(at + step + links.length) % links.length]?.focus();
  event.preventDefault();
};
