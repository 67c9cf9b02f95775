import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { keepTogether } from '../platform/titles.ts';
import { megaColumns } from './mega-columns.ts';
import { walkLinks } from './walk-links.ts';

const TYPE_AHEAD_MS = 300;
const NAVBAR = 52;
const PADDING = 28;

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();

/** All tables of the system, by letter. Typing goes to the first title that begins so. */
export const MegaMenu = ({
  leaves,
  current,
  onPick,
}: {
  leaves: readonly { id: string; title: string; path: string }[];
  current: string;
  onPick: () => void;
}) => {
  const { t } = useTranslation();
  const typed = useRef({ text: '', timer: 0 });
  const root = useRef<HTMLElement>(null);
  useEffect(() => () => clearTimeout(typed.current.timer), []);
  const columns = megaColumns(leaves, window.innerHeight * 0.92 - NAVBAR - PADDING);

  const handleKey = (event: KeyboardEvent<HTMLElement>): void => {
    walkLinks(event);
    if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey || event.key === ' ') return;
    const state = typed.current;
    clearTimeout(state.timer);
    const isSameLetter = state.text !== '' && [...state.text].every((c) => c === plain(event.key));
    state.text += plain(event.key);
    state.timer = window.setTimeout(() => {
      state.text = '';
    }, TYPE_AHEAD_MS);
    const links = [...(root.current?.querySelectorAll<HTMLElement>('a') ?? [])];
    // The same letter again goes round through the titles that begin with it.
    const wanted = isSameLetter ? plain(event.key) : state.text;
    const from =
      links.indexOf(document.activeElement as HTMLElement) +
      (isSameLetter || state.text.length === 1 ? 1 : 0);
    const found = [...links.slice(from), ...links.slice(0, from)].find((link) =>
      plain(link.textContent ?? '')
        .replaceAll('\u00a0', ' ')
        .startsWith(wanted),
    );
    found?.focus();
  };

  if (leaves.length === 0) return <p style={{ padding: 12 }}>{t('nav.noDataHere')}</p>;
  return (
    <nav className="mega" ref={root} aria-label={t('nav.mainMenu')}>
      {columns.map((groups, i) => (
        <div className="mega-col" key={i}>
          {groups.map((group) => (
            <div key={`${group.letter}${group.isContinued}`}>
              <div className="mega-h">
                {group.isContinued ? t('nav.continued', { letter: group.letter }) : group.letter}
              </div>
              {group.items.map((leaf) => (
                <Link
                  key={leaf.id}
                  to={leaf.path}
                  className={current === leaf.path || current.startsWith(`${leaf.path}/`) ? 'on' : ''}
                  onKeyDown={handleKey}
                  onClick={onPick}
                >
                  {keepTogether(leaf.title)}
                </Link>
              ))}
            </div>
          ))}
        </div>
      ))}
    </nav>
  );
};
