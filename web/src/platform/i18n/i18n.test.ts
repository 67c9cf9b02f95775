import { beforeAll, expect, it } from 'vitest';
import { loadTexts, setLanguage, startI18n, t } from './i18n.ts';

// What the module knows of a browser.
beforeAll(() => {
  const kept = new Map<string, string>();
  Object.assign(globalThis, {
    localStorage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
    },
    document: { documentElement: { lang: '' } },
  });
});

it('[I18N-02] texts asked for while the language is being switched come in the new language too', async () => {
  await startI18n(Promise.resolve('EN'));
  const switched = setLanguage('NL');
  await loadTexts('inside');
  await switched;
  expect(t('nav.logOut')).toBe('Uitloggen');
  await setLanguage('EN');
  expect(t('nav.logOut')).toBe('Log out');
});
