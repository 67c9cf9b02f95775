import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Lookup } from '@sluice/mapping/engine';
import { call } from '../../platform/call.ts';
import { rememberLookups, type Samples } from './preview.ts';

export interface ActionIds {
  connectorId: string;
  actionId: string;
}

const SAMPLES = 1000;

export const useConnector = (connectorId: string) =>
  useQuery({
    queryKey: ['connector', connectorId, 'rights'],
    queryFn: () => call('getConnector', { params: { connectorId }, query: { metadata: 'field-options' } }),
  });

export const useAction = (params: ActionIds) =>
  useQuery({
    queryKey: ['action', params.connectorId, params.actionId],
    queryFn: () => call('getAction', { params }),
    // What is being edited does not change under the hands; a save that comes too late says so.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    gcTime: 0,
    retry: false,
  });

/** Connectors and their actions look different after a save. */
export const useForgetAction = () => {
  const client = useQueryClient();
  return async (): Promise<void> => {
    await Promise.all(
      [['connectors'], ['connector'], ['actions'], ['action-versions']].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
  };
};

export const useSamples = (params: ActionIds, source: string | null) =>
  useQuery({
    queryKey: ['action-samples', params.actionId, source],
    queryFn: async ({ signal }): Promise<Samples> =>
      await call('getSamples', { params, query: { source: source ?? '', limit: SAMPLES }, signal }),
    enabled: source !== null,
    staleTime: Infinity,
    retry: false,
  });

/** Lookups of the preview ask the server, each key once. */
export const lookupOf = (params: ActionIds): Lookup =>
  rememberLookups(async (request, keys) => {
    const { values } = await call('previewLookup', {
      params,
      body: { ...request, keys: [...keys] },
      isBackground: true,
    });
    return values;
  });

export const useVersions = (params: ActionIds) =>
  useQuery({
    queryKey: ['action-versions', params.actionId],
    queryFn: () => call('getVersions', { params, query: { limit: 100, offset: 0 } }),
  });
