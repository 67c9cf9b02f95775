import * as contract from '@sluice/contract';
import type { Router } from '../../platform/http.ts';
import * as audit from './service.ts';

export function auditRoutes(router: Router, services: audit.AuditServices): void {
  router.handle(contract.getAudit, async ({ actor, query }) => await audit.listAudit(services, actor, query));
  router.handle(contract.exportAudit, async ({ actor, query, reply }) => {
    reply
      .header('content-disposition', 'attachment; filename="sluice-audit.csv"')
      .type('text/csv; charset=utf-8');
    return await audit.exportAudit(services, actor, query);
  });
}
