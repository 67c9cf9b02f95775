import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { addShortcut, isMac, isMod, keyCaps } from '../platform/shortcuts.ts';
import type { en } from '../platform/i18n/en.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icons.tsx';
import { MenuButton } from '../ui/popup-menu.tsx';

type Key = keyof typeof en.shortcuts;

const GROUPS: readonly (readonly [Key, readonly (readonly [Key, readonly string[]])[]])[] = [
  [
    'table',
    [
      ['find', ['Mod', 'F']],
      ['menu', isMac ? ['F12'] : ['Shift', 'F10']],
      ['copy', ['Mod', 'C']],
      ['cut', ['Mod', 'X']],
      ['paste', ['Mod', 'V']],
      ['fillDown', ['Mod', 'D']],
      ['fillRight', ['Mod', 'R']],
      ['undo', ['Mod', 'Z']],
      ['redo', isMac ? ['Shift', 'Cmd', 'Z'] : ['Ctrl', 'Y']],
      ['leave', ['Ctrl', 'Alt', 'Shift', 'M']],
    ],
  ],
  [
    'editing',
    [
      ['editCell', ['F2']],
      ['enter', ['Enter']],
      ['tab', ['Tab']],
      ['newLine', ['Alt', 'Enter']],
      ['cancelEdit', ['Esc']],
      ['clear', ['Backspace']],
    ],
  ],
  [
    'moving',
    [
      ['selectAll', ['Mod', 'A']],
      ['selectRow', ['Shift', 'Space']],
      ['selectColumn', ['Ctrl', 'K']],
      ['extend', ['Shift', '← ↑ ↓ →']],
      ['edges', ['Mod', '← ↑ ↓ →']],
      ['firstLast', ['Mod', 'Home / End']],
    ],
  ],
  [
    'general',
    [
      ['shortcuts', ['Mod', '/']],
      ['help', ['Shift', 'F1']],
      ['helpMenu', ['F1']],
      ['language', ['Alt']],
    ],
  ],
];

export const HelpMenu = () => {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const [isListOpen, setListOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const removes = [
      addShortcut({ matches: (event) => isMod(event) && event.key === '/', run: () => setListOpen(true) }),
      addShortcut({
        matches: (event) => event.key === 'F1' && !event.shiftKey,
        run: () => button.current?.focus(),
      }),
      addShortcut({ matches: (event) => event.key === 'F1' && event.shiftKey, run: () => setOpen(true) }),
    ];
    return () => removes.forEach((remove) => remove());
  }, []);
  return (
    <>
      <MenuButton
        entries={[
          {
            label: t('nav.shortcuts'),
            icon: 'form',
            hint: keyCaps(['Mod', '/']).join(' '),
            onClick: () => setListOpen(true),
          },
        ]}
        isOpen={isOpen}
        onChange={setOpen}
      >
        <button ref={button} type="button" className="icon" aria-label={t('nav.help')}>
          <Icon name="help" />
        </button>
      </MenuButton>
      <Dialog isOpen={isListOpen} onClose={() => setListOpen(false)} title={t('shortcuts.title')} width={680}>
        <div
          style={{
            display: 'grid',
            gridTemplateColumns: 'repeat(auto-fit, minmax(260px, 1fr))',
            gap: '20px 32px',
            padding: '0 20px 20px',
            overflow: 'auto',
          }}
        >
          {GROUPS.map(([group, rows]) => (
            <section key={group}>
              <h3 className="b" style={{ marginBottom: 8, fontSize: 13 }}>
                {t(`shortcuts.${group}`)}
              </h3>
              <div className="kv">
                {rows.map(([key, keys]) => (
                  <div key={key} style={{ display: 'contents' }}>
                    <span className="sec">{t(`shortcuts.${key}`)}</span>
                    <span style={{ display: 'flex', gap: 3, justifyContent: 'flex-end' }}>
                      {keyCaps(keys).map((cap) => (
                        <kbd key={cap}>{cap}</kbd>
                      ))}
                    </span>
                  </div>
                ))}
              </div>
            </section>
          ))}
        </div>
      </Dialog>
    </>
  );
};
