import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../platform/call.ts';

const all = { limit: -1, offset: 0 };

export const useUsers = () =>
  useQuery({
    queryKey: ['users'],
    queryFn: () => call('getUsers', { query: all }),
    retry: false,
    select: (reply) => reply.resources,
  });

/** Roles, endpoints and systems: what a user can be given. */
export const useGrantable = () => {
  const roles = useQuery({
    queryKey: ['roles'],
    queryFn: () => call('getRoles', { query: all }),
    retry: false,
    select: (reply) => reply.resources,
  });
  const endpoints = useQuery({
    queryKey: ['endpoints'],
    queryFn: () => call('getEndpoints', { query: all }),
    retry: false,
    select: (reply) => reply.resources,
  });
  const systems = useQuery({
    queryKey: ['external-systems'],
    queryFn: () => call('getExternalSystems', { query: all }),
    select: (reply) => reply.resources,
  });
  return { roles: roles.data ?? [], endpoints: endpoints.data ?? [], systems: systems.data ?? [] };
};

/** Users name their roles and roles their users: both are read anew. */
export const useForget = () => {
  const client = useQueryClient();
  return async (): Promise<void> => {
    await Promise.all([['users'], ['roles']].map((queryKey) => client.invalidateQueries({ queryKey })));
  };
};
