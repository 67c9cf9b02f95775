import * as contract from '@sluice/contract';
import type { Router } from '../../platform/http.ts';
import * as links from './links.ts';
import * as providers from './providers.ts';
import * as security from './security.ts';
import * as sessions from './service.ts';

export function sessionRoutes(
  router: Router,
  services: sessions.SessionServices & links.LinkServices & providers.ProviderServices,
): void {
  router.handle(
    contract.login,
    async ({ body, request, reply }) => await sessions.login(services, body, request, reply),
  );
  router.handle(contract.logout, async ({ actor, reply }) => await sessions.logout(services, actor, reply));
  router.handle(contract.getSession, async ({ actor }) => await sessions.currentSession(services, actor));
  router.handle(contract.getProviders, async () => ({
    resources: services.providers.list.map(({ id, name }) => ({ id, name, kind: id, isEnabled: true })),
    canMail: services.mailer !== null,
  }));
  router.handle(
    contract.providerLogin,
    async ({ params, request, reply }) =>
      await providers.providerLogin(services, params.provider, request, reply),
  );
  router.handle(contract.providerCallback, async ({ params, actor, request, reply }) => {
    const answer = await providers.providerCallback(services, params.provider, actor, request, reply);
    if (answer === 'Unauthorized') reply.status(401);
    return answer;
  });

  router.handle(
    contract.forgotPassword,
    async ({ body, request }) => await links.forgotPassword(services, body.username, request.ip),
  );
  router.handle(contract.checkLink, async ({ body }) => await links.checkLink(services, body.token));
  router.handle(
    contract.resetPassword,
    async ({ body }) => await links.resetPassword(services, body.token, body.password),
  );

  router.handle(contract.getSecurity, async ({ actor }) => await security.readSecurity(services, actor));
  router.handle(
    contract.changePassword,
    async ({ actor, body, request }) => await security.changePassword(services, actor, body, request.ip),
  );
  router.handle(
    contract.beginSecondFactor,
    async ({ actor, body, request }) =>
      await security.beginSecondFactor(services, actor, body.password, request.ip),
  );
  router.handle(
    contract.confirmSecondFactor,
    async ({ actor, body, request }) =>
      await security.confirmSecondFactor(services, actor, body.code, request.ip),
  );
  router.handle(
    contract.renewRecoveryCodes,
    async ({ actor, body, request }) =>
      await security.renewRecoveryCodes(services, actor, body.password, request.ip),
  );
  router.handle(
    contract.endSecondFactor,
    async ({ actor, body, request }) =>
      await security.endSecondFactor(services, actor, body.password, request.ip),
  );

  router.handle(contract.reportClientError, async ({ actor, body, request }) => {
    const report = typeof body === 'string' ? { error: body } : body;
    await sessions.reportClientError(services, actor, report, request);
  });
}
