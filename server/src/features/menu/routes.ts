import { getMenu } from '@sluice/contract';
import type { Router } from '../../platform/http.ts';
import type { Catalogue } from '../systems/catalogue.ts';
import type { Connections } from '../systems/connections.ts';
import { menuOf } from './service.ts';

export function menuRoutes(
  router: Router,
  services: { catalogue: Catalogue; connections: Connections },
): void {
  router.handle(getMenu, async ({ actor, locale, query }) => ({
    mainMenu: await menuOf(services, actor, locale, query),
  }));
}
