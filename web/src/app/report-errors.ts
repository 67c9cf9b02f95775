import { call, isAbort } from '../platform/call.ts';
import { t } from '../platform/i18n/i18n.ts';
import { toast } from '../ui/toasts.tsx';

let isReporting = false;

/** Tells the server of a fault of the page, in production only; a failing report is not reported. */
export const reportError = (error: unknown): void => {
  if (import.meta.env.DEV || isReporting) return;
  isReporting = true;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  call('reportClientError', {
    body: { error: text.slice(0, 16_000), route: location.pathname, userAgent: navigator.userAgent },
    isBackground: true,
  })
    .catch(() => undefined)
    .finally(() => {
      isReporting = false;
    });
};

/** Errors nobody caught are told to the server, and the user that something went wrong. */
export const reportErrors = (): void => {
  if (import.meta.env.DEV) return;
  const report = (error: unknown): void => {
    // A page that was left stops its calls; a window that is drawn late is no fault.
    if (isAbort(error) || String(error).includes('ResizeObserver')) return;
    toast('error', t('common.errorOccurred'));
    reportError(error);
  };
  window.addEventListener('error', (event) => report(event.error ?? event.message));
  window.addEventListener('unhandledrejection', (event) => report(event.reason));
};
