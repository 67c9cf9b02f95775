import type { CollectionMetadata, PendingOperation } from '@sluice/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { ApiError, call, isAbort } from '../../platform/call.ts';
import type { FormMode } from './form-values.ts';
import { allOperations } from './row-state.ts';

export interface Loaded {
  metadata: CollectionMetadata;
  resource: Record<string, unknown> | null;
  operation: PendingOperation | null;
}

const load = async (collection: string, mode: FormMode, id: string | null): Promise<Loaded> => {
  if (mode === 'new' || id === null) {
    const reply = await call('getRecords', {
      params: { collection },
      query: { limit: 0, metadata: 'field-options', templateResource: 'true', noTotal: 'true' },
    });
    if (!reply.metadata) throw new ApiError('API_ERR', 0, 'metadata is missing', null);
    return { metadata: reply.metadata, resource: reply.templateResource ?? null, operation: null };
  }
  const reply = await call('getRecord', { params: { collection, id }, query: { metadata: 'field-options' } });
  if (!reply.metadata) throw new ApiError('API_ERR', 0, 'metadata is missing', null);
  return {
    metadata: reply.metadata,
    resource: reply.resource,
    operation: mode === 'edit' ? (allOperations(reply.pendingOperations)[0] ?? null) : null,
  };
};

/** The record as it is known here: shown at once. */
export const useCachedRecord = (collection: string, mode: FormMode, id: string | null) =>
  useQuery({
    queryKey: ['record', collection, mode, id],
    queryFn: () => load(collection, mode, id),
    staleTime: 0,
    gcTime: 0,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  });

export type LiveState = 'off' | 'reading' | 'read' | 'failed';

/** Reads the record anew from the external system once, behind the cached one. */
export const useLiveRecord = (
  collection: string,
  id: string | null,
  onRead: (resource: Record<string, unknown>, operation: PendingOperation | null) => void,
): LiveState => {
  const [state, setState] = useState<LiveState>(id === null ? 'off' : 'reading');
  const take = useEffectEvent(onRead);
  useEffect(() => {
    if (id === null) return undefined;
    const controller = new AbortController();
    call('getRecord', {
      params: { collection, id },
      query: { live: 'true' },
      signal: controller.signal,
      isBackground: true,
    })
      .then((reply) => {
        take(reply.resource, allOperations(reply.pendingOperations)[0] ?? null);
        setState('read');
      })
      .catch((error: unknown) => {
        if (!isAbort(error)) setState('failed');
      });
    return () => controller.abort();
  }, [collection, id]);
  return state;
};
