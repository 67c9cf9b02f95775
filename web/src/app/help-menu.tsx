import { useLocation } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../platform/call.ts';
import { currentUser, savePreference } from '../platform/session.ts';
import { addShortcut, isMod, keyCaps } from '../platform/shortcuts.ts';
import { Icon } from '../ui/icons.tsx';
import { MenuButton, type MenuEntry } from '../ui/popup-menu.tsx';
import { toast } from '../ui/toasts.tsx';
import { helpPageOf } from './help-pages.ts';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';

const showHintsAgain = async (done: string): Promise<void> => {
  try {
    await savePreference('options/tutorial', {});
    toast('success', done);
  } catch (error) {
    toast('error', errorText(error));
  }
};

/** Help pages, where the organisation has them; shortcuts and first hints always. */
export const HelpMenu = () => {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const [isListOpen, setListOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const helpUrl = currentUser()?.helpUrl ?? null;
  const openHelp = useEffectEvent(() => {
    if (helpUrl) window.open(`${helpUrl}/${helpPageOf(pathname)}`, '_blank', 'noopener');
    else setOpen(true);
  });
  useEffect(() => {
    const removes = [
      addShortcut({ matches: (event) => isMod(event) && event.key === '/', run: () => setListOpen(true) }),
      addShortcut({
        matches: (event) => event.key === 'F1' && !event.shiftKey,
        run: () => button.current?.focus(),
      }),
      addShortcut({ matches: (event) => event.key === 'F1' && event.shiftKey, run: () => openHelp() }),
    ];
    return () => removes.forEach((remove) => remove());
  }, []);
  const entries: MenuEntry[] = [
    ...(helpUrl
      ? ([
          {
            label: t('help.page'),
            icon: 'help',
            hint: keyCaps(['Shift', 'F1']).join(' '),
            href: `${helpUrl}/${helpPageOf(pathname)}`,
          },
          { label: t('help.center'), icon: 'info', href: helpUrl },
          'divider',
        ] as const)
      : []),
    {
      label: t('nav.shortcuts'),
      icon: 'form',
      hint: keyCaps(['Mod', '/']).join(' '),
      onClick: () => setListOpen(true),
    },
    {
      label: t('help.resetOnboarding'),
      icon: 'refresh',
      onClick: () => void showHintsAgain(t('help.resetDone')),
    },
  ];
  return (
    <>
      <MenuButton entries={entries} isOpen={isOpen} onChange={setOpen}>
        <button ref={button} type="button" className="icon" aria-label={t('nav.help')}>
          <Icon name="help" />
        </button>
      </MenuButton>
      {isListOpen ? <ShortcutsDialog onClose={() => setListOpen(false)} /> : null}
    </>
  );
};
