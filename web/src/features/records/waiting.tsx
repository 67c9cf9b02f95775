import type { CacheState } from '@sluice/contract';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../platform/call.ts';
import { routes } from '../../platform/routes.ts';
import { currentUser } from '../../platform/session.ts';
import { EmptyState } from '../../ui/empty-state.tsx';

const POLL_MS = 1000;
/** The first load of a table is still running: how far it is; goes on by itself. */
export const NotCachedYet = ({
  collection,
  title,
  systemName,
  onReady,
}: {
  collection: string;
  title: string;
  systemName: string;
  onReady: () => void;
}) => {
  const { t } = useTranslation();
  const [cache, setCache] = useState<CacheState | null>(null);
  useEffect(() => {
    let timer = 0;
    let isLeft = false;
    const poll = async (): Promise<void> => {
      try {
        const next = await call('getCacheState', { params: { collection }, isBackground: true });
        if (isLeft) return;
        setCache(next);
        if (next.state === 'ready') {
          onReady();
          return;
        }
      } catch (error) {
        console.error('cache state was not read', error);
      }
      if (!isLeft) timer = window.setTimeout(() => void poll(), POLL_MS);
    };
    void poll();
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [collection, onReady]);
  const share = cache?.expected ? (100 * cache.loaded) / cache.expected : null;
  const isFailed = cache?.state === 'failed';
  return (
    <div className="gridwrap">
      <EmptyState
        icon={isFailed ? 'danger' : 'database'}
        title={isFailed ? t('table.notCachedFailed') : t('table.notCachedTitle', { title })}
        text={isFailed ? (cache.message ?? undefined) : t('error.nothingCachedText')}
      >
        {isFailed ? (
          <button
            type="button"
            className="btn primary"
            onClick={() => void call('refreshCache', { params: { collection } }).then(setCache)}
          >
            {t('common.retry')}
          </button>
        ) : (
          <>
            <div
              className={`bar-line ${share === null ? 'unknown' : ''}`}
              style={{ width: 300 }}
              aria-hidden="true"
            >
              <i style={share === null ? undefined : { width: `${share}%` }} />
            </div>
            <progress className="vh" aria-label={t('common.loading')} max={100} value={share ?? undefined} />
            {cache && cache.loaded > 0 ? (
              <p className="tn">
                {cache.expected
                  ? t('table.notCachedOf', { loaded: cache.loaded, expected: cache.expected })
                  : t('table.notCachedLoaded', { loaded: cache.loaded })}
              </p>
            ) : null}
            <p className="mut">{t('table.notCachedText', { system: systemName })}</p>
          </>
        )}
        {currentUser()?.rights['domains']?.read ? (
          <Link
            to={routes.manageSystems}
            params={{ systemId: collection.split('/')[0] ?? '' }}
            className="btn"
          >
            {t('error.manageDomains')}
          </Link>
        ) : null}
      </EmptyState>
    </div>
  );
};
