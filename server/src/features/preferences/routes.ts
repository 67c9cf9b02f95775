import { getUserPreferences, patchUserPreferences } from '@sluice/contract';
import type { Pool } from '../../platform/db.ts';
import type { Router } from '../../platform/http.ts';
import { patchPreferences, readPreferences } from './service.ts';

export function preferenceRoutes(router: Router, { pool }: { pool: Pool }): void {
  router.handle(getUserPreferences, async ({ actor }) => await readPreferences(pool, actor.userId));
  router.handle(patchUserPreferences, async ({ actor, body }) => await patchPreferences(pool, actor, body));
}
