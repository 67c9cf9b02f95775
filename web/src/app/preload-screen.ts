import { prefetchDashboard } from '../features/dashboard/api.ts';
import { prefetchMenu } from '../features/systems/api.ts';
import { mayBeLoggedIn } from '../platform/call.ts';
import { session } from '../platform/session.ts';
import { queryClient } from './query-client.ts';
import { router } from './router.tsx';

interface Preloaded {
  preload?: () => Promise<unknown>;
}

/** The first screen's address. */
const wantedPath = (): string => {
  const { pathname } = window.location;
  return pathname === '/' ? '/dashboard' : pathname;
};

/** Asks for what the first screen shows, before it is drawn. */
export const prefetchScreen = (): void => {
  if (session.get().status !== 'loggedIn') return;
  void prefetchMenu(queryClient);
  if (wantedPath().replace(/\/$/, '') === '/dashboard') void prefetchDashboard(queryClient);
};

/** Fetches the code of the screen that the address names while the server is still being asked who we are. */
export const preloadScreen = (): void => {
  const isInside = mayBeLoggedIn();
  const [routes] = router.getMatchedRoutes(wantedPath());
  // Who is not logged in gets the log-in page instead of what is behind it.
  const isLogin = !isInside && routes.some(({ id }) => id === '/inside');
  for (const route of isLogin ? [router.routesById['/login']] : routes) {
    const { preload } = (route.options.component ?? {}) as Preloaded;
    // Whoever shows the screen says why it cannot be loaded.
    preload?.().catch(() => undefined);
  }
};
