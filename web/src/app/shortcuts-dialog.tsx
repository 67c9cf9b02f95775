import { useTranslation } from 'react-i18next';
import type { en } from '../platform/i18n/en.ts';
import { isMac, keyCaps } from '../platform/shortcuts.ts';
import { Dialog } from '../ui/dialog.tsx';

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

/** All shortcuts, with the keys as they stand on this computer's keyboard. */
export const ShortcutsDialog = ({ onClose }: { onClose: () => void }) => {
  const { t } = useTranslation();
  return (
    <Dialog isOpen onClose={onClose} title={t('shortcuts.title')} width={680}>
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
  );
};
