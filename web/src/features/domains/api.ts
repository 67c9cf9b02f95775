import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../platform/call.ts';

const POLL_MS = 10_000;

export const useSystemList = () =>
  useQuery({
    queryKey: ['manage', 'systems'],
    queryFn: () => call('getSystems', { query: { limit: -1, offset: 0 } }),
  });

export const useKinds = () =>
  useQuery({ queryKey: ['manage', 'kinds'], queryFn: () => call('getAdapterKinds'), staleTime: Infinity });

/** The system of a route, by its slug or id, with its kind. */
export const useManagedSystem = (systemId: string) => {
  const systems = useSystemList();
  const kinds = useKinds();
  const system =
    systems.data?.resources.find((one) => one.url === systemId || one.internalId === systemId) ?? null;
  const kind = kinds.data?.resources.find((one) => one.kind === system?.kind) ?? null;
  return {
    system,
    kind,
    isLoading: systems.isPending || kinds.isPending,
    error: systems.error ?? kinds.error,
  };
};

export const useDomains = (systemId: string) =>
  useQuery({
    queryKey: ['manage', 'domains', systemId],
    queryFn: () =>
      call('getDomains', { params: { systemId }, query: { limit: -1, offset: 0 }, isBackground: true }),
    refetchInterval: POLL_MS,
  });

/** Asks for nothing as long as no domain is named. */
export const useDomain = (systemId: string, domainId: string | undefined) =>
  useQuery({
    queryKey: ['manage', 'domain', systemId, domainId],
    queryFn: domainId === undefined ? skipToken : () => call('getDomain', { params: { systemId, domainId } }),
    // Its status moves by itself.
    refetchInterval: POLL_MS,
    select: (reply) => reply.resource,
  });

const BUSY_POLL_MS = 1500;

/** What a domain is doing; asked often while it is being read. */
export const useActivity = (systemId: string, domainId: string) =>
  useQuery({
    queryKey: ['manage', 'domain', systemId, domainId, 'activity'],
    queryFn: () => call('getDomainActivity', { params: { systemId, domainId }, isBackground: true }),
    select: (reply) => reply.resource,
    refetchInterval: ({ state }) => {
      const reading = state.data?.resource.reading;
      return reading && reading.waiting + reading.current.length > 0 ? BUSY_POLL_MS : POLL_MS;
    },
  });

export const useFiles = (systemId: string, domainId: string | null) =>
  useQuery({
    queryKey: ['manage', 'files', systemId, domainId],
    queryFn: () => call('getFiles', { params: { systemId, domainId: domainId ?? '' } }),
    enabled: domainId !== null,
  });

/** What is managed changes menus and the selector too. */
export const useForget = () => {
  const client = useQueryClient();
  return async (): Promise<void> => {
    await Promise.all(
      [['manage'], ['external-systems'], ['menu']].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
  };
};
