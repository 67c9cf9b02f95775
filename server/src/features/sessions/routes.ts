import { getProviders, getSession, login, logout, reportClientError } from '@sluice/contract';
import type { Router } from '../../platform/http.ts';
import * as sessions from './service.ts';

export function sessionRoutes(router: Router, services: sessions.SessionServices): void {
  router.handle(
    login,
    async ({ body, request, reply }) => await sessions.login(services, body, request, reply),
  );
  router.handle(logout, async ({ actor, reply }) => await sessions.logout(services, actor, reply));
  router.handle(getSession, async ({ actor }) => await sessions.currentSession(services, actor));
  router.handle(getProviders, async () => ({ resources: [] }));
  router.handle(reportClientError, async ({ actor, body, request }) => {
    await sessions.reportClientError(services, actor, body, request.id);
  });
}
