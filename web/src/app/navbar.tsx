import { Popover } from '@mantine/core';
import type { MenuItem } from '@sluice/contract';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NotificationBell } from '../features/notifications/panel.tsx';
import { sortByTitle, useChoice, useMenu } from '../features/systems/api.ts';
import { leafPath } from '../features/systems/level-tree.ts';
import { currentLanguage } from '../platform/i18n/i18n.ts';
import { englishTitle, keepTogether } from '../platform/titles.ts';
import { Icon, Mark } from '../ui/icons.tsx';
import { useOverlay } from '../ui/overlays.ts';
import { AccountMenu } from './account-menu.tsx';
import { HelpMenu } from './help-menu.tsx';
import { MegaMenu } from './mega-menu.tsx';
import { walkLinks } from './walk-links.ts';
import { SystemSelector } from './system-selector.tsx';

const titleOf = (title: string): string =>
  keepTogether(currentLanguage() === 'EN' ? englishTitle(title) : title, true);

const Dropdown = ({ item, isActive }: { item: MenuItem; isActive: boolean }) => {
  const [isOpen, setOpen] = useState(false);
  const { choice } = useChoice();
  const { pathname } = useLocation();
  useOverlay('dropdown', isOpen, () => setOpen(false));
  const leaves = sortByTitle(item.children, document.documentElement.lang).map((leaf) => {
    const isData = item.id === 'data' && choice !== null;
    return {
      ...leaf,
      path: isData ? leafPath(choice, { ...leaf, uri: leaf.uri.replace('/:attributeId', '') }) : leaf.uri,
    };
  });
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-start"
      offset={8}
      trapFocus
      returnFocus
      shadow="md"
      middlewares={{ shift: true, flip: false, size: true }}
    >
      <Popover.Target>
        <button
          type="button"
          className={`item ${isActive ? 'on' : ''}`}
          aria-expanded={isOpen}
          aria-haspopup="true"
          onClick={() => setOpen((is) => !is)}
        >
          {titleOf(item.title)}
          <Icon name="chevron" size="xs" />
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        {item.id === 'data' ? (
          <MegaMenu leaves={leaves} current={pathname} onPick={() => setOpen(false)} />
        ) : (
          <nav aria-label={item.title} style={{ minWidth: 180 }}>
            {leaves.map((leaf) => (
              <Link
                key={leaf.id}
                to={leaf.path}
                className={`drop-a ${pathname.startsWith(leaf.path) && (leaf.path !== '/manage/systems' || pathname === leaf.path) ? 'on' : ''}`}
                onKeyDown={walkLinks}
                onClick={() => setOpen(false)}
              >
                {keepTogether(leaf.title)}
              </Link>
            ))}
          </nav>
        )}
      </Popover.Dropdown>
    </Popover>
  );
};

const MainMenu = () => {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const { choice, isLoading, error: systemsError, retry: retrySystems } = useChoice();
  const { menu, error, retry } = useMenu(choice, !isLoading);
  if (error || systemsError) {
    return (
      <span className="item" role="alert">
        {t('nav.loadError')}
        <button
          type="button"
          className="link"
          onClick={() => {
            retrySystems();
            retry();
          }}
        >
          {t('common.retry')}
        </button>
      </span>
    );
  }
  if (!menu) {
    return (
      <span style={{ display: 'flex', gap: 20, padding: '0 10px' }} aria-label={t('common.loading')}>
        {[72, 40, 60].map((width) => (
          <span key={width} className="skel" style={{ width }} />
        ))}
      </span>
    );
  }
  if (menu.length === 0) return <span className="item">{t('nav.empty')}</span>;
  return (
    <nav aria-label={t('nav.mainMenu')} style={{ display: 'flex', gap: 2 }}>
      {menu.map((item) => {
        const isActive = pathname.startsWith(item.uri ?? `/${item.id}`);
        return item.children.length > 0 ? (
          <Dropdown key={item.id} item={item} isActive={isActive} />
        ) : item.uri ? (
          <Link key={item.id} to={item.uri} className={`item ${isActive ? 'on' : ''}`}>
            {titleOf(item.title)}
          </Link>
        ) : null;
      })}
    </nav>
  );
};

export const Navbar = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const header = useRef<HTMLElement>(null);
  return (
    <header className="nav" ref={header}>
      <a
        className="logo"
        href="/"
        aria-label={t('nav.toDashboard')}
        onClick={(event) => {
          event.preventDefault();
          void navigate({ to: '/' });
        }}
      >
        <Mark />
        <b>Sluice</b>
      </a>
      <MainMenu />
      <span className="sp" />
      <SystemSelector />
      <NotificationBell />
      <HelpMenu />
      <AccountMenu />
    </header>
  );
};
