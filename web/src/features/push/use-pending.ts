import { useCallback, useEffect, useState } from 'react';
import { call } from '../../platform/call.ts';
import type { PendingRecord } from './selection.ts';

const PAGE = 5000;

/** All pending operations of a collection with the names of their records. */
export const usePending = (collection: string) => {
  const [records, setRecords] = useState<readonly PendingRecord[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const load = useCallback(async (): Promise<void> => {
    try {
      const all: PendingRecord[] = [];
      for (;;) {
        const reply = await call('getPending', {
          params: { collection },
          query: { limit: PAGE, offset: all.length },
        });
        all.push(...reply.resources);
        if (reply.resources.length === 0 || all.length >= reply.total) break;
      }
      setRecords(all);
      setError(null);
    } catch (failure) {
      setError(failure);
    }
  }, [collection]);
  useEffect(() => void load(), [load]);
  return { records, error, load };
};
