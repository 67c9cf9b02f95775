import { useQuery } from '@tanstack/react-query';
import { call } from '../../platform/call.ts';
import type { PendingRecord } from './selection.ts';

const PAGE = 5000;

const readAll = async (collection: string): Promise<PendingRecord[]> => {
  const all: PendingRecord[] = [];
  for (;;) {
    const reply = await call('getPending', {
      params: { collection },
      query: { limit: PAGE, offset: all.length },
    });
    all.push(...reply.resources);
    if (reply.resources.length === 0 || all.length >= reply.total) return all;
  }
};

/** All pending operations of a collection with the names of their records, as they are now. */
export const usePending = (collection: string) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['pending', collection],
    queryFn: () => readAll(collection),
    staleTime: 0,
    gcTime: 0,
  });
  return {
    records: data ?? null,
    error,
    load: async (): Promise<void> => {
      await refetch();
    },
  };
};
