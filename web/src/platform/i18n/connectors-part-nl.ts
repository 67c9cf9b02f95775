import { connectorsNl } from './connectors-nl.ts';
import { mappingNl } from './mapping-nl.ts';

/** Texts of the connectors' screens and the mapping editor. */
export const connectorsPartNl = { ...connectorsNl, ...mappingNl } as const;
