import type { Action, ActionSummary, Connector, Run } from '@sluice/contract';
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../platform/call.ts';

/** While something runs, and else (decisions Q-CONN-05); a hidden tab does not ask at all. */
const BUSY_MS = 10_000;
const CALM_MS = 60_000;
const pollMs = (isBusy: boolean): number => (isBusy ? BUSY_MS : CALM_MS);
const all = { limit: -1, offset: 0 } as const;

/** All of them begin alike, so that one message makes all of them ask again. */
export const connectorKeys = {
  all: ['connectors'] as const,
  list: ['connectors', 'list'] as const,
  one: (connectorId: string) => ['connectors', connectorId] as const,
  actions: (connectorId: string) => ['connectors', connectorId, 'actions'] as const,
  noted: (connectorId: string) => ['connectors', connectorId, 'noted'] as const,
  note: (connectorId: string, actionId: string | null) =>
    ['connectors', connectorId, 'documentation', actionId] as const,
};

const isOpen = (run: Run): boolean => run.finishedAt === null;

/** Under the connector's own key: when its runs end, it is asked again with it. */
export const useRunDays = (connectorId: string) =>
  useQuery({
    queryKey: [...connectorKeys.one(connectorId), 'run-days'],
    queryFn: () => call('getRunDays', { params: { connectorId }, isBackground: true }),
    select: (reply) => reply.resources,
    refetchInterval: CALM_MS,
  });

export const useConnectors = () =>
  useQuery({
    queryKey: connectorKeys.list,
    queryFn: () => call('getConnectors', { query: all, isBackground: true }),
    select: (reply) => reply.resources,
    refetchInterval: (query) => pollMs(query.state.data?.resources.some(({ isBusy }) => isBusy) ?? false),
  });

/** The systems and levels that an end can be, and the rights. */
export const useConnectorOptions = () =>
  useQuery({
    queryKey: ['connectors', 'options'],
    queryFn: () => call('getConnectors', { query: { limit: 0, offset: 0, metadata: 'field-options' } }),
    select: (reply) => reply.metadata,
  });

export const useConnector = (connectorId: string) =>
  useQuery({
    queryKey: connectorKeys.one(connectorId),
    queryFn: () =>
      call('getConnector', {
        params: { connectorId },
        query: { metadata: 'field-options' },
        isBackground: true,
      }),
    refetchInterval: (query) => pollMs(query.state.data?.resource.isBusy ?? false),
  });

export const useActions = (connectorId: string | null) =>
  useQuery({
    queryKey: connectorKeys.actions(connectorId ?? ''),
    queryFn: () =>
      call('getActions', { params: { connectorId: connectorId ?? '' }, query: all, isBackground: true }),
    select: (reply) => reply.resources,
    enabled: connectorId !== null,
    refetchInterval: (query) =>
      pollMs(query.state.data?.resources.some(({ activeRunId }) => activeRunId !== null) ?? false),
  });

export const useAction = (connectorId: string, actionId: string, isEnabled = true) =>
  useQuery({
    queryKey: [...connectorKeys.actions(connectorId), actionId],
    queryFn: () => call('getAction', { params: { connectorId, actionId } }),
    enabled: isEnabled,
  });

export const useActionOptions = (connectorId: string) =>
  useQuery({
    queryKey: [...connectorKeys.one(connectorId), 'options'],
    queryFn: () => call('getActionOptions', { params: { connectorId } }),
  });

