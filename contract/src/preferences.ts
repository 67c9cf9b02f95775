import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { localeSchema } from './fields.ts';
import { paths } from './paths.ts';
import {
  displayModes,
  fullDateFormats,
  notificationChoices,
  notificationKinds,
  numberFormats,
  shortDateFormats,
} from './preference-values.ts';

export const formatsSchema = z
  .object({
    shortDate: z.enum(shortDateFormats),
    numberFormat: z.enum(numberFormats),
    fullDate: z.enum(fullDateFormats),
  })
  .strict();
export type Formats = z.infer<typeof formatsSchema>;

export const displayModeSchema = z.enum(displayModes);
export type DisplayMode = z.infer<typeof displayModeSchema>;

/** Arrangement of one table; `id` = system id, level ids and table id joined with dots. */
export const tableConfigSchema = z
  .object({
    id: z.string().max(500),
    columnOrderPermutation: z.array(z.number().int().min(0)).max(2000),
    columns: z.record(
      z.string().max(300),
      z.object({ isHidden: z.boolean().optional(), width: z.number().min(20).max(2000).optional() }).strict(),
    ),
    /** Additional: columns kept in sight at the left. */
    pinned: z.array(z.string().max(300)).max(20).optional(),
  })
  .strict();
export type TableConfig = z.infer<typeof tableConfigSchema>;

export const preferenceOptionsSchema = z
  .object({
    formats: formatsSchema,
    preferredName: z.string().max(200).nullable(),
    table: z
      .object({
        fieldsWithOptions: z.object({ displayMode: displayModeSchema }).strict(),
        config: z.array(tableConfigSchema).max(1000),
      })
      .strict(),
    lastUsedExternalSystemId: z.string().nullable(),
    lastUsedExternalSystemLevelIdsFor: z.record(z.string(), z.string().max(1000)),
    notifications: z.partialRecord(z.enum(notificationKinds), z.enum(notificationChoices)),
    tutorial: z.record(z.string().max(100), z.union([z.string().max(200), z.boolean(), z.number()])),
    theme: z.enum(['system', 'light', 'dark']),
    rowHeight: z.enum(['compact', 'normal', 'roomy']),
    /** A tap of the left Alt key changes the language. */
    altSwitchesLanguage: z.boolean().default(true),
  })
  .strict();
export type PreferenceOptions = z.infer<typeof preferenceOptionsSchema>;

export const userPreferencesSchema = z.object({ language: localeSchema, options: preferenceOptionsSchema });
export type UserPreferences = z.infer<typeof userPreferencesSchema>;

export const preferencePatchSchema = z
  .array(z.object({ op: z.literal('replace'), path: z.string().max(300), value: z.unknown() }).strict())
  .min(1)
  .max(100);

export const getUserPreferences = endpoint({
  route: paths.getUserPreferences,
  summary: 'Preferences of the user',
  access: 'user',
  reply: userPreferencesSchema,
});

export const patchUserPreferences = endpoint({
  route: paths.patchUserPreferences,
  summary:
    'Replace preferences by path: language, options, options/formats, options/preferredName, options/theme, options/rowHeight, options/altSwitchesLanguage, options/table/config, options/table/fieldsWithOptions/displayMode, options/lastUsedExternalSystemId, options/lastUsedExternalSystemLevelIdsFor, options/notifications, options/tutorial[/flag]',
  access: 'user',
  body: preferencePatchSchema,
  reply: userPreferencesSchema,
});
