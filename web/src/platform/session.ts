import type { SessionReply, UserPreferences } from '@sluice/contract';
import { defaultNumberFormat } from '@sluice/mapping';
import { ApiError, call } from './call.ts';
import { setLanguage } from './i18n/i18n.ts';
import { dropRedirect, keepRedirect } from './kept-redirect.ts';
import { loadWork, saveWork } from './saved-work.ts';
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
/** So much later or sooner than known is worth telling the other tabs. */
const TOLD_MS = 2000;

/** Uses the difference to the server's own date, so that a wrong clock here does no harm. */
export const noteSessionExpiry = (expiresAt: string | null, serverDate: string | null): void => {
  if (session.get().status !== 'loggedIn') return;
  const left = expiresAt && serverDate ? Date.parse(expiresAt) - Date.parse(serverDate) : ASSUMED_SESSION_MS;
  const end = Date.now() + (Number.isFinite(left) ? left : ASSUMED_SESSION_MS);
  const before = sessionEnd.get();
  sessionEnd.set(end);
  // Tabs share the session: who prolongs it here closes the warning there.
  if (before === null || Math.abs(end - before) > TOLD_MS) tell({ kind: 'end', at: end });
};

/** What tabs tell each other. */
type Told =
  | { kind: 'login'; userId: string }
  | { kind: 'logout' | 'expired' | 'active' | 'stay' }
  | { kind: 'end'; at: number };

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('sluice-session');

const tell = (told: Told): void => channel?.postMessage(told);

channel?.addEventListener('message', ({ data }: MessageEvent<Told>) => {
  const state = session.get();
  if (data.kind === 'login') {
    // Somebody else is logged in now: nothing of the page of before may stay.
    if (state.status === 'loggedIn' && state.user.internalId !== data.userId) location.assign('/');
    else if (state.status !== 'loggedIn') void loadSession();
  }
  if (state.status !== 'loggedIn') return;
  if (data.kind === 'logout') leaveHere('loggedOut');
  if (data.kind === 'expired') leaveHere('sessionExpired');
  if (data.kind === 'end') sessionEnd.set(data.at);
  if (data.kind === 'active') lastActivity.set(Date.now());
  if (data.kind === 'stay') noteStay();
});

/** When a key, pointer or touch was last seen, in this tab or another. */
export const lastActivity = createStore(Date.now());

/** Told to other tabs no more often than this. */
const ACTIVITY_MS = 5000;

export const noteActivity = (): void => {
  if (Date.now() - lastActivity.get() < ACTIVITY_MS) return;
  lastActivity.set(Date.now());
  tell({ kind: 'active' });
};

/** When somebody last answered that they are still there, in this tab or another. */
export const stayedAt = createStore(0);

const noteStay = (): void => {
  lastActivity.set(Date.now());
  stayedAt.set(Date.now());
};

/** The answer to the question whether anybody is still there: it closes the question in every tab. */
export const answerStay = (): void => {
  noteStay();
  tell({ kind: 'stay' });
};

const PICKED_KEY = 'sluice.picked-language';

/** Chosen before anybody is logged in, it is the language of whoever logs in here next. */
export const pickLanguage = async (language: 'EN' | 'NL'): Promise<void> => {
  sessionStorage.setItem(PICKED_KEY, language);
  await setLanguage(language);
};

/** What entering says of the preferences: a language picked before, and how the browser of a new user writes numbers. */
const wishesOf = ({ userPreferences, isFirstVisit }: SessionReply): Partial<UserPreferences> => {
  const picked = sessionStorage.getItem(PICKED_KEY);
  sessionStorage.removeItem(PICKED_KEY);
  const language = picked === 'EN' || picked === 'NL' ? picked : userPreferences.language;
  const numberFormat = defaultNumberFormat(navigator.language);
  const { options } = userPreferences;
  return {
    ...(language === userPreferences.language ? {} : { language }),
    ...(isFirstVisit ? { options: { ...options, formats: { ...options.formats, numberFormat } } } : {}),
  };
};

const saveWishes = async ({ language, options }: Partial<UserPreferences>): Promise<void> => {
  const body = [
    ...(language ? [{ op: 'replace' as const, path: 'language', value: language }] : []),
    ...(options ? [{ op: 'replace' as const, path: 'options/formats', value: options.formats }] : []),
  ];
  if (body.length > 0) await call('patchUserPreferences', { body, isBackground: true });
};

const enter = async (answer: SessionReply): Promise<void> => {
  let reply = answer;
  if (session.get().status !== 'loggedIn') {
    const wishes = wishesOf(answer);
    reply = { ...answer, userPreferences: { ...answer.userPreferences, ...wishes } };
    saveWishes(wishes).catch((error: unknown) => console.error('preferences were not saved', error));
    // First of all: what the screens ask for once they are there is asked for in this language.
    await Promise.all([
      setLanguage(reply.userPreferences.language),
      asked?.work ?? loadWork(reply.user.internalId),
    ]);
    lastActivity.set(Date.now());
  }
  session.set({ status: 'loggedIn', ...reply });
};

