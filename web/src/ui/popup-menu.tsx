import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon, type IconName } from './icons.tsx';
import { useOverlay } from './overlays.ts';

export type MenuEntry =
  | 'divider'
  | { label: string; heading: true }
  | {
      label: string;
      icon?: IconName | undefined;
      hint?: string | undefined;
      isDanger?: boolean | undefined;
      isDisabled?: boolean | undefined;
      isChecked?: boolean | undefined;
      onClick: () => void;
    }
  /** A page outside of the product, in a tab of its own. */
  | { label: string; icon: IconName; hint?: string; href: string };

const NewTab = () => {
  const { t } = useTranslation();
  return <span className="vh"> {t('help.newTab')}</span>;
};

const Entries = ({ entries }: { entries: readonly MenuEntry[] }) =>
  entries.map((entry, i) => {
    if (entry === 'divider') return <Menu.Divider key={i} />;
    if ('href' in entry) {
      return (
        <Menu.Item
          key={i}
          component="a"
          href={entry.href}
          target="_blank"
          rel="noopener noreferrer"
          leftSection={<Icon name={entry.icon} size="s" />}
          rightSection={entry.hint ? <span className="menu-hint">{entry.hint}</span> : null}
        >
          {entry.label}
          <NewTab />
        </Menu.Item>
      );
    }
    if ('heading' in entry) return <Menu.Label key={i}>{entry.label}</Menu.Label>;
    return (
      <Menu.Item
        key={i}
        disabled={entry.isDisabled ?? false}
        onClick={entry.onClick}
        className={entry.isDanger ? 'menu-danger' : ''}
        leftSection={<Icon name={entry.isChecked ? 'check' : (entry.icon ?? 'dots')} size="s" />}
        {...(entry.icon || entry.isChecked ? {} : { leftSection: <span style={{ width: 14 }} /> })}
        rightSection={entry.hint ? <span className="menu-hint">{entry.hint}</span> : null}
      >
        {entry.label}
      </Menu.Item>
    );
  });

/** A menu at a point of the window (context menus), by keyboard and pointer. */
export const MenuAt = ({
  at,
  entries,
  onClose,
}: {
  at: { x: number; y: number } | null;
  entries: readonly MenuEntry[];
  onClose: () => void;
}) => {
  useOverlay('dropdown', at !== null, onClose);
  return (
    <Menu
      opened={at !== null}
      onClose={onClose}
      position="bottom-start"
      offset={2}
      shadow="md"
      withinPortal
      // The placeholder is a child that a menu may not have; without it the first entry has the focus.
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <span
          aria-hidden="true"
          style={{ position: 'fixed', left: at?.x ?? 0, top: at?.y ?? 0, width: 1, height: 1 }}
        />
      </Menu.Target>
      <Menu.Dropdown>
        <Entries entries={entries} />
      </Menu.Dropdown>
    </Menu>
  );
};

/** A menu under its button. */
export const MenuButton = ({
  entries,
  children,
  isOpen,
  onChange,
}: {
  entries: readonly MenuEntry[];
  children: ReactNode;
  isOpen: boolean;
  onChange: (isOpen: boolean) => void;
}) => {
  useOverlay('dropdown', isOpen, () => onChange(false));
  return (
    <Menu
      opened={isOpen}
      onChange={onChange}
      position="bottom-end"
      offset={4}
      shadow="md"
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        <Entries entries={entries} />
      </Menu.Dropdown>
    </Menu>
  );
};
