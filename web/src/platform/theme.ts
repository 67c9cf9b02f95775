import { createStore, useStore } from './store.ts';

export type Theme = 'system' | 'light' | 'dark';
const STORAGE_KEY = 'sluice.theme';

const stored = localStorage.getItem(STORAGE_KEY);
export const theme = createStore<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system');

/** tokens.css follows the system unless the page says otherwise; the choice is kept for the log-in page too. */
export const applyTheme = (next: Theme): void => {
  theme.set(next);
  if (next === 'system') {
    delete document.documentElement.dataset['theme'];
    localStorage.removeItem(STORAGE_KEY);
  } else {
    document.documentElement.dataset['theme'] = next;
    localStorage.setItem(STORAGE_KEY, next);
  }
};

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const isSystemDark = createStore(dark.matches);
dark.addEventListener('change', () => isSystemDark.set(dark.matches));

/** What is really shown: for the parts that need to be told. Follows the system, which may change at sunset. */
export const useShownTheme = (): 'light' | 'dark' => {
  const choice = useStore(theme);
  const isDark = useStore(isSystemDark);
  return choice === 'system' ? (isDark ? 'dark' : 'light') : choice;
};
