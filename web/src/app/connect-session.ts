import { listenForJobs } from '../features/dashboard/api.ts';
import {
  listenForNotifications,
  notifications,
  openNotificationsOf,
} from '../features/notifications/store.ts';
import { setCallHooks } from '../platform/call.ts';
import { currentLanguage, setLanguage, setNumberFormat, t } from '../platform/i18n/i18n.ts';
import { live } from '../platform/live.ts';
import { tellRestored } from '../platform/saved-work.ts';
import {
  currentUser,
  leave,
  loadSession,
  noteActivity,
  noteSessionExpiry,
  pickLanguage,
  savePreference,
  session,
} from '../platform/session.ts';
import { onAltTap } from '../platform/shortcuts.ts';
import { applyTheme } from '../platform/theme.ts';
import { toast } from '../ui/toasts.tsx';
import { queryClient } from './query-client.ts';
import { reportError } from './report-errors.ts';

/** Ties session, calls, socket, language and theme together; the only place that knows them all. */
export const connectSession = (): void => {
  setCallHooks({
    language: currentLanguage,
    onUnauthenticated: () => leave('sessionExpired'),
    onSessionExpiry: noteSessionExpiry,
    texts: () => ({
      network: t('error.network'),
      timeout: t('error.timeout'),
      generic: t('error.genericText'),
    }),
  });
  live.onSessionEnded = () => leave('sessionExpired');
  live.onUnknown = (handler) => {
    reportError(new Error(`live message for an unknown handler: ${handler}`));
    if (import.meta.env.DEV) toast('error', handler);
  };
  live.onRightsChanged = () => {
    // Menu, systems and what each record allows: all of it was answered with the rights of before.
    void loadSession().then(() => queryClient.invalidateQueries());
  };
  window.addEventListener('online', () => live.wake());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') live.wake();
  });
  listenForNotifications();
  listenForJobs();
  tellRestored(() => toast('info', t('session.restored')));
  for (const type of ['keydown', 'pointerdown', 'pointermove', 'touchstart', 'wheel'] as const)
    window.addEventListener(type, noteActivity, { capture: true, passive: true });
  followRuns();
  let userId: string | null = null;
  session.subscribe(() => {
    const state = session.get();
    if (state.status === 'loggedIn') setNumberFormat(state.userPreferences.options.formats.numberFormat);
    const next = state.status === 'loggedIn' ? state.user.internalId : null;
    if (next === userId) return;
    userId = next;
    queryClient.clear();
    if (state.status === 'loggedIn') {
      openNotificationsOf(state.user.internalId);
      live.open();
      applyTheme(state.userPreferences.options.theme);
    } else live.close();
  });
  onAltTap(() => {
    const isOff = currentUser()?.userPreferences.options.altSwitchesLanguage === false;
    if (!isOff) void switchLanguage(currentLanguage() === 'EN' ? 'NL' : 'EN');
  });
};

/** Messages of a long run come many times a second. */
const RUNS_MS = 500;

/** A run that begins, moves on or ends says so in the notifications, sooner than the connectors' screens ask. */
const followRuns = (): void => {
  let known = notifications.get().list;
  let timer = 0;
  notifications.subscribe(() => {
    const { list } = notifications.get();
    const isNews = list.some((item) => item.url?.startsWith('/connectors/') && !known.includes(item));
    known = list;
    if (!isNews || timer !== 0) return;
    timer = window.setTimeout(() => {
      timer = 0;
      void queryClient.invalidateQueries({ queryKey: ['connectors'] });
    }, RUNS_MS);
  });
};

/** At once here, then on the server (with the next log in where nobody is); what it words itself is asked for again. */
export const switchLanguage = async (language: 'EN' | 'NL'): Promise<void> => {
  if (session.get().status !== 'loggedIn') {
    await pickLanguage(language);
    return;
  }
  await setLanguage(language);
  await savePreference('language', language, { isBackground: false });
  await queryClient.invalidateQueries();
};
