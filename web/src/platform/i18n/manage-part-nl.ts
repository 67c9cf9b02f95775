import { auditNl } from './audit-nl.ts';
import { domainsNl } from './domains-nl.ts';
import { peopleNl } from './people-nl.ts';

/** Texts of the screens that look after systems and people, and of plots. */
export const managePartNl = { ...auditNl, ...domainsNl, ...peopleNl } as const;
