import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { keepTogether } from '../platform/titles.ts';
import { megaColumns } from './mega-columns.ts';

/** Heights in px that are not the columns': the navbar, and the dropdown's own padding. */
const NAVBAR = 52;
const PADDING = 28;
/** Of the window's height a dropdown takes at most so much. */
const MOST = 0.92;

const useWindowHeight = (): number => {
  const [height, setHeight] = useState(window.innerHeight);
  useEffect(() => {
    const handleResize = (): void => setHeight(window.innerHeight);
    window.addEventListener('resize', handleResize);
    return () => window.removeEventListener('resize', handleResize);
  }, []);
  return height;
};

/** All tables of the system, by letter, in columns as high as the window lets them be. */
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
  const columns = megaColumns(leaves, useWindowHeight() * MOST - NAVBAR - PADDING);
  if (leaves.length === 0) return <p style={{ padding: 12 }}>{t('nav.noDataHere')}</p>;
  return (
    <div className="mega">
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
                  onClick={onPick}
                >
                  {keepTogether(leaf.title)}
                </Link>
              ))}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
};
