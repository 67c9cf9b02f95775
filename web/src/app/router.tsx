import {
  Outlet,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { loadTexts, t, withTexts } from '../platform/i18n/i18n.ts';
import { dropRedirect, keptRedirect } from '../platform/kept-redirect.ts';
import { routes } from '../platform/routes.ts';
import { session } from '../platform/session.ts';
import { toast } from '../ui/toasts.tsx';
import { prefetchDashboard } from '../features/dashboard/api.ts';
import { prefetchMenu } from '../features/systems/api.ts';
import { queryClient } from './query-client.ts';
import { safePath } from './safe-path.ts';

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
    if (session.get().status !== 'loggedIn') return;
    const wanted = search.redirect ?? keptRedirect();
    dropRedirect();
    throw redirect({ href: safePath(wanted), replace: true });
  },
  component: lazyRouteComponent(() => import('../features/sessions/login-screen.tsx'), 'LoginScreen'),
});

const setPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/set-password',
  component: lazyRouteComponent(
    () => import('../features/sessions/set-password-screen.tsx'),
    'SetPasswordScreen',
  ),
});
const callbackRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/auth/$provider/callback',
  component: lazyRouteComponent(() => import('../features/sessions/callback-screen.tsx'), 'CallbackScreen'),
});
const forgotRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('../features/sessions/forgot-screen.tsx'), 'ForgotScreen'),
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
    if (state.status === 'loggedIn') {
      void prefetchMenu(queryClient);
      return;
    }
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
  component: lazyRouteComponent(
    withTexts(() => import('./shell.tsx'), 'inside'),
    'Shell',
  ),
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
  beforeLoad: ({ params }) => {
    if (params._splat === undefined || params._splat === '') void prefetchDashboard(queryClient);
  },
  // One key per system level: which ones a system has, only the systems tell.
  validateSearch: (search: Record<string, unknown>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(search).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
    ),
  component: lazyRouteComponent(
    withTexts(() => import('./dashboard-route.tsx'), 'manage'),
    'DashboardRoute',
  ),
});
const settingsHomeRoute = createRoute({
  ...inside,
  path: '/settings',
  beforeLoad: () => {
    throw redirect({ to: '/settings/$tab', params: { tab: 'user-preferences' }, replace: true });
  },
});
const settingsRoute = createRoute({
  ...inside,
  path: '/settings/$tab',
  component: lazyRouteComponent(() => import('./settings-route.tsx'), 'SettingsRoute'),
});
/** A form that begins as a copy of another record (decisions C-25). */
const copiedFrom = (search: Record<string, unknown>): { copyFrom?: string } =>
  typeof search['copyFrom'] === 'string' ? { copyFrom: search['copyFrom'] } : {};

const dataRoute = createRoute({
  ...inside,
  path: '/data/$',
  validateSearch: (
    search: Record<string, unknown>,
  ): { copyFrom?: string; view?: string; field?: string; run?: string; push?: string } => ({
    ...copiedFrom(search),
    ...(typeof search['view'] === 'string' ? { view: search['view'] } : {}),
    ...(typeof search['field'] === 'string' ? { field: search['field'] } : {}),
    ...(typeof search['run'] === 'string' ? { run: search['run'] } : {}),
    ...(typeof search['push'] === 'string' ? { push: search['push'] } : {}),
  }),
  component: lazyRouteComponent(() => import('./data-route.tsx'), 'DataRoute'),
});
type TitleKey = (typeof TITLES)[keyof typeof TITLES] | 'manage.domains' | 'manage.companies';
type Right = 'read' | 'create' | 'update';
const TITLES = {
  connectors: 'connectors.title',
  users: 'users.title',
  roles: 'roles.title',
  audit: 'audit.title',
  domains: 'manage.systems',
} as const;

/** Screens behind a right: who lacks it is led home and told so (decisions Q-ROLE-04). */
const guarded = (endpoint: keyof typeof TITLES, right: Right, title: TitleKey = TITLES[endpoint]) =>
  ({
    ...inside,
    beforeLoad: async () => {
      const state = session.get();
      if (state.status !== 'loggedIn' || state.rights[endpoint]?.[right]) return;
      await Promise.all([
        loadTexts('inside'),
        loadTexts(endpoint === 'connectors' ? 'connectors' : 'manage'),
      ]);
      toast('warning', t('nav.bounced', { screen: t(title) }));
      throw redirect({ to: '/redirect', search: { to: '/' }, replace: true });
    },
  }) as const;
const systemsRoute = createRoute({
  ...guarded('domains', 'read'),
  path: '/manage/systems',
  component: lazyRouteComponent(
    withTexts(() => import('../features/domains/systems-screen.tsx'), 'manage'),
    'SystemsScreen',
  ),
});
const domainsRoute = createRoute({
  ...guarded('domains', 'read', 'manage.domains'),
  path: routes.manageSystems,
  component: lazyRouteComponent(
    withTexts(() => import('../features/domains/domains-screen.tsx'), 'manage'),
    'DomainsScreen',
  ),
});
const newDomainRoute = createRoute({
  ...guarded('domains', 'create', 'manage.domains'),
  path: '/manage/systems/$systemId/domains/new',
  validateSearch: copiedFrom,
  component: lazyRouteComponent(
    withTexts(() => import('../features/domains/domain-form.tsx'), 'manage'),
    'NewDomainScreen',
  ),
});
const editDomainRoute = createRoute({
  ...guarded('domains', 'read', 'manage.domains'),
  path: '/manage/systems/$systemId/domains/$domainId/edit',
  component: lazyRouteComponent(
    withTexts(() => import('../features/domains/domain-form.tsx'), 'manage'),
    'EditDomainScreen',
  ),
});
const companiesRoute = createRoute({
  ...guarded('domains', 'read', 'manage.companies'),
  path: '/manage/systems/$systemId/domains/$domainId/companies',
  component: lazyRouteComponent(
    withTexts(() => import('../features/domains/companies-screen.tsx'), 'manage'),
    'CompaniesScreen',
  ),
});

