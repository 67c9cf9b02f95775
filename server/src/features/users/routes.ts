import * as contract from '@sluice/contract';
import type { Router } from '../../platform/http.ts';
import { pageOf } from '../../platform/pages.ts';
import * as users from './service.ts';

export function userRoutes(router: Router, services: users.UserServices): void {
  router.handle(contract.getUsers, async ({ actor, query }) =>
    pageOf(await users.listUsers(services, actor), query),
  );
  router.handle(contract.getUser, async ({ actor, params }) => ({
    resource: await users.getUser(services, actor, params.userId),
  }));
  router.handle(contract.createUser, async ({ actor, body, reply }) => {
    reply.status(201);
    return await users.createUser(services, actor, body);
  });
  router.handle(contract.updateUser, async ({ actor, params, body }) => ({
    resource: await users.updateUser(services, actor, params.userId, body),
  }));
  router.handle(
    contract.deleteUser,
    async ({ actor, params }) => await users.deleteUser(services, actor, params.userId),
  );
  router.handle(
    contract.inviteUser,
    async ({ actor, params }) => await users.sendLink(services, actor, params.userId, 'invitation'),
  );
  router.handle(
    contract.resetUserPassword,
    async ({ actor, params }) => await users.sendLink(services, actor, params.userId, 'reset'),
  );
  router.handle(
    contract.removeSecondFactor,
    async ({ actor, params }) => await users.removeSecondFactor(services, actor, params.userId),
  );
}
