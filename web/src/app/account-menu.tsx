import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../platform/i18n/i18n.ts';
import { logOut, savePreference, session } from '../platform/session.ts';
import { useStore } from '../platform/store.ts';
import { type Theme, applyTheme, theme } from '../platform/theme.ts';
import { MenuButton, type MenuEntry } from '../ui/popup-menu.tsx';
import { initialsOf } from '../ui/initials.ts';
import { switchLanguage } from './connect-session.ts';

const THEMES = [
  ['system', 'nav.themeSystem'],
  ['light', 'nav.themeLight'],
  ['dark', 'nav.themeDark'],
] as const;

export const AccountMenu = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const state = useStore(session);
  const shown = useStore(theme);
  const [isOpen, setOpen] = useState(false);
  if (state.status !== 'loggedIn') return null;
  const { user, userPreferences } = state;
  const name = userPreferences.options.preferredName ?? user.fullName;
  const second = user.username ?? user.identityProviderUsername ?? user.email ?? '';
  const pickTheme = (next: Theme): void => {
    applyTheme(next);
    void savePreference('options/theme', next);
  };
  const entries: MenuEntry[] = [
    { label: `${name} · ${second} · ${t(user.isSuperuser ? 'nav.superuser' : 'nav.user')}`, heading: true },
    { label: t('settings.title'), onClick: () => void navigate({ to: '/settings' }) },
    'divider',
    { label: t('common.language'), heading: true },
    ...(['EN', 'NL'] as const).map((code): MenuEntry => ({
      label: code === 'EN' ? 'English' : 'Nederlands',
      isChecked: currentLanguage() === code,
      onClick: () => void switchLanguage(code),
    })),
    { label: t('nav.theme'), heading: true },
    ...THEMES.map(([id, key]): MenuEntry => ({
      label: t(key),
      isChecked: shown === id,
      onClick: () => pickTheme(id),
    })),
    'divider',
    { label: t('security.title'), icon: 'lock', onClick: () => void navigate({ to: '/account' }) },
    { label: t('nav.logOut'), onClick: () => void logOut() },
  ];
  return (
    <MenuButton entries={entries} isOpen={isOpen} onChange={setOpen}>
      <button type="button" className="icon" aria-label={t('nav.account', { name })}>
        <span className="avatar">{initialsOf(name)}</span>
      </button>
    </MenuButton>
  );
};