/** The latest runs of several actions, newest first. */
export const useRuns = (connectorId: string, actionIds: readonly string[], limit: number) =>
  useQueries({
    queries: actionIds.map((actionId) => ({
      queryKey: [...connectorKeys.one(connectorId), 'runs', actionId, limit],
      queryFn: () =>
        call('getRuns', {
          params: { connectorId, actionId },
          query: { limit, offset: 0 },
          isBackground: true,
        }),
      refetchInterval: (query: { state: { data?: { resources: Run[] } | undefined } }) =>
        pollMs(query.state.data?.resources.some(isOpen) ?? false),
    })),
    combine: (replies) => ({
      runs: replies
        .flatMap(({ data }) => data?.resources ?? [])
        .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt)),
      total: replies.reduce((sum, { data }) => sum + (data?.total ?? 0), 0),
      isPending: replies.some(({ isPending }) => isPending),
      error: replies.find(({ error }) => error)?.error ?? null,
    }),
  });

export const useRun = (params: { connectorId: string; actionId: string; runId: string }, limit: number) =>
  useQuery({
    queryKey: [...connectorKeys.one(params.connectorId), 'run', params.runId, limit],
    queryFn: () => call('getRun', { params, query: { limit, offset: 0 }, isBackground: true }),
    placeholderData: (before) => before,
    refetchInterval: (query) => {
      const run = query.state.data?.resource;
      return pollMs(run !== undefined && isOpen(run));
    },
  });

export const useLinks = (connectorId: string, actionId: string, search: string, limit: number) =>
  useQuery({
    queryKey: [...connectorKeys.one(connectorId), 'links', actionId, search, limit],
    queryFn: () =>
      call('getLinks', {
        params: { connectorId, actionId },
        query: { limit, offset: 0, ...(search ? { search } : {}) },
      }),
    placeholderData: (before) => before,
  });

/** The next times of a cron expression, or why it is none. */
export const useNextTimes = (expression: string, isEnabled: boolean) =>
  useQuery({
    queryKey: ['connectors', 'next-times', expression],
    queryFn: ({ signal }) => call('getNextTimes', { query: { expression }, signal }),
    select: (reply) => reply.times,
    enabled: isEnabled && expression.trim() !== '',
    retry: false,
  });

/** Which of a connector and its actions have a note that says something. */
export const useNoted = (connectorId: string) =>
  useQuery({
    queryKey: connectorKeys.noted(connectorId),
    queryFn: () => call('getConnectorDocumentation', { params: { connectorId }, isBackground: true }),
    select: ({ resource, notedActionIds }) => ({ isNoted: resource.text !== '', actionIds: notedActionIds }),
  });

export const useForgetNotes = (connectorId: string) => {
  const client = useQueryClient();
  return async (): Promise<void> =>
    await client.invalidateQueries({ queryKey: connectorKeys.noted(connectorId) });
};

/** What is written changes lists and details alike. */
export const useRefresh = () => {
  const client = useQueryClient();
  return async (): Promise<void> => await client.invalidateQueries({ queryKey: connectorKeys.all });
};

/** Puts what the server answered in the list of actions, before that is read anew. */
export const useUpdateAction = (connectorId: string) => {
  const client = useQueryClient();
  type Page = { resources: ActionSummary[] };
  return ({ internalId, isActive, revision, status, statusMessage, nextRunAt }: Action): void => {
    const news = { isActive, revision, status, statusMessage, nextRunAt };
    client.setQueryData<Page>(connectorKeys.actions(connectorId), (page) =>
      page
        ? {
            ...page,
            resources: page.resources.map((one) =>
              one.internalId === internalId ? { ...one, ...news } : one,
            ),
          }
        : page,
    );
  };
};

/** Takes a connector out of the list at once; the returned function puts it back. */
export const useTakeOut = () => {
  const client = useQueryClient();
  type Page = { resources: Connector[] };
  return async (connectorId: string): Promise<() => void> => {
    await client.cancelQueries({ queryKey: connectorKeys.list });
    const before = client.getQueryData<Page>(connectorKeys.list);
    client.setQueryData<Page>(connectorKeys.list, (page) =>
      page
        ? { ...page, resources: page.resources.filter(({ internalId }) => internalId !== connectorId) }
        : page,
    );
    return () => client.setQueryData(connectorKeys.list, before);
  };
};
