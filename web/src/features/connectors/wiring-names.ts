import type { ReplyOf, getActionOptions, WiringEnd } from '@sluice/contract';

/** What people call the collections that are wired. */
export interface WiringNames {
  source: (end: WiringEnd) => string;
  target: (end: WiringEnd) => string;
}

/** A collection that is no longer there, or an end that is gone, shows its id. */
export const namesOf = (options: ReplyOf<typeof getActionOptions> | undefined): WiringNames => ({
  source: ({ optionId }) => options?.sourceOptions.find(({ id }) => id === optionId)?.name ?? optionId,
  target: ({ optionId }) => options?.targetOptions.find(({ id }) => id === optionId)?.name ?? optionId,
});
