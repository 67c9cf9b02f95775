import * as contract from '@sluice/contract';
import type { Router } from '../../platform/http.ts';
import { pageOf } from '../../platform/pages.ts';
import * as roles from './service.ts';

export function roleRoutes(router: Router, services: roles.RoleServices): void {
  router.handle(contract.getEndpoints, async ({ actor, query }) =>
    pageOf(await roles.listEndpoints(services, actor), query),
  );
  router.handle(contract.getRoles, async ({ actor, query }) =>
    pageOf(await roles.listRoles(services, actor), query),
  );
  router.handle(contract.getRole, async ({ actor, params }) => ({
    resource: await roles.getRole(services, actor, params.roleId),
  }));
  router.handle(contract.createRole, async ({ actor, body, reply }) => {
    reply.status(201);
    return { resource: await roles.createRole(services, actor, body) };
  });
  router.handle(contract.updateRole, async ({ actor, params, body }) => ({
    resource: await roles.updateRole(services, actor, params.roleId, body),
  }));
  router.handle(
    contract.deleteRole,
    async ({ actor, params, query }) =>
      await roles.deleteRole(services, actor, params.roleId, query.confirm === 'true'),
  );
}
