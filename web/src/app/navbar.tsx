import { Popover } from '@mantine/core';
import type { MenuItem } from '@sluice/contract';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
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
import { useMenuKeys } from './menu-keys.ts';
import { SystemSelector } from './system-selector.tsx';

const titleOf = (title: string): string =>
  keepTogether(currentLanguage() === 'EN' ? englishTitle(title) : title, true);

/** Hovering opens a dropdown after so many ms; leaving closes it again, unless it was clicked. */
const HOVER_MS = 100;
const LEAVE_MS = 250;

type Opened = 'closed' | 'hovered' | 'clicked';

const Dropdown = ({
  item,
  isActive,
  onBeside,
  onKey,
}: {
  item: MenuItem;
  isActive: boolean;
  onBeside: (from: HTMLElement, step: 1 | -1) => void;
  /** Of the closed item. */
  onKey: (event: KeyboardEvent<HTMLElement>) => void;
}) => {
  const [opened, setOpened] = useState<Opened>('closed');
  const isOpen = opened !== 'closed';
  const { choice } = useChoice();
  const { pathname } = useLocation();
  const timer = useRef(0);
  const button = useRef<HTMLButtonElement>(null);
  const links = useRef<HTMLElement>(null);
  useOverlay('dropdown', isOpen, () => setOpened('closed'));
  useMenuKeys(links, isOpen, (step) => {
    setOpened('closed');
    if (button.current) onBeside(button.current, step);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  const later = (ms: number, next: (before: Opened) => Opened): void => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setOpened(next), ms);
  };
  const hover = {
    onPointerEnter: (event: PointerEvent) => {
      if (event.pointerType === 'mouse')
        later(HOVER_MS, (before) => (before === 'closed' ? 'hovered' : before));
    },
    onPointerLeave: (event: PointerEvent) => {
      if (event.pointerType === 'mouse')
        later(LEAVE_MS, (before) => (before === 'hovered' ? 'closed' : before));
    },
  };
  const leaves = sortByTitle(item.children, document.documentElement.lang).map((leaf) => {
    const isData = item.id === 'data' && choice !== null;
    return {
      ...leaf,
      path: isData ? leafPath(choice, { ...leaf, uri: leaf.uri.replace('/:attributeId', '') }) : leaf.uri,
    };
  });
  const close = (): void => {
    // Else a pointer that came and clicked at once would open it again.
    clearTimeout(timer.current);
    setOpened('closed');
  };
  return (
    <Popover
      opened={isOpen}
      onChange={(is) => setOpened(is ? 'clicked' : 'closed')}
      position="bottom-start"
      offset={8}
      trapFocus={opened === 'clicked'}
      returnFocus={opened === 'clicked'}
      shadow="md"
      middlewares={{ shift: { padding: 8 }, flip: false, size: { padding: 8 } }}
    >
      <Popover.Target>
        <button
          ref={button}
          type="button"
          className={`item ${isActive ? 'on' : ''}`}
          aria-expanded={isOpen}
          aria-haspopup="true"
          {...hover}
          onClick={() => {
            clearTimeout(timer.current);
            setOpened((before) => (before === 'clicked' ? 'closed' : 'clicked'));
          }}
          onKeyDown={(event) => {
            if (isOpen) return;
            if (event.key !== 'ArrowDown') {
              onKey(event);
              return;
            }
            event.preventDefault();
            setOpened('clicked');
          }}
        >
          {titleOf(item.title)}
          <Icon name="chevron" size="xs" />
        </button>
      </Popover.Target>
      <Popover.Dropdown {...hover}>
        <nav className="drop" ref={links} tabIndex={-1} aria-label={item.title}>
          {item.id === 'data' ? (
            <MegaMenu leaves={leaves} current={pathname} onPick={close} />
          ) : (
            leaves.map((leaf) => (
              <Link
                key={leaf.id}
                to={leaf.path}
                className={`drop-a ${pathname.startsWith(leaf.path) && (leaf.path !== '/manage/systems' || pathname === leaf.path) ? 'on' : ''}`}
                onClick={close}
              >
                {keepTogether(leaf.title)}
              </Link>
            ))
          )}
        </nav>
      </Popover.Dropdown>
    </Popover>
  );
};

const MainMenu = () => {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const { choice, isLoading, error: systemsError, retry: retrySystems } = useChoice();
  const { menu, error, retry } = useMenu(choice, !isLoading);
  const bar = useRef<HTMLElement>(null);
  /** To the item beside; what was open stays closed. */
  const walk = (from: Element | null, step: 1 | -1): void => {
    const items = [...(bar.current?.querySelectorAll<HTMLElement>('.item') ?? [])];
    const at = items.findIndex((item) => item === from);
    items[(at + step + items.length) % items.length]?.focus();
  };
  const handleKey = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft') return;
    event.preventDefault();
    walk(event.currentTarget, event.key === 'ArrowRight' ? 1 : -1);
  };
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
      <output style={{ display: 'flex', gap: 20, padding: '0 10px' }} aria-label={t('common.loading')}>
        {[72, 40, 60].map((width) => (
          <span key={width} className="skel" style={{ width }} />
        ))}
      </output>
    );
  }
  if (menu.length === 0) return <span className="item">{t('nav.empty')}</span>;
  return (
    <nav className="main-menu" aria-label={t('nav.mainMenu')} ref={bar}>
      {menu.map((item) => {
        const isActive = pathname.startsWith(item.uri ?? `/${item.id}`);
        return item.children.length > 0 ? (
          <Dropdown key={item.id} item={item} isActive={isActive} onBeside={walk} onKey={handleKey} />
        ) : item.uri ? (
          <Link key={item.id} to={item.uri} className={`item ${isActive ? 'on' : ''}`} onKeyDown={handleKey}>
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
  return (
    <header className="nav">
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
