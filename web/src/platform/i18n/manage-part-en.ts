import { auditEn } from './audit-en.ts';
import { dashboardEn } from './dashboard-en.ts';
import { domainsEn } from './domains-en.ts';
import { peopleEn } from './people-en.ts';

/** Texts of the screens that look after systems and people, and of plots. */
export const managePartEn = { ...auditEn, ...dashboardEn, ...domainsEn, ...peopleEn } as const;
