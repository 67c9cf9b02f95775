import { useEffect, useEffectEvent, useLayoutEffect } from 'react';
import { pauseShortcuts } from '../platform/shortcuts.ts';
import { createStore } from '../platform/store.ts';

/** The specification's kinds of overlays. */
const overlayKinds = { weak: 0, dropdown: 1, normal: 2 } as const;
export type OverlayKind = keyof typeof overlayKinds;

interface Entry {
  kind: OverlayKind;
  close: () => void;
}

const stack: Entry[] = [];

/** Opening an overlay closes the one before it when that is weak or a dropdown. */
const pushOverlay = (kind: OverlayKind, close: () => void): (() => void) => {
  const before = stack.at(-1);
  if (before && overlayKinds[before.kind] < overlayKinds.normal) before.close();
  const entry = { kind, close };
  stack.push(entry);
  const resume = kind === 'weak' ? () => undefined : pauseShortcuts();
  return () => {
    const at = stack.indexOf(entry);
    if (at >= 0) stack.splice(at, 1);
    resume();
  };
};

/** Whether the session is about to end: what holds typed text is out of the way meanwhile, and comes back after it. */
export const isSessionEnding = createStore(false);

/** The session is about to end: everything closes. */
export const closeAllOverlays = (): void => {
  for (const entry of [...stack].reverse()) entry.close();
};

/** What stays when an overlay has closed: an entry of a menu goes with its menu, the button of it stays. */
const stayingOpener = (): HTMLElement | null => {
  const focused = document.activeElement;
  const menu = focused?.closest('[role=menu]');
  const opener = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : focused;
  return opener instanceof HTMLElement && opener !== document.body ? opener : null;
};

/** Gives the focus back to where it was, also to a dialog that is taken away as a whole. */
export const useReturnFocus = (isOpen: boolean): void => {
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const opener = stayingOpener();
    return () => {
      // Whatever has taken the focus meanwhile keeps it.
      setTimeout(() => {
        if (document.activeElement === document.body) opener?.focus({ preventScroll: true });
      });
    };
  }, [isOpen]);
};

const isInDropdown = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('[role=menu], .mantine-Popover-dropdown') !== null;

// A dropdown gets the focus a moment after it opened, and Escape closes it also then. Later its own fields have the key
// first.
window.addEventListener(
  'keydown',
  (event) => {
    const top = stack.at(-1);
    if (event.key !== 'Escape' || event.isComposing) return;
    if (top?.kind !== 'dropdown' || isInDropdown(event.target)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    top.close();
  },
  true,
);

/** The focus that a dropdown takes after it was closed would go with it. */
const useLateFocus = (isDropdown: boolean): void => {
  useLayoutEffect(() => {
    if (!isDropdown) return undefined;
    const opener = stayingOpener();
    return () => {
      setTimeout(() => {
        const isOpen = stack.some(({ kind }) => kind === 'dropdown');
        if (!isOpen && isInDropdown(document.activeElement)) opener?.focus({ preventScroll: true });
      });
    };
  }, [isDropdown]);
};

export const useOverlay = (kind: OverlayKind, isOpen: boolean, close: () => void): void => {
  const handleClose = useEffectEvent(close);
  useEffect(() => (isOpen ? pushOverlay(kind, () => handleClose()) : undefined), [kind, isOpen]);
  useLateFocus(kind === 'dropdown' && isOpen);
};
