import { listenForNotifications, notifications } from '../features/notifications/store.ts';
import { setCallHooks } from '../platform/call.ts';
import { currentLanguage, setLanguage, setNumberFormat, t } from '../platform/i18n/i18n.ts';
import { live } from '../platform/live.ts';
import { leave, noteSessionExpiry, saveLanguage, session } from '../platform/session.ts';
import { onAltTap } from '../platform/shortcuts.ts';
import { applyTheme } from '../platform/theme.ts';
import { queryClient } from './query-client.ts';

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
  listenForNotifications();
  // A run that begins, moves on or ends says so here, sooner than the screens of the connectors ask.
  let known = notifications.get().list;
  notifications.subscribe(() => {
    const { list } = notifications.get();
    const isOfConnector = list.some((item) => item.url?.startsWith('/connectors/') && !known.includes(item));
    known = list;
    if (isOfConnector)
      void queryClient.invalidateQueries({ queryKey: ['connectors'] }, { cancelRefetch: false });
  });
  let userId: string | null = null;
  session.subscribe(() => {
    const state = session.get();
    if (state.status === 'loggedIn') setNumberFormat(state.userPreferences.options.formats.numberFormat);
    const next = state.status === 'loggedIn' ? state.user.internalId : null;
    if (next === userId) return;
    userId = next;
    queryClient.clear();
    if (state.status === 'loggedIn') {
      live.open();
      applyTheme(state.userPreferences.options.theme);
      void setLanguage(state.userPreferences.language);
    } else live.close();
  });
  onAltTap(() => void switchLanguage(currentLanguage() === 'EN' ? 'NL' : 'EN'));
};

/** At once here, then on the server; what the server words itself is asked for again. */
export const switchLanguage = async (language: 'EN' | 'NL'): Promise<void> => {
  await setLanguage(language);
  if (session.get().status === 'loggedIn') {
    await saveLanguage(language);
    await queryClient.invalidateQueries();
  }
};
