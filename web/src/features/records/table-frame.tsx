import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from '../../platform/store.ts';
import { ago, moment } from '../../platform/time.ts';
import { isNarrowed } from './read-columns.ts';
import type { TableSession } from './table-session.ts';

/** The page around a table: its title, what stands beside it, and the rest below. */
export const Frame = ({
  title,
  meta,
  children,
}: {
  title: string;
  meta?: ReactNode;
  children: ReactNode;
}) => (
  <main
    id="main"
    tabIndex={-1}
    style={{ display: 'flex', flexDirection: 'column', flex: 1, minHeight: 0, outline: 'none' }}
  >
    <div className="title">
      <h1>{title}</h1>
      {meta}
    </div>
    {children}
  </main>
);

/** When the records were read from the external system. */
export const ReadAt = ({ table }: { table: TableSession }) => {
  const { t } = useTranslation();
  const { cachedAt, isRefreshing, cache, newRecords, view } = useStore(table.state);
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 60_000);
    return () => clearInterval(timer);
  }, []);
  const system = table.metadata.systemName;
  if (isRefreshing)
    return <span className="meta">{t('table.refreshing', { system, loaded: cache?.loaded ?? 0 })}</span>;
  return (
    <span className="meta">
      {cachedAt
        ? t('table.readAt', {
            system,
            time: moment(cachedAt, table.grid.settings.formats),
            ago: ago(cachedAt),
          })
        : t('table.notRead', { system })}
      {newRecords > 0 ? (
        <>
          {' · '}
          <button type="button" className="link" onClick={() => table.refresh.showNew()}>
            {t(isNarrowed(view) ? 'table.showNewMatching' : 'table.showNew', { count: newRecords })}
          </button>
        </>
      ) : null}
    </span>
  );
};
