import type { SystemLevelOption } from '@sluice/contract';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { DashboardPage } from '../features/dashboard/dashboard.tsx';
import {
  choose,
  dataLeaves,
  savedLevelIds,
  sortByTitle,
  useChoice,
  useMenu,
  useSystems,
} from '../features/systems/api.ts';
import { chooseLevels, leafPath } from '../features/systems/level-tree.ts';
import { currentLanguage } from '../platform/i18n/i18n.ts';
import { currentUser } from '../platform/session.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { Icon } from '../ui/icons.tsx';
import { usePageTitle } from '../ui/page-title.ts';

/** `/dashboard` of all that one may see, or `/dashboard/{system}?{level}={option}` of one system (ROUTE-03, ROUTE-04). */
export const DashboardRoute = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { _splat: path = '' } = useParams({ from: '/inside/dashboard/$' });
  const search = useSearch({ from: '/inside/dashboard/$' });
  const { systems } = useSystems();
  const { choice, isLoading } = useChoice();
  const { menu, error: menuError } = useMenu(choice, !isLoading);
  usePageTitle(t('dashboard.title'));
  const url = path.split('/')[0] ?? '';
  const scoped = useMemo(() => {
    const system = systems?.find((one) => one.url === url);
    if (!system) return null;
    const saved = savedLevelIds(system.id);
    const wanted: string[] = [];
    let options: readonly SystemLevelOption[] = system.systemLevelOptions;
    for (const [i, { uriId }] of system.systemLevels.entries()) {
      const option =
        options.find(({ uriAcronym }) => uriAcronym === search[uriId]) ??
        options.find(({ internalId }) => internalId === saved[i]) ??
        options[0];
      if (!option) break;
      wanted.push(option.internalId);
      options = option.children;
    }
    return { system, levels: chooseLevels(system, wanted) };
  }, [systems, url, search]);
  const levelIds = scoped?.levels.map((level) => level.internalId).join('*');
  const systemId = scoped?.system.id;
  useEffect(() => {
    if (systemId !== undefined && levelIds !== undefined) choose(systemId, levelIds.split('*'));
  }, [systemId, levelIds]);
  if (systems === null) return <main className="page" id="main" tabIndex={-1} aria-busy="true" />;
  if (systems.length === 0) return <Welcome />;
  const isMenuAwaited = menu === null && menuError === null;
  const tables = !choice
    ? []
    : isMenuAwaited
      ? null
      : sortByTitle(dataLeaves(menu), currentLanguage().toLowerCase()).map((leaf) => ({
          title: leaf.title,
          route: leafPath(choice, { ...leaf, uri: leaf.uri.replace('/:attributeId', '') }),
        }));
  return (
    <DashboardPage
      scope={
        scoped
          ? { systemId: scoped.system.id, levelIds: scoped.levels.map(({ internalId }) => internalId) }
          : null
      }
      tables={tables}
      where={
        scoped ? (
          <span className="sub">
            {[scoped.system.name, ...scoped.levels.map((level) => level.name)].join(', ')}{' '}
            <Link className="link" to="/dashboard/$" params={{ _splat: '' }}>
              {t('dashboard.showAll')}
            </Link>
          </span>
        ) : (
          <span className="sub">
            {t('dashboard.allSystems')}{' '}
            {choice && systems.length > 1 ? (
              <button
                type="button"
                className="link"
                onClick={() => void navigate({ to: '/dashboard/$', params: { _splat: choice.system.url } })}
              >
                {t('dashboard.only', { system: choice.system.name })}
              </button>
            ) : null}
          </span>
        )
      }
    />
  );
};

/** Nothing is connected yet: what to do first, or whom to ask. */
const Welcome = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const canManage = currentUser()?.rights['domains']?.create === true;
  return (
    <main className="page" id="main" tabIndex={-1}>
      <EmptyState
        icon="database"
        title={canManage ? t('dashboard.welcome') : t('nav.noSystem')}
        text={canManage ? t('dashboard.welcomeText') : t('nav.noSystemAsk')}
      >
        {canManage ? (
          <button
            type="button"
            className="btn primary lg"
            onClick={() => void navigate({ to: '/manage/systems' })}
          >
            <Icon name="plus" />
            {t('nav.connectSystem')}
          </button>
        ) : null}
      </EmptyState>
    </main>
  );
};
