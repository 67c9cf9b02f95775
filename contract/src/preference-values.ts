/** What users may choose between: without zod, so that the screens can list it. */
export const shortDateFormats = [
  'dd-mm-yyyy',
  'dd/mm/yyyy',
  'dd/m/yy',
  'mm/dd/yy',
  'mm/dd/yyyy',
  'dd.mm.yyyy',
  'yyyy/m/dd',
  'yyyy.mm.dd',
  'yyyy-mm-dd',
] as const;
export const numberFormats = [
  'commaSeparated',
  'dotSeparated',
  'si-style-FR',
  'si-style-EN',
  'gsw-CH',
] as const;
export const fullDateFormats = ['long', 'medium', 'iso'] as const;
export const displayModes = ['value', 'description', 'both'] as const;

/** What notifications are about, as far as a user may choose how to be told (decisions Q-NOTIF-03). */
export const notificationKinds = [
  'pushFinished',
  'runFailed',
  'pendingChangedByOthers',
  'domainProblem',
] as const;
export type NotificationKind = (typeof notificationKinds)[number];
/** At the side and in the panel, in the panel only, or not at all. */
export const notificationChoices = ['show', 'panel', 'off'] as const;
export type NotificationChoice = (typeof notificationChoices)[number];
