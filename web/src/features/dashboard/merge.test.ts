import type { Dashboard, Job } from '@sluice/contract';
import { describe, expect, it } from 'vitest';
import { type DashboardMessage, mergeMessage } from './merge.ts';

const empty: Dashboard = {
  errors: [],
  userJobs: [],
  connectorJobs: [],
  totals: { errors: 0, userJobs: 0, connectorJobs: 0 },
  inProgress: [],
  recentlyDone: [],
  waiting: [],
  mostVisited: [],
  externalConnections: [],
  days: [],
};
const job = (id: string, changes: Partial<Job> = {}): Job => ({
  id,
  kind: 'push',
  timestamp: '2026-11-20T10:00:00Z',
  connector: null,
  endpoint: 'Customers',
  origin: 'Sanne Meijer',
  message: null,
  status: 'RUNNING',
  total: 10,
  current: 0,
  failed: 0,
  startedAt: null,
  finishedAt: null,
  durationMinutes: null,
  url: null,
  ...changes,
});
const message = (
  type: 'userJob' | 'connectorJob',
  method: 'POST' | 'PATCH',
  data: Job,
): DashboardMessage => ({ handler: 'dashboard', type, method, data });
const ids = (list: readonly { id: string }[]): string[] => list.map(({ id }) => id);

describe('live messages of the dashboard', () => {
  it('[DASH-10] a job that begins comes first in its own list and in progress', () => {
    const one = mergeMessage(empty, message('userJob', 'POST', job('a')));
    const two = mergeMessage(one, message('connectorJob', 'POST', job('b')));
    expect(ids(two.userJobs)).toEqual(['a']);
    expect(ids(two.connectorJobs)).toEqual(['b']);
    expect(ids(two.inProgress)).toEqual(['b', 'a']);
    expect(two.totals).toEqual({ errors: 0, userJobs: 1, connectorJobs: 1 });
  });

  it('[DASH-11] [DASH-05] a job that goes on is changed in place; at its end it moves to what was done', () => {
    let now = empty;
    for (const id of ['a', 'b']) now = mergeMessage(now, message('userJob', 'POST', job(id)));
    now = mergeMessage(now, message('userJob', 'PATCH', job('a', { current: 5 })));
    expect(now.userJobs).toMatchObject([
      { id: 'b', current: 0 },
      { id: 'a', current: 5 },
    ]);
    now = mergeMessage(now, message('userJob', 'PATCH', job('a', { current: 10, status: 'DONE' })));
    expect(ids(now.inProgress)).toEqual(['b']);
    expect(ids(now.recentlyDone)).toEqual(['a']);
    expect(now.totals.userJobs).toBe(2);
  });

  it('[DASH-12] [DASH-13] a change of an unknown job adds it, and no id is there twice', () => {
    let now = mergeMessage(empty, message('connectorJob', 'PATCH', job('x')));
    now = mergeMessage(now, message('connectorJob', 'POST', job('x', { current: 2 })));
    expect(now.connectorJobs).toMatchObject([{ id: 'x', current: 2 }]);
    expect(now.totals.connectorJobs).toBe(1);
  });

  it('[DASH-09] an error is added once, however often it is told', () => {
    const error = {
      id: 'e',
      timestamp: '2026-11-20T10:00:00Z',
      connector: null,
      endpoint: 'Customers',
      origin: 'browser',
      message: 'broken',
      errCode: null,
      url: null,
    };
    const told: DashboardMessage = { handler: 'dashboard', type: 'error', method: 'POST', data: error };
    const now = mergeMessage(mergeMessage(empty, told), told);
    expect(now.errors).toEqual([error]);
    expect(now.totals.errors).toBe(1);
  });
});
