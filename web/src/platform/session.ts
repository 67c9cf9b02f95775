import type { PreferenceOptions, SessionReply, UserPreferences } from '@sluice/contract';
import { ApiError, call } from './call.ts';
import { createStore } from './store.ts';

/** `unknown` until the server was asked who is logged in. */
export type SessionState =
  | { status: 'unknown' }
  | { status: 'anonymous'; cause: 'none' | 'loggedOut' | 'sessionExpired' }
  | ({ status: 'loggedIn' } & SessionReply);

export const session = createStore<SessionState>({ status: 'unknown' });
/** When the session ends, in this computer's clock (ms). */
export const sessionEnd = createStore<number | null>(null);

const ASSUMED_SESSION_MS = 60 * 60_000;

/** Uses the difference to the server's own date, so that a wrong clock here does no harm. */
export const noteSessionExpiry = (expiresAt: string | null, serverDate: string | null): void => {
  if (session.get().status !== 'loggedIn') return;
  const left = expiresAt && serverDate ? Date.parse(expiresAt) - Date.parse(serverDate) : ASSUMED_SESSION_MS;
  sessionEnd.set(Date.now() + (Number.isFinite(left) ? left : ASSUMED_SESSION_MS));
};

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('sluice-session');

channel?.addEventListener('message', (event: MessageEvent<unknown>) => {
  if (event.data === 'logout' && session.get().status === 'loggedIn') {
    session.set({ status: 'anonymous', cause: 'loggedOut' });
  }
  if (event.data === 'login' && session.get().status !== 'loggedIn') void loadSession();
});

const enter = (reply: SessionReply): void => {
  session.set({ status: 'loggedIn', ...reply });
};

let loading: Promise<void> | null = null;

/** Asks the server once who is logged in. */
export const loadSession = (): Promise<void> => {
  loading ??= call('getSession')
    .then(enter)
    .catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) {
        session.set({ status: 'anonymous', cause: 'none' });
      } else throw error;
    })
    .finally(() => {
      loading = null;
    });
  return loading;
};

export const logIn = async (username: string, password: string, code?: string): Promise<void> => {
  enter(await call('login', { body: { username, password, ...(code ? { code } : {}) } }));
  channel?.postMessage('login');
};

/** Ends a sign-in with a provider: `query` is what the provider has put behind our address. */
export const finishProviderLogin = async (
  provider: string,
  query: string,
): Promise<'in' | 'unauthorized'> => {
  try {
    const reply = await call('providerCallback', {
      params: { provider },
      query: Object.fromEntries(new URLSearchParams(query)),
    });
    // Null: this sign-in has ended already, and the session stands.
    if (reply === null || reply === 'Unauthorized') await loadSession();
    else enter(reply);
    channel?.postMessage('login');
    return 'in';
  } catch (error) {
    if (error instanceof ApiError && error.status === 401 && error.code === 'Unauthorized')
      return 'unauthorized';
    throw error;
  }
};

export const logOut = async (): Promise<void> => {
  try {
    await call('logout');
  } catch (error) {
    console.error('log out failed on the server', error);
  }
  leave('loggedOut');
  channel?.postMessage('logout');
};

/** The session is over: by log out, or because the server said so. */
export const leave = (cause: 'loggedOut' | 'sessionExpired'): void => {
  sessionEnd.set(null);
  if (session.get().status === 'loggedIn') session.set({ status: 'anonymous', cause });
  else if (session.get().status === 'unknown') session.set({ status: 'anonymous', cause: 'none' });
};

export const currentUser = (): SessionReply | null => {
  const state = session.get();
  return state.status === 'loggedIn' ? state : null;
};

/** For screens that only a user ever sees. */
export const requireUser = (): SessionReply => {
  const user = currentUser();
  if (!user) throw new ApiError('NULL_STATE', 0, 'state.value is not set', null);
  return user;
};

const setPreferences = (userPreferences: UserPreferences): void => {
  session.set((state) => (state.status === 'loggedIn' ? { ...state, userPreferences } : state));
};

/** Shows a changed preference at once and saves it; what the server answers is what counts. */
export const savePreference = async (
  path: string,
  value: unknown,
  change: (options: PreferenceOptions) => PreferenceOptions,
): Promise<void> => {
  const before = currentUser()?.userPreferences;
  if (!before) return;
  setPreferences({ ...before, options: change(before.options) });
  try {
    await call('patchUserPreferences', { body: [{ op: 'replace', path, value }], isBackground: true });
  } catch (error) {
    setPreferences(before);
    throw error;
  }
};

export const saveLanguage = async (language: 'EN' | 'NL'): Promise<void> => {
  const before = currentUser()?.userPreferences;
  if (!before) return;
  setPreferences({ ...before, language });
  await call('patchUserPreferences', { body: [{ op: 'replace', path: 'language', value: language }] });
};
