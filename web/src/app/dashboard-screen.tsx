import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
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
import { currentUser } from '../platform/session.ts';
import { keepTogether } from '../platform/titles.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { Icon } from '../ui/icons.tsx';
import { usePageTitle } from '../ui/page-title.ts';

/** Says what it will be, and leads to the tables meanwhile. */
export const DashboardScreen = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { _splat: path } = useParams({ from: '/inside/dashboard/$' });
  const { systems } = useSystems();
  const { choice, isLoading } = useChoice();
  const { menu } = useMenu(choice, !isLoading);
  usePageTitle(t('dashboard.title'));
  useEffect(() => {
    const wanted = systems?.find((system) => system.url === path?.split('/')[0]);
    if (wanted)
      choose(
        wanted.id,
        chooseLevels(wanted, savedLevelIds(wanted.id)).map((level) => level.internalId),
      );
  }, [systems, path]);
  const leaves = sortByTitle(dataLeaves(menu), document.documentElement.lang);
  const canManage = currentUser()?.rights['domains']?.create === true;
  return (
    <main className="page" id="main" tabIndex={-1}>
      <div className="page-in">
        <div className="page-h">
          <h1>{t('dashboard.title')}</h1>
          {choice ? (
            <span className="sub">
              {[choice.system.name, ...choice.levels.map((level) => level.name)].join(', ')}
            </span>
          ) : null}
        </div>
        {isLoading ? null : choice ? (
          <>
            <p className="note-line" style={{ marginBottom: 16 }}>
              <Icon name="info" />
              {t('dashboard.honest')}
            </p>
            <section className="card">
              <h2>
                {t('dashboard.tables', { system: choice.system.name })}{' '}
                <span className="n">{leaves.length || ''}</span>
              </h2>
              {menu && leaves.length === 0 ? (
                <EmptyState
                  icon="table"
                  title={t('dashboard.nothingHere')}
                  text={t('dashboard.nothingHereText')}
                />
              ) : (
                <ul
                  style={{
                    display: 'grid',
                    gridTemplateColumns: 'repeat(auto-fill, minmax(240px, 1fr))',
                    padding: '0 4px 8px',
                  }}
                >
                  {leaves.map((leaf) => (
                    <li key={leaf.id}>
                      <Link
                        className="l1 drop-a"
                        to={leafPath(choice, { ...leaf, uri: leaf.uri.replace('/:attributeId', '') })}
                      >
                        <Icon name="table" />
                        {keepTogether(leaf.title)}
                      </Link>
                    </li>
                  ))}
                </ul>
              )}
            </section>
          </>
        ) : (
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
        )}
      </div>
    </main>
  );
};
