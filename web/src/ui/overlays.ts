import { useEffect, useEffectEvent } from 'react';
import { pauseShortcuts } from '../platform/shortcuts.ts';

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

/** The session is about to end: everything closes. */
export const closeAllOverlays = (): void => {
  for (const entry of [...stack].reverse()) entry.close();
};

export const useOverlay = (kind: OverlayKind, isOpen: boolean, close: () => void): void => {
  const handleClose = useEffectEvent(close);
  useEffect(() => (isOpen ? pushOverlay(kind, () => handleClose()) : undefined), [kind, isOpen]);
};