/** The first question who is logged in, and that person's unfinished work. */
let asked: { session: Promise<SessionReply>; work: Promise<void> } | null = null;

/** Asks who is logged in before the answer can be taken in (`loadSession` does); answers that user's language. */
export const askSession = async (): Promise<'EN' | 'NL' | null> => {
  const reply = call('getSession');
  // What went wrong is told where the answer is taken.
  const work = reply.then(({ user }) => loadWork(user.internalId)).catch(() => undefined);
  asked = { session: reply, work };
  return await reply.then(({ userPreferences }) => userPreferences.language).catch(() => null);
};

let loading: Promise<void> | null = null;

/** Asks the server once who is logged in. */
export const loadSession = (): Promise<void> => {
  loading ??= (asked?.session ?? call('getSession'))
    .then(enter)
    .catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) {
        session.set({ status: 'anonymous', cause: 'none' });
      } else throw error;
    })
    .finally(() => {
      loading = null;
      asked = null;
    });
  return loading;
};

export const logIn = async (username: string, password: string, code?: string): Promise<void> => {
  const reply = await call('login', { body: { username, password, ...(code ? { code } : {}) } });
  await enter(reply);
  tell({ kind: 'login', userId: reply.user.internalId });
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
    else await enter(reply);
    const user = currentUser()?.user;
    if (user) tell({ kind: 'login', userId: user.internalId });
    return 'in';
  } catch (error) {
    if (error instanceof ApiError && error.status === 401 && error.code === 'Unauthorized')
      return 'unauthorized';
    throw error;
  }
};

/** Nobody has been here for long: as an end of the session, but the server is told. */
export const logOutInactive = async (): Promise<void> => {
  // First, so that what is unfinished is gathered while it is there.
  leave('sessionExpired');
  await call('logout').catch((error: unknown) => console.error('log out failed on the server', error));
};

/** The server ends the socket before it answers: that is not yet another end of the session. */
let isLoggingOut = false;

export const logOut = async (): Promise<void> => {
  isLoggingOut = true;
  tell({ kind: 'logout' });
  try {
    await call('logout');
  } catch (error) {
    console.error('log out failed on the server', error);
  }
  isLoggingOut = false;
  leaveHere('loggedOut');
};

/** The session is over: by log out, or because the server said so. */
export const leave = (cause: 'loggedOut' | 'sessionExpired'): void => {
  if (isLoggingOut) return;
  const wasIn = session.get().status === 'loggedIn';
  leaveHere(cause);
  if (wasIn && cause === 'sessionExpired') tell({ kind: 'expired' });
};

const leaveHere = (cause: 'loggedOut' | 'sessionExpired'): void => {
  const state = session.get();
  if (state.status === 'loggedIn') {
    // Who logs out has finished; who is put out goes on where he was.
    if (cause === 'sessionExpired') {
      saveWork(state.user.internalId);
      keepRedirect(location.pathname + location.search + location.hash);
    } else dropRedirect();
  }
  sessionEnd.set(null);
  if (state.status === 'loggedIn') session.set({ status: 'anonymous', cause });
  else if (state.status === 'unknown') session.set({ status: 'anonymous', cause: 'none' });
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

/** What stands at a path of the preferences. */
export type PreferenceAt<P extends string, T = UserPreferences> = P extends `${infer First}/${infer Rest}`
  ? First extends keyof T
    ? PreferenceAt<Rest, T[First]>
    : never
  : P extends keyof T
    ? T[P]
    : never;

type Holder = Readonly<Record<string, unknown>>;
const valueAt = (holder: unknown, path: readonly string[]): unknown =>
  path.reduce((found, name) => (found as Holder | undefined)?.[name], holder);
const withAt = (holder: unknown, [first = '', ...rest]: readonly string[], value: unknown): Holder => {
  const now = holder as Holder | undefined;
  return { ...now, [first]: rest.length === 0 ? value : withAt(now?.[first], rest, value) };
};

/** Shows a changed preference at once and saves it; one that could not be saved goes back, and nothing else with it. */
export const savePreference = async <P extends string>(
  path: P,
  value: PreferenceAt<P>,
  { isBackground = true }: { isBackground?: boolean } = {},
): Promise<void> => {
  const before = currentUser()?.userPreferences;
  if (!before) return;
  const names = path.split('/');
  const show = (all: UserPreferences, shown: unknown): void =>
    setPreferences(withAt(all, names, shown) as UserPreferences);
  show(before, value);
  try {
    await call('patchUserPreferences', { body: [{ op: 'replace', path, value }], isBackground });
  } catch (error) {
    const now = currentUser()?.userPreferences;
    // Who has chosen again meanwhile keeps that.
    if (now && valueAt(now, names) === value) show(now, valueAt(before, names));
    throw error;
  }
};
