import { createStore } from './store.ts';

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

/** What is really shown: for the parts that need to be told. */
export const shownTheme = (choice: Theme): 'light' | 'dark' =>
  choice === 'system' ? (dark.matches ? 'dark' : 'light') : choice;
