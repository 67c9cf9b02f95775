import { auditNl } from './audit-nl.ts';
import { dashboardNl } from './dashboard-nl.ts';
import { domainsNl } from './domains-nl.ts';
import { peopleNl } from './people-nl.ts';

/** Texts of the screens that look after systems and people, and of plots. */
export const managePartNl = { ...auditNl, ...dashboardNl, ...domainsNl, ...peopleNl } as const;
