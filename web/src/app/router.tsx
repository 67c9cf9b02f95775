import {
  Outlet,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { safePath } from './safe-path.ts';
import { session } from '../platform/session.ts';

const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: lazyRouteComponent(() => import('./not-found.tsx'), 'NotFound'),
  errorComponent: lazyRouteComponent(() => import('./crashed.tsx'), 'Crashed'),
});

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  validateSearch: (search: Record<string, unknown>): { redirect?: string; cause?: string } => ({
    ...(typeof search['redirect'] === 'string' ? { redirect: search['redirect'] } : {}),
    ...(typeof search['cause'] === 'string' ? { cause: search['cause'] } : {}),
  }),
  beforeLoad: ({ search }) => {
    if (session.get().status === 'loggedIn')
      throw redirect({ href: safePath(search.redirect), replace: true });
  },
  component: lazyRouteComponent(() => import('../features/sessions/login-screen.tsx'), 'LoginScreen'),
});

const redirectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/redirect',
  validateSearch: (search: Record<string, unknown>): { to?: string } =>
    typeof search['to'] === 'string' ? { to: search['to'] } : {},
  beforeLoad: ({ search }) => {
    throw redirect({ href: safePath(search.to), replace: true });
  },
});

/** Everything behind the log-in: anonymous users go to the log-in page and come back. */
const insideRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'inside',
  beforeLoad: ({ location }) => {
    const state = session.get();
    if (state.status === 'loggedIn') return;
    const isRoot = location.pathname === '/' || location.pathname === '/dashboard';
    throw redirect({
      to: '/login',
      search: {
        ...(isRoot ? {} : { redirect: location.href }),
        ...(state.status === 'anonymous' && state.cause === 'sessionExpired'
          ? { cause: 'sessionExpired' }
          : {}),
      },
    });
  },
  component: lazyRouteComponent(() => import('./shell.tsx'), 'Shell'),
});

const inside = { getParentRoute: () => insideRoute } as const;
const homeRoute = createRoute({
  ...inside,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/dashboard/$', params: { _splat: '' }, replace: true });
  },
});
const dashboardRoute = createRoute({
  ...inside,
  path: '/dashboard/$',
  component: lazyRouteComponent(() => import('./dashboard-screen.tsx'), 'DashboardScreen'),
});
const dataRoute = createRoute({
  ...inside,
  path: '/data/$',
  validateSearch: (
    search: Record<string, unknown>,
  ): { copyFrom?: string; view?: string; field?: string } => ({
    ...(typeof search['copyFrom'] === 'string' ? { copyFrom: search['copyFrom'] } : {}),
    ...(typeof search['view'] === 'string' ? { view: search['view'] } : {}),
    ...(typeof search['field'] === 'string' ? { field: search['field'] } : {}),
  }),
  component: lazyRouteComponent(() => import('./data-route.tsx'), 'DataRoute'),
});
const systemsRoute = createRoute({
  ...inside,
  path: '/manage/systems',
  component: lazyRouteComponent(() => import('../features/domains/systems-screen.tsx'), 'SystemsScreen'),
});
const domainsRoute = createRoute({
  ...inside,
  path: '/manage/systems/$systemId/domains',
  component: lazyRouteComponent(() => import('../features/domains/domains-screen.tsx'), 'DomainsScreen'),
});
const newDomainRoute = createRoute({
  ...inside,
  path: '/manage/systems/$systemId/domains/new',
  component: lazyRouteComponent(() => import('../features/domains/domain-form.tsx'), 'NewDomainScreen'),
});
const editDomainRoute = createRoute({
  ...inside,
  path: '/manage/systems/$systemId/domains/$domainId/edit',
  component: lazyRouteComponent(() => import('../features/domains/domain-form.tsx'), 'EditDomainScreen'),
});
const companiesRoute = createRoute({
  ...inside,
  path: '/manage/systems/$systemId/domains/$domainId/companies',
  component: lazyRouteComponent(() => import('../features/domains/companies-screen.tsx'), 'CompaniesScreen'),
});
const mappingsRoute = createRoute({
  ...inside,
  path: '/connectors/$connectorId/actions/$actionId/mappings-triggers',
  component: lazyRouteComponent(() => import('./mapping-editor-route.tsx'), 'MappingEditorRoute'),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    loginRoute,
    redirectRoute,
    insideRoute.addChildren([
      homeRoute,
      dashboardRoute,
      dataRoute,
      systemsRoute,
      domainsRoute,
      newDomainRoute,
      editDomainRoute,
      companiesRoute,
      mappingsRoute,
    ]),
  ]),
  defaultPreload: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
