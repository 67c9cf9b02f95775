import { capsOf } from './key-caps.ts';

export const isMac = navigator.platform.startsWith('Mac');

export const keyCaps = (keys: readonly string[]): string[] => capsOf(keys, isMac);

export interface Shortcut {
  matches: (event: KeyboardEvent) => boolean;
  run: () => void;
}

const shortcuts = new Set<Shortcut>();

export const addShortcut = (shortcut: Shortcut): (() => void) => {
  shortcuts.add(shortcut);
  return () => shortcuts.delete(shortcut);
};

export const isMod = (event: KeyboardEvent): boolean => event.ctrlKey || event.metaKey;

let pauses = 0;
/** Open dropdowns have the keys for themselves. */
export const pauseShortcuts = (): (() => void) => {
  pauses++;
  return () => {
    pauses--;
  };
};

window.addEventListener('keydown', (event) => {
  if (pauses > 0 || event.defaultPrevented) return;
  for (const shortcut of shortcuts) {
    if (!shortcut.matches(event)) continue;
    event.preventDefault();
    shortcut.run();
    return;
  }
});

const TAP_MS = 500;

/**
 * A clean tap of the left Alt key: nothing else pressed in between. Alt as part of a chord, AltGr and holding it
 * for the browser's menu do nothing.
 */
export const onAltTap = (run: () => void): (() => void) => {
  let downAt = 0;
  const spoil = (): void => {
    downAt = 0;
  };
  const down = (event: KeyboardEvent): void => {
    const isAlone = event.code === 'AltLeft' && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    downAt = isAlone && !event.repeat ? performance.now() : 0;
  };
  const up = (event: KeyboardEvent): void => {
    if (event.code === 'AltLeft' && downAt > 0 && performance.now() - downAt < TAP_MS) {
      event.preventDefault();
      run();
    }
    downAt = 0;
  };
  window.addEventListener('keydown', down, true);
  window.addEventListener('keyup', up, true);
  window.addEventListener('pointerdown', spoil, true);
  window.addEventListener('blur', spoil);
  return () => {
    window.removeEventListener('keydown', down, true);
    window.removeEventListener('keyup', up, true);
    window.removeEventListener('pointerdown', spoil, true);
    window.removeEventListener('blur', spoil);
  };
};
