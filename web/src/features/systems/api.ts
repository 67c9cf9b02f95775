import type { MenuItem } from '@sluice/contract';
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ApiError, call } from '../../platform/call.ts';
import { currentUser, savePreference, type SessionState, session } from '../../platform/session.ts';
import { createStore, useStore } from '../../platform/store.ts';
import { type SystemChoice, chooseLevels, usableSystems } from './level-tree.ts';

const systemsQuery = queryOptions({
  queryKey: ['external-systems'],
  queryFn: () => call('getExternalSystems', { query: { limit: -1, offset: 0 } }),
});

export const useSystems = () => {
  const query = useQuery({ ...systemsQuery, select: (reply) => usableSystems(reply.resources) });
  return { systems: query.data ?? null, error: query.error, retry: () => void query.refetch() };
};

/** The choice of this tab: what an open table says, else what was last used. */
const chosen = createStore<{ systemId: string; levelIds: readonly string[] } | null>(null);

export const savedLevelIds = (systemId: string): readonly string[] =>
  currentUser()?.userPreferences.options.lastUsedExternalSystemLevelIdsFor[systemId]?.split('*') ?? [];

const hasOption = (system: { systemLevelOptions: readonly { internalId: string }[] }, id: string): boolean =>
  system.systemLevelOptions.some((domain) => domain.internalId === id.split('.')[0]);

/** Unknown falls back to the last used system, then to that of the default company, then to the first. */
const choiceOf = (
  systems: ReturnType<typeof usableSystems>,
  own: { systemId: string; levelIds: readonly string[] } | null,
  last: string | null,
  company: string,
): SystemChoice | null => {
  const system =
    systems.find((one) => one.id === own?.systemId) ??
    systems.find((one) => one.id === last) ??
    systems.find((one) => hasOption(one, company)) ??
    systems[0];
  if (!system) return null;
  const saved = savedLevelIds(system.id);
  const wanted = own?.systemId === system.id ? own.levelIds : saved;
  const isNew = own?.systemId !== system.id && saved.length === 0;
  const levels = chooseLevels(system, isNew ? [company.split('.')[0], company] : wanted);
  return { system, levels };
};

/** What the user works with by default; an option's id is `{domain}.{company}`, all zeros, for none, is no domain's. */
const defaultsOf = (state: SessionState): { last: string | null; company: string } =>
  state.status === 'loggedIn'
    ? { last: state.userPreferences.options.lastUsedExternalSystemId, company: state.user.defaultCompanyId }
    : { last: null, company: '' };

export const useChoice = (): {
  choice: SystemChoice | null;
  isLoading: boolean;
  error: unknown;
  retry: () => void;
} => {
  const { systems, error, retry } = useSystems();
  const own = useStore(chosen);
  const { last, company } = defaultsOf(useStore(session));
  const choice = useMemo(
    () => (systems ? choiceOf(systems, own, last, company) : null),
    [systems, own, last, company],
  );
  return { choice, isLoading: systems === null && !error, error, retry };
};

/** Remembers the choice for this tab and as last used. */
export const choose = (systemId: string, levelIds: readonly string[]): void => {
  const before = chosen.get();
  if (before?.systemId === systemId && before.levelIds.join('*') === levelIds.join('*')) return;
  chosen.set({ systemId, levelIds });
  const joined = levelIds.join('*');
  const options = currentUser()?.userPreferences.options;
  if (!options) return;
  const saves: Promise<void>[] = [];
  if (options.lastUsedExternalSystemId !== systemId) {
    saves.push(savePreference('options/lastUsedExternalSystemId', systemId));
  }
  if (options.lastUsedExternalSystemLevelIdsFor[systemId] !== joined) {
    const all = { ...options.lastUsedExternalSystemLevelIdsFor, [systemId]: joined };
    saves.push(savePreference('options/lastUsedExternalSystemLevelIdsFor', all));
  }
  // The choice holds for this tab even when it could not be kept for the next.
  Promise.all(saves).catch((error: unknown) => console.error('last used system was not saved', error));
};

const menuQuery = (choice: SystemChoice | null) => {
  const systemId = choice?.system.id;
  const systemLevelIds = choice?.levels.map((level) => level.internalId).join('*');
  return queryOptions({
    queryKey: ['menu', systemId, systemLevelIds],
    queryFn: async () => {
      const reply = await call('getMenu', {
        query: { ...(systemId ? { systemId } : {}), ...(systemLevelIds ? { systemLevelIds } : {}) },
      });
      // A 200 with a message is a failure all the same.
      if ('message' in reply && typeof reply.message === 'string')
        throw new ApiError('MENU', 0, reply.message, null);
      return reply.mainMenu;
    },
  });
};

/** Every screen needs the systems, and then the menu of the chosen one: asked for while the screen is being fetched. */
export const prefetchMenu = async (client: QueryClient): Promise<void> => {
  try {
    const { resources } = await client.fetchQuery(systemsQuery);
    const { last, company } = defaultsOf(session.get());
    await client.prefetchQuery(menuQuery(choiceOf(usableSystems(resources), chosen.get(), last, company)));
  } catch {
    // The navbar asks again, and tells.
  }
};

export const useMenu = (choice: SystemChoice | null, isReady: boolean) => {
  const query = useQuery({
    ...menuQuery(choice),
    enabled: isReady,
    placeholderData: (before: readonly MenuItem[] | undefined) => before as MenuItem[] | undefined,
  });
  return {
    menu: query.data ?? null,
    error: query.error,
    retry: () => void query.refetch(),
  };
};

/** The server says why there is no menu: that is told on the whole screen. A cut line shows in the navbar instead. */
export const isMenuRefused = (error: unknown): boolean =>
  error instanceof ApiError && (error.body !== null || error.code === 'MENU');

export const sortByTitle = <T extends { title: string }>(items: readonly T[], locale: string): T[] =>
  items.toSorted((a, b) => a.title.localeCompare(b.title, locale, { numeric: true }));

export const dataLeaves = (menu: readonly MenuItem[] | null): MenuItem['children'] =>
  menu?.find((item) => item.id === 'data')?.children ?? [];
