import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, errorText } from '../platform/call.ts';
import { numeral } from '../platform/i18n/i18n.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { Icon } from '../ui/icons.tsx';
import { usePageTitle } from '../ui/page-title.ts';

/** From this many on a field helps to find one. */
const SEARCH_FROM = 8;

/** Attributes of the company whose collection this is. */
export const useAttributes = (collection: string) => {
  const levels = collection.slice(0, collection.lastIndexOf('/'));
  return useQuery({
    queryKey: ['attributes', levels],
    queryFn: async () =>
      (
        await call('getAttributes', {
          params: { collection: levels },
          query: { fields: 'attributeId,attributeName', limit: -1, offset: 0 },
        })
      ).resources,
  });
};

/** The table of an attribute collection opens with the choice of its attribute. */
export const AttributePicker = ({
  collection,
  title,
  where,
}: {
  collection: string;
  title: string;
  where: string;
}) => {
  const { t } = useTranslation();
  const { data, error, refetch } = useAttributes(collection);
  const [wanted, setWanted] = useState('');
  usePageTitle(title);
  const plain = wanted.trim().toLowerCase();
  const found = (data ?? []).filter(({ attributeId, attributeName }) =>
    `${attributeId} ${attributeName}`.toLowerCase().includes(plain),
  );
  return (
    <main className="page" id="main" tabIndex={-1}>
      <div className="page-in" style={{ maxWidth: 720 }}>
        <div className="page-h">
          <h1>{title}</h1>
          <span className="sub">{where}</span>
        </div>
        <section className="card">
          <h2>
            {t('table.attributeTitle')} <span className="n">{data ? numeral(data.length) : null}</span>
          </h2>
          <div style={{ display: 'flex', alignItems: 'center', gap: 12, padding: '0 12px 8px' }}>
            <p className="sec" style={{ fontSize: 13 }}>
              {t('table.attributeText')}
            </p>
            <span className="sp" />
            {(data?.length ?? 0) >= SEARCH_FROM ? (
              <label className="field find" style={{ width: 200 }}>
                <Icon name="search" />
                <input
                  aria-label={t('common.search')}
                  placeholder={t('common.search')}
                  value={wanted}
                  onChange={(event) => setWanted(event.target.value)}
                />
              </label>
            ) : null}
          </div>
          {error ? (
            <p className="note-line bad" role="alert" style={{ margin: '0 16px 16px' }}>
              <Icon name="danger" />
              <span className="sp">{`${t('common.errorLoading')}: ${errorText(error)}`}</span>
              <button type="button" className="link" onClick={() => void refetch()}>
                {t('common.retry')}
              </button>
            </p>
          ) : !data ? (
            <div style={{ display: 'grid', gap: 16, padding: '8px 16px 20px' }} aria-busy="true">
              {[180, 220, 160].map((width) => (
                <span key={width} className="skel" style={{ width }} />
              ))}
            </div>
          ) : found.length === 0 ? (
            <EmptyState icon="table" title={t('table.attributeNone')} />
          ) : (
            <ul style={{ padding: '0 8px 10px' }}>
              {found.map(({ attributeId, attributeName }) => {
                const to: string = `/data/${collection}/${encodeURIComponent(attributeId)}`;
                return (
                  <li key={attributeId}>
                    <Link className="l1 drop-a" to={to} style={{ minHeight: 32, gap: 8 }}>
                      <Icon name="table" />
                      {attributeName}
                      <span className="mut tn">{attributeId}</span>
                    </Link>
                  </li>
                );
              })}
            </ul>
          )}
        </section>
      </div>
    </main>
  );
};
