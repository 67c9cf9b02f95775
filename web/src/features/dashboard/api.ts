import type { Dashboard } from '@sluice/contract';
import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../platform/call.ts';
import { live } from '../../platform/live.ts';
import { todayIso } from '../../platform/time.ts';
import { type DashboardMessage, isKnown, mergeMessage } from './merge.ts';

/** Periods end today and are so many days long (DASH-02). */
export const periods = { today: 1, threeDays: 3, week: 7, month: 30 } as const;
export type PeriodName = keyof typeof periods;

/** Limits the dashboard to one system and the options chosen of its levels. */
export interface DashboardScope {
  systemId: string;
  levelIds: readonly string[];
}

const FLASH_MS = 1600;
const AGAIN_MS = 1500;

const listeners = new Set<(message: DashboardMessage) => void>();

/** From the start, so that no message finds nobody; who looks at the dashboard hears them. */
export const listenForJobs = (): void => {
  live.register('dashboard', (message) => {
    for (const listener of listeners) listener(message);
  });
};

const daysBack = (day: string, count: number): string => {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() - count);
  return at.toISOString().slice(0, 10);
};

const dashboardQuery = (period: PeriodName, scope: DashboardScope | null) => {
  const today = todayIso();
  const systemLevelIds = scope?.levelIds.join('*');
  const query = {
    dateFrom: daysBack(today, periods[period] - 1),
    dateTo: today,
    ...(scope ? { systemId: scope.systemId } : {}),
    ...(systemLevelIds ? { systemLevelIds } : {}),
  };
  return queryOptions({
    queryKey: ['dashboard', JSON.stringify(query)],
    // A new period aborts the call of the one before.
    queryFn: ({ signal }) => call('getDashboard', { query, signal }),
    // Old at once, but for what was asked for a moment before the screen was there.
    staleTime: 1000,
  });
};

/** What the dashboard shows first, asked for while its screen is being fetched. */
export const prefetchDashboard = async (client: QueryClient): Promise<void> =>
  await client.prefetchQuery(dashboardQuery('today', null));

/** The dashboard of a period, kept as it is now by live messages; `flashing` are the rows that just changed. */
export const useDashboard = (period: PeriodName, scope: DashboardScope | null) => {
  const client = useQueryClient();
  const [flashing, setFlashing] = useState<ReadonlySet<string>>(new Set());
  const asked = dashboardQuery(period, scope);
  const key = asked.queryKey[1] ?? '';
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    ...asked,
    placeholderData: keepPreviousData,
  });
  const isScoped = scope !== null;
  useEffect(() => {
    let again = 0;
    const readAgain = (): void => {
      if (again !== 0) return;
      again = window.setTimeout(() => {
        again = 0;
        void client.invalidateQueries({ queryKey: ['dashboard', key] });
      }, AGAIN_MS);
    };
    const timers = new Set<number>();
    const listener = (message: DashboardMessage): void => {
      const now = client.getQueryData<Dashboard>(['dashboard', key]);
      if (!now) return;
      // Whether it belongs to the system looked at, the server knows.
      if (isScoped && !isKnown(now, message)) {
        readAgain();
        return;
      }
      client.setQueryData(['dashboard', key], mergeMessage(now, message));
      const { id } = message.data;
      setFlashing((before) => new Set(before).add(id));
      const timer = window.setTimeout(() => {
        timers.delete(timer);
        setFlashing((before) => new Set([...before].filter((one) => one !== id)));
      }, FLASH_MS);
      timers.add(timer);
      // Plots and connections follow the end of a job.
      if ('finishedAt' in message.data && message.data.finishedAt !== null) readAgain();
    };
    listeners.add(listener);
    const stop = live.onReopened(() => void client.invalidateQueries({ queryKey: ['dashboard', key] }));
    return () => {
      listeners.delete(listener);
      stop();
      clearTimeout(again);
      for (const timer of timers) clearTimeout(timer);
      // From now on it hears no messages.
      void client.invalidateQueries({ queryKey: ['dashboard', key], refetchType: 'none' });
    };
  }, [client, key, isScoped]);
  return {
    dashboard: data ?? null,
    error,
    isFetching,
    isOld: isPlaceholderData,
    flashing,
    retry: () => void refetch(),
  };
};