const connectors = (right: Right) => guarded('connectors', right);
const usersRoute = createRoute({
  ...guarded('users', 'read'),
  path: '/manage/users',
  component: lazyRouteComponent(
    withTexts(() => import('../features/users/users-screen.tsx'), 'manage'),
    'UsersScreen',
  ),
});
const rolesRoute = createRoute({
  ...guarded('roles', 'read'),
  path: '/manage/roles',
  component: lazyRouteComponent(
    withTexts(() => import('../features/roles/roles-screen.tsx'), 'manage'),
    'RolesScreen',
  ),
});
const roleForm = withTexts(() => import('../features/roles/role-form.tsx'), 'manage');
const newRoleRoute = createRoute({
  ...guarded('roles', 'create'),
  path: '/manage/roles/new',
  validateSearch: copiedFrom,
  component: lazyRouteComponent(roleForm, 'NewRoleScreen'),
});
const editRoleRoute = createRoute({
  ...guarded('roles', 'read'),
  path: '/manage/roles/$roleId/edit',
  component: lazyRouteComponent(roleForm, 'EditRoleScreen'),
});
const auditRoute = createRoute({
  ...guarded('audit', 'read'),
  path: '/manage/audit',
  component: lazyRouteComponent(
    withTexts(() => import('../features/audit/audit-screen.tsx'), 'manage'),
    'AuditScreen',
  ),
});
const securityRoute = createRoute({
  ...inside,
  path: '/account',
  component: lazyRouteComponent(() => import('../features/sessions/security-screen.tsx'), 'SecurityScreen'),
});
const connectorsRoute = createRoute({
  ...connectors('read'),
  path: '/connectors',
  component: lazyRouteComponent(
    withTexts(() => import('../features/connectors/list-screen.tsx'), 'connectors', 'manage'),
    'ConnectorsScreen',
  ),
});
const connectorForm = withTexts(
  () => import('../features/connectors/connector-form.tsx'),
  'connectors',
  'manage',
);
const newConnectorRoute = createRoute({
  ...connectors('create'),
  path: '/connectors/new',
  component: lazyRouteComponent(connectorForm, 'NewConnectorScreen'),
});
const editConnectorRoute = createRoute({
  ...connectors('update'),
  path: '/connectors/$connectorId/edit',
  component: lazyRouteComponent(connectorForm, 'EditConnectorScreen'),
});
const copyConnectorRoute = createRoute({
  ...connectors('create'),
  path: '/connectors/$connectorId/copy',
  component: lazyRouteComponent(connectorForm, 'CopyConnectorScreen'),
});
const connectorRoute = createRoute({
  ...connectors('read'),
  path: '/connectors/$connectorId/actions',
  validateSearch: (search: Record<string, unknown>): { run?: string } =>
    typeof search['run'] === 'string' ? { run: search['run'] } : {},
  component: lazyRouteComponent(
    withTexts(() => import('../features/connectors/detail-screen.tsx'), 'connectors', 'manage'),
    'ConnectorScreen',
  ),
});
const actionForm = withTexts(() => import('../features/connectors/action-form.tsx'), 'connectors', 'manage');
const newActionRoute = createRoute({
  ...connectors('update'),
  path: '/connectors/$connectorId/actions/new',
  component: lazyRouteComponent(actionForm, 'NewActionScreen'),
});
const copyActionsRoute = createRoute({
  ...connectors('update'),
  path: '/connectors/$connectorId/actions/copy',
  component: lazyRouteComponent(
    withTexts(() => import('../features/connectors/copy-actions.tsx'), 'connectors', 'manage'),
    'CopyActionsScreen',
  ),
});
const editActionRoute = createRoute({
  ...connectors('update'),
  path: '/connectors/$connectorId/actions/$actionId/edit',
  component: lazyRouteComponent(actionForm, 'EditActionScreen'),
});
const mappingEditorRoute = createRoute({
  ...connectors('read'),
  path: '/connectors/$connectorId/actions/$actionId/mappings-triggers',
  component: lazyRouteComponent(
    withTexts(() => import('./mapping-editor-route.tsx'), 'connectors', 'manage'),
    'MappingEditorRoute',
  ),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    loginRoute,
    setPasswordRoute,
    forgotRoute,
    callbackRoute,
    redirectRoute,
    insideRoute.addChildren([
      homeRoute,
      dashboardRoute,
      settingsHomeRoute,
      settingsRoute,
      dataRoute,
      systemsRoute,
      domainsRoute,
      newDomainRoute,
      editDomainRoute,
      companiesRoute,
      usersRoute,
      rolesRoute,
      newRoleRoute,
      editRoleRoute,
      auditRoute,
      securityRoute,
      connectorsRoute,
      newConnectorRoute,
      editConnectorRoute,
      copyConnectorRoute,
      connectorRoute,
      newActionRoute,
      copyActionsRoute,
      editActionRoute,
      mappingEditorRoute,
    ]),
  ]),
  defaultPreload: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface HistoryState {
    /** Another level was chosen, not this table. */
    isSwitched?: boolean;
  }
}
