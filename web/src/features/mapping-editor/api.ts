import { queryOptions, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
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

const samplesOf = (params: ActionIds, source: string | null) =>
  queryOptions({
    queryKey: ['action-samples', params.actionId, source],
    queryFn: async ({ signal }): Promise<Samples> =>
      await call('getSamples', { params, query: { source: source ?? '', limit: SAMPLES }, signal }),
    enabled: source !== null,
    staleTime: Infinity,
    retry: false,
  });

export const useSamples = (params: ActionIds, source: string | null) => useQuery(samplesOf(params, source));

/** How many records each source has, as far as the preview reads it; null while it is not known. */
export const useSourceCounts = (
  params: ActionIds,
  sources: readonly string[],
): ({ count: number; isMore: boolean } | null)[] =>
  useQueries({
    queries: sources.map((source) => samplesOf(params, source)),
    combine: (results) =>
      results.map(({ data }) =>
        data ? { count: data.keys.length, isMore: data.keys.length >= SAMPLES } : null,
      ),
  });

/** Lookups of the preview ask the server, each key once; one that is not filled in yet finds nothing. */
export const lookupOf = (params: ActionIds): Lookup =>
  rememberLookups(async (request, keys) => {
    if ([request.collection, request.keyField, request.returnField].includes(''))
      return { title: { EN: request.collection, NL: request.collection }, values: keys.map(() => []) };
    return await call('previewLookup', {
      params,
      body: { ...request, keys: [...keys] },
      isBackground: true,
    });
  });

/** Collections that a lookup can ask. */
export const useLookupCollections = (connectorId: string, system: 'source' | 'target' | null) =>
  useQuery({
    queryKey: ['connector', connectorId, 'options'],
    queryFn: () => call('getActionOptions', { params: { connectorId } }),
    select: ({ sourceOptions, targetOptions }) => (system === 'target' ? targetOptions : sourceOptions),
    enabled: system !== null,
    staleTime: Infinity,
  });

/** Fields of the collection that a lookup asks; none is asked for while none is chosen. */
export const useLookupFields = (connectorId: string, system: 'source' | 'target', id: string) =>
  useQuery({
    queryKey: ['connector', connectorId, 'field-paths', system, id],
    queryFn: () => call('getFieldPaths', { params: { connectorId }, query: { id, end: system } }),
    select: ({ fieldPaths }) => fieldPaths,
    enabled: id !== '',
    staleTime: Infinity,
    retry: false,
  });

export const useVersions = (params: ActionIds) =>
  useQuery({
    queryKey: ['action-versions', params.actionId],
    queryFn: () => call('getVersions', { params, query: { limit: 100, offset: 0 } }),
  });
