import { connectorsEn } from './connectors-en.ts';
import { mappingEn } from './mapping-en.ts';

/** Texts of the connectors' screens and the mapping editor. */
export const connectorsPartEn = { ...connectorsEn, ...mappingEn } as const;
