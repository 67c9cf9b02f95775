import type { Dashboard, DashboardError, Job, ServerMessage } from '@sluice/contract';

export type DashboardMessage = Extract<ServerMessage, { handler: 'dashboard' }>;

const RECENT = 10;

const isOpen = ({ status }: Job): boolean => status === 'QUEUED' || status === 'RUNNING';

/** The one with the same id is replaced where it stands; an unknown one comes first. */
const put = <T extends { id: string }>(list: readonly T[], item: T): T[] =>
  list.some(({ id }) => id === item.id)
    ? list.map((one) => (one.id === item.id ? item : one))
    : [item, ...list];

const without = <T extends { id: string }>(list: readonly T[], id: string): T[] =>
  list.filter((one) => one.id !== id);

/** What a live message makes of the dashboard: errors are added, jobs merged by id (DASH-09 to DASH-12). */
export const mergeMessage = (dashboard: Dashboard, message: DashboardMessage): Dashboard => {
  if (message.type === 'error') return withError(dashboard, message.data);
  const list = message.type === 'userJob' ? 'userJobs' : 'connectorJobs';
  const job = message.data;
  const isNew = !dashboard[list].some(({ id }) => id === job.id);
  const { inProgress, recentlyDone } = dashboard;
  return {
    ...dashboard,
    [list]: put(dashboard[list], job),
    totals: { ...dashboard.totals, [list]: dashboard.totals[list] + (isNew ? 1 : 0) },
    inProgress: isOpen(job) ? put(inProgress, job) : without(inProgress, job.id),
    recentlyDone: isOpen(job) ? recentlyDone : [job, ...without(recentlyDone, job.id)].slice(0, RECENT),
  };
};

const withError = (dashboard: Dashboard, error: DashboardError): Dashboard => {
  const isNew = !dashboard.errors.some(({ id }) => id === error.id);
  return {
    ...dashboard,
    errors: put(dashboard.errors, error),
    totals: { ...dashboard.totals, errors: dashboard.totals.errors + (isNew ? 1 : 0) },
  };
};

/** Has the dashboard this job or error already? */
export const isKnown = (dashboard: Dashboard, { data }: DashboardMessage): boolean =>
  [dashboard.errors, dashboard.userJobs, dashboard.connectorJobs].some((list) =>
    list.some(({ id }) => id === data.id),
  );
