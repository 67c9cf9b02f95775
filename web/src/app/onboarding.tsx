import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../platform/i18n/i18n.ts';
import { savePreference, session } from '../platform/session.ts';
import { useStore } from '../platform/store.ts';
import { switchLanguage } from './connect-session.ts';

/** What is pointed at, in the order of a first visit: each once, remembered as a flag of its own. */
const STEPS = [
  { id: 'selector', at: '.nav .sys' },
  { id: 'menu', at: '.main-menu .item[aria-haspopup]' },
  { id: 'table', at: '.gridhost [role=columnheader]' },
  { id: 'push', at: '.tools .btn.primary' },
  { id: 'notifications', at: '[data-hint=notifications]' },
] as const;

const flagOf = (id: string): string => `onboarding-${id}`;
/** The screens come in pieces; what is pointed at may be there a little later. */
const LOOK_MS = 500;
const WIDTH = 300;

interface Hint {
  id: (typeof STEPS)[number]['id'];
  left: number;
  top: number;
}

const find = (seen: Readonly<Record<string, unknown>>): Hint | null => {
  for (const { id, at } of STEPS) {
    if (seen[flagOf(id)]) continue;
    const box = document.querySelector(at)?.getBoundingClientRect();
    if (!box || box.width === 0) continue;
    const left = Math.max(8, Math.min(box.left, window.innerWidth - WIDTH - 8));
    return { id, left, top: Math.min(box.bottom + 10, window.innerHeight - 160) };
  }
  return null;
};

/** Hints for who is new, one at a time, beside what they are about. They hold nothing up. */
export const Onboarding = () => {
  const { t } = useTranslation();
  const state = useStore(session);
  const { pathname } = useLocation();
  const [hint, setHint] = useState<Hint | null>(null);
  const seen = state.status === 'loggedIn' ? state.userPreferences.options.tutorial : null;
  const isDone = seen === null || STEPS.every(({ id }) => seen[flagOf(id)]);
  useEffect(() => {
    if (isDone) return undefined;
    const look = (): void => {
      // Nor over what stands in a table's place: how far its first reading is, or what to do.
      const isCovered =
        document.querySelector('[role=dialog], [role=menu], .drop, .gridwrap .empty') !== null;
      const next = isCovered ? null : find(seen);
      setHint((now) =>
        now?.id === next?.id && now?.left === next?.left && now?.top === next?.top ? now : next,
      );
    };
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [isDone, seen, pathname]);
  if (isDone || !hint) return null;
  const remember = (ids: readonly string[]): void => {
    const flags = Object.fromEntries(ids.map((id) => [flagOf(id), true]));
    const tutorial = { ...seen, ...flags };
    setHint(null);
    savePreference('options/tutorial', tutorial).catch((error: unknown) =>
      console.error('a hint was not remembered', error),
    );
  };
  // Who is new may have met the other language.
  const other =
    currentLanguage() === 'EN'
      ? { code: 'NL' as const, name: 'Nederlands' }
      : { code: 'EN' as const, name: 'English' };
  const number = STEPS.findIndex(({ id }) => id === hint.id) + 1;
  return (
    <section
      className="hint-card"
      style={{ left: hint.left, top: hint.top, width: WIDTH }}
      aria-label={t('onboarding.step', { number, total: STEPS.length })}
    >
      <p className="mut">
        {t('onboarding.step', { number, total: STEPS.length })}
        <span className="sp" />
        <button
          type="button"
          className="link"
          lang={other.code.toLowerCase()}
          onClick={() => void switchLanguage(other.code)}
        >
          {other.name}
        </button>
      </p>
      <h2>{t(`onboarding.${hint.id}Title`)}</h2>
      <p>{t(`onboarding.${hint.id}`)}</p>
      <p className="ways">
        <button type="button" className="link" onClick={() => remember(STEPS.map(({ id }) => id))}>
          {t('onboarding.skip')}
        </button>
        <span className="sp" />
        <button type="button" className="btn primary" onClick={() => remember([hint.id])}>
          {t(number === STEPS.length ? 'onboarding.done' : 'onboarding.next')}
        </button>
      </p>
    </section>
  );
};
