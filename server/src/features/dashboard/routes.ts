import { getDashboard } from '@sluice/contract';
import type { Router } from '../../platform/http.ts';
import { type DashboardServices, readDashboard } from './service.ts';

export function dashboardRoutes(router: Router, services: DashboardServices): void {
  router.handle(getDashboard, async ({ actor, query }) => await readDashboard(services, actor, query));
}
