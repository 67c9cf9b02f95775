import type { ExternalSystem } from '@sluice/contract';

/** All zeros: no default company. */
export const NO_COMPANY = '00000000-0000-0000-0000-000000000000';

/** The deepest options of all systems: `Sandbox ERP, Production, Utrecht`. */
export const companyOptions = (systems: readonly ExternalSystem[]): { value: string; label: string }[] =>
  systems.flatMap((system) =>
    system.systemLevelOptions.flatMap((domain) =>
      (domain.children.length > 0 ? domain.children : [domain]).map((option) => ({
        value: option.internalId,
        label: [system.name, domain.name, ...(option === domain ? [] : [option.name])].join(', '),
      })),
    ),
  );
