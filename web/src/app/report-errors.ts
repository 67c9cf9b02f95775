import { call } from '../platform/call.ts';

let isReporting = false;

/** Errors nobody caught are told to the server, in production only; a failing report is not reported. */
export const reportErrors = (): void => {
  if (import.meta.env.DEV) return;
  const report = (error: unknown): void => {
    if (isReporting) return;
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
  window.addEventListener('error', (event) => report(event.error ?? event.message));
  window.addEventListener('unhandledrejection', (event) => report(event.reason));
};
