import { mayBeLoggedIn } from '../platform/call.ts';
import { router } from './router.tsx';

interface Preloaded {
  preload?: () => Promise<unknown>;
}

/** Fetches the code of the screen that the address names while the server is still being asked who we are. */
export const preloadScreen = (): void => {
  const isInside = mayBeLoggedIn();
  const { pathname } = window.location;
  const [routes] = router.getMatchedRoutes(pathname === '/' ? '/dashboard' : pathname);
  // Who is not logged in gets the log-in page instead of what is behind it.
  const isLogin = !isInside && routes.some(({ id }) => id === '/inside');
  for (const route of isLogin ? [router.routesById['/login']] : routes) {
    const { preload } = (route.options.component ?? {}) as Preloaded;
    // Whoever shows the screen says why it cannot be loaded.
    preload?.().catch(() => undefined);
  }
};
