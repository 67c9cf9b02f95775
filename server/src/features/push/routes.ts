import * as contract from '@sluice/contract';
import type { Router } from '../../platform/http.ts';
import * as push from './service.ts';

export function pushRoutes(router: Router, services: push.PushServices): void {
  router.handle(contract.push, async ({ actor, params, body, once, reply }) => {
    const changePushAction = await push.startPush(services, actor, params.collection, body, { once });
    reply.status(changePushAction.finishedAt === null ? 202 : 200);
    return { changePushAction };
  });
  router.handle(contract.getPush, async ({ actor, params, query }) => ({
    changePushAction: await push.getPush(services, actor, params.collection, params.pushId, query),
  }));
  router.handle(contract.cancelPush, async ({ actor, params }) => ({
    changePushAction: await push.cancelPush(services, actor, params.collection, params.pushId),
  }));
}
