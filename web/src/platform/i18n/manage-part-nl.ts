import { auditNl } from './audit-nl.ts';
import { domainsNl } from './domains-nl.ts';

/** Texts of the screens that look after systems and people, and of plots. */
export const managePartNl = { ...auditNl, ...domainsNl } as const;
