import {
  formatsSchema,
  type PreferenceOptions,
  preferenceOptionsSchema,
  type UserPreferences,
  userPreferencesSchema,
} from '@sluice/contract';
import type { UserActor } from '../../platform/actor.ts';
import type { Db, Pool } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate, record, type Tx } from '../../platform/mutate.ts';
import * as store from './store.ts';

export const defaultOptions: PreferenceOptions = {
  formats: { shortDate: 'dd-mm-yyyy', numberFormat: 'dotSeparated', fullDate: 'long' },
  preferredName: null,
  table: { fieldsWithOptions: { displayMode: 'both' }, config: [] },
  lastUsedExternalSystemId: null,
  lastUsedExternalSystemLevelIdsFor: {},
  notifications: {},
  tutorial: {},
  theme: 'system',
  rowHeight: 'compact',
  altSwitchesLanguage: true,
};

export async function readPreferences(db: Db, userId: number): Promise<UserPreferences> {
  const stored = await store.findPreferences(db, userId);
  // An option that an older version wrote differently falls back to its default; the rest stays.
  const options = { ...defaultOptions };
  for (const [key, value] of Object.entries(stored?.options ?? {})) {
    const part = preferenceOptionsSchema.shape[key as keyof PreferenceOptions]?.safeParse(value);
    if (part?.success) Object.assign(options, { [key]: part.data });
  }
  return { language: stored?.language ?? 'NL', options };
}

/** Whether anything was ever saved. */
export const hasPreferences = async (db: Db, userId: number): Promise<boolean> =>
  (await store.findPreferences(db, userId)) !== null;

const paths = [
  /^language$/,
  /^options$/,
  /^options\/(formats|preferredName|theme|rowHeight|altSwitchesLanguage|notifications|tutorial|lastUsedExternalSystemId|lastUsedExternalSystemLevelIdsFor)$/,
  /^options\/table\/config$/,
  /^options\/table\/fieldsWithOptions\/displayMode$/,
  /^options\/tutorial\/[\w-]{1,100}$/,
];

/** Where somebody was and which hints he saw is kept for him; it is no change of his that the audit log should tell. */
const isRemembered = ({ path }: { path: string }): boolean =>
  /^options\/(lastUsed|tutorial(\/|$))/.test(path);

/** Applies the list as one transaction; the whole is checked once more afterwards, so that nothing half-right is kept. */
export async function patchPreferences(
  pool: Pool,
  actor: UserActor,
  patch: readonly { path: string; value?: unknown }[],
): Promise<UserPreferences> {
  const apply = async (tx: Tx): Promise<UserPreferences> => {
    await store.lockPreferences(tx, actor.userId);
    const current = await readPreferences(tx, actor.userId);
    const next: UserPreferences = structuredClone(current);
    patch.forEach(({ path, value }, index) => {
      if (!paths.some((pattern) => pattern.test(path))) {
        throw new AppError('VALIDATION', {
          fields: [{ field: `[${index}].path`, code: null, params: { x: path } }],
        });
      }
      setAt(next, path.split('/'), value);
    });
    const checked = userPreferencesSchema.safeParse(next);
    if (!checked.success || !formatsSchema.safeParse(next.options.formats).success) {
      const issues = checked.success ? [] : checked.error.issues;
      throw new AppError('VALIDATION', {
        fields: issues.map((issue) => ({
          field: issue.path.join('/'),
          code: null,
          params: { reason: issue.message },
        })),
      });
    }
    tx.audit(`user:${actor.internalId}`, { paths: patch.map(({ path }) => path) });
    await store.savePreferences(tx, actor.userId, checked.data);
    return checked.data;
  };
  if (patch.every(isRemembered)) return await record(pool, apply);
  // Everybody owns his preferences: no right beyond being logged in.
  return await mutate({ pool, actor }, 'preferences.update', null, apply);
}

function setAt(target: object, [first = '', ...rest]: string[], value: unknown): void {
  const holder = target as Record<string, unknown>;
  if (rest.length === 0) {
    holder[first] = value;
    return;
  }
  const inner = holder[first];
  const next: object = typeof inner === 'object' && inner !== null ? inner : {};
  holder[first] = next;
  setAt(next, rest, value);
}
