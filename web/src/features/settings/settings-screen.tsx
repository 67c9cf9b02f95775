import { Link, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { currentUser, session } from '../../platform/session.ts';
import { useStore } from '../../platform/store.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { NotificationSettings } from './notification-settings.tsx';
import type { PanelProps } from './panel-props.ts';
import { PersonalSettings } from './personal-settings.tsx';
import { RegionSettings } from './region-settings.tsx';
import './settings.css';

const TABS = [
  { id: 'user-preferences', title: 'settings.personal', Panel: PersonalSettings },
  { id: 'language-and-region', title: 'settings.region', Panel: RegionSettings },
  { id: 'notifications', title: 'settings.notifications', Panel: NotificationSettings },
] as const;

/** `/settings/{tab}`: what a user decides for himself. Each input saves itself. */
export const SettingsScreen = ({ onLanguage }: Pick<PanelProps, 'onLanguage'>) => {
  const { t } = useTranslation();
  const { tab: wanted } = useParams({ from: '/inside/settings/$tab' });
  useStore(session);
  const tab = TABS.find(({ id }) => id === wanted);
  usePageTitle(tab ? t(tab.title) : t('settings.title'));
  const options = currentUser()?.userPreferences.options;
  if (!options) return null;
  if (!tab) return <ErrorView code="404" />;
  const { Panel } = tab;
  return (
    <main className="page" id="main" tabIndex={-1}>
      <div className="page-in" style={{ maxWidth: 880 }}>
        <div className="page-h">
          <h1>{t('settings.title')}</h1>
        </div>
        <nav className="tabs set-tabs" aria-label={t('settings.title')}>
          {TABS.map(({ id, title }) => (
            <Link
              key={id}
              to="/settings/$tab"
              params={{ tab: id }}
              replace
              className={id === tab.id ? 'on' : ''}
              aria-current={id === tab.id ? 'page' : undefined}
            >
              {t(title)}
            </Link>
          ))}
        </nav>
        <Panel options={options} onLanguage={onLanguage} />
      </div>
    </main>
  );
};
