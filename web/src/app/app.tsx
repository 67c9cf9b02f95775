import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { session } from '../platform/session.ts';
import { useStore } from '../platform/store.ts';
import { t } from '../platform/i18n/i18n.ts';
import { AlertStack } from '../features/notifications/alert-stack.tsx';
import { shownResults } from '../features/push/push-progress.ts';
import { Toasts, toast } from '../ui/toasts.tsx';
import { queryClient } from './query-client.ts';
import { router } from './router.tsx';
import { watchZoom } from './zoom-warning.ts';

/** For who develops; the build for people leaves it out. */
const NotificationTest = import.meta.env.DEV
  ? lazy(async () => ({ default: (await import('../dev/notification-test.tsx')).NotificationTest }))
  : null;

export const App = () => {
  const { status } = useStore(session);
  const results = useStore(shownResults);
  useEffect(() => {
    const offline = (): void => toast('warning', t('common.offline'));
    const online = (): void => toast('success', t('common.online'));
    window.addEventListener('offline', offline);
    window.addEventListener('online', online);
    const forgetZoom = watchZoom();
    return () => {
      forgetZoom();
      window.removeEventListener('offline', offline);
      window.removeEventListener('online', online);
    };
  }, []);
  // The guards of the routes are asked anew when somebody comes or goes; at the start the router asks them itself.
  const asked = useRef(status);
  useEffect(() => {
    if (asked.current !== status) void router.invalidate();
    asked.current = status;
  }, [status]);
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Toasts>
        {status === 'loggedIn' ? (
          <AlertStack
            // What the results of a push say, its card need not say on top of them.
            isShown={(url) => results !== null && url.endsWith(`push=${results.action.internalId}`)}
            onOpen={(url) => void router.navigate({ href: url })}
          />
        ) : null}
      </Toasts>
      {NotificationTest ? (
        <Suspense>
          <NotificationTest />
        </Suspense>
      ) : null}
    </QueryClientProvider>
  );
};
