import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../platform/call.ts';

const all = { limit: -1, offset: 0 };

export const useRoles = () =>
  useQuery({
    queryKey: ['roles'],
    queryFn: () => call('getRoles', { query: all }),
    retry: false,
    select: (reply) => reply.resources,
  });

export const useEndpoints = () =>
  useQuery({
    queryKey: ['endpoints'],
    queryFn: () => call('getEndpoints', { query: all }),
    retry: false,
    select: (reply) => reply.resources,
  });

export const useSystems = () =>
  useQuery({
    queryKey: ['external-systems'],
    queryFn: () => call('getExternalSystems', { query: all }),
    select: (reply) => reply.resources,
  });

/** Users name their roles and roles their users: both are read anew. */
export const useForget = () => {
  const client = useQueryClient();
  return async (): Promise<void> => {
    await Promise.all([['users'], ['roles']].map((queryKey) => client.invalidateQueries({ queryKey })));
  };
};
