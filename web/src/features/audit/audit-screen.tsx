import type { AuditArea, AuditEntry } from '@sluice/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '@sluice/contract/paths';
import { call } from '../../platform/call.ts';
import { currentUser, requireUser } from '../../platform/session.ts';
import { moment } from '../../platform/time.ts';
import { DateField } from '../../ui/date-field.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { detailsOf, wordsOf } from './words.ts';
import './audit.css';

const PAGE = 100;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const AREAS = ['signIn', 'people', 'systems', 'connectors', 'records', 'other'] as const;

interface Filter {
  area: AuditArea | '';
  dateFrom: string;
  dateTo: string;
  search: string;
}

/** What is not chosen stays out of the query. */
const queryOf = (filter: Filter) => ({
  ...(filter.area === '' ? {} : { area: filter.area }),
  ...(filter.dateFrom === '' ? {} : { dateFrom: filter.dateFrom }),
  ...(filter.dateTo === '' ? {} : { dateTo: filter.dateTo }),
  ...(filter.search.trim() === '' ? {} : { search: filter.search.trim() }),
});

const useAudit = (filter: Filter) =>
  useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam }) =>
      call('getAudit', { query: { ...queryOf(filter), limit: PAGE, offset: pageParam } }),
    initialPageParam: 0,
    getNextPageParam: ({ offset, resources, total }) =>
      offset + resources.length < (total ?? 0) ? offset + resources.length : undefined,
    placeholderData: (before) => before,
    retry: false,
  });

/** In one line; ids tell people nothing, so that they are only in the list below. */
const summaryOf = (parts: ReturnType<typeof detailsOf>): string => {
  const told = parts.filter(({ value }) => !UUID.test(value));
  return told.length > 0
    ? told.map(({ name, value }) => `${name}: ${value}`).join(' · ')
    : parts.map(({ name }) => name).join(' · ');
};

const Details = ({ entry }: { entry: AuditEntry }) => {
  const parts = detailsOf(entry.details);
  if (parts.length === 0) return null;
  return (
    <details>
      <summary className="trunc">{summaryOf(parts)}</summary>
      <dl>
        {parts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
};

const Row = ({ entry }: { entry: AuditEntry }) => {
  const { t } = useTranslation();
  const formats = currentUser()?.userPreferences.options.formats;
  return (
    <tr>
      <td className="num mut">{entry.seq}</td>
      <td className="sec tn" title={entry.at}>
        {formats ? moment(entry.at, formats) : entry.at}
      </td>
      <td className="m">{entry.actorName}</td>
      <td className="sec">{t(`audit.${entry.area}`)}</td>
      <td title={entry.verb}>{wordsOf(entry.verb)}</td>
      <td className="sec" title={entry.targetName ?? entry.target ?? undefined}>
        {entry.targetName ?? entry.target}
      </td>
      <td>
        <Details entry={entry} />
      </td>
    </tr>
  );
};

/** `/manage/audit`: who did what, and when. */
export const AuditScreen = () => {
  const { t } = useTranslation();
  const dateFormat = requireUser().userPreferences.options.formats.shortDate;
  const [filter, setFilter] = useState<Filter>({ area: '', dateFrom: '', dateTo: '', search: '' });
  const wanted = useDeferredValue(filter);
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useAudit(wanted);
  usePageTitle(t('audit.title'));
  if (error) return <ErrorView error={error} />;
  const entries = data?.pages.flatMap(({ resources }) => resources) ?? [];
  const total = data?.pages[0]?.total ?? 0;
  const set = (change: Partial<Filter>): void => setFilter((now) => ({ ...now, ...change }));
  const exported = `${paths.exportAudit[1]}?${new URLSearchParams(queryOf(filter)).toString()}`;
  return (
    <main className="page" id="main" tabIndex={-1} aria-busy={isFetching}>
      <div className="page-in" style={{ maxWidth: 1440 }}>
        <div className="page-h">
          <h1>{t('audit.title')}</h1>
          <span className="sub">{t('audit.text')}</span>
          <span className="sp" />
          <a className="btn lg" href={exported} download>
            <Icon name="down" />
            {t('audit.export')}
          </a>
        </div>
        <section className="card" aria-label={t('audit.title')}>
          <div className="frm" style={{ paddingTop: 14 }}>
            <TextField
              label={t('common.search')}
              placeholder={t('audit.find')}
              value={filter.search}
              onChange={(search) => set({ search })}
            />
            <SelectField
              label={t('audit.area')}
              value={filter.area}
              options={[
                { value: '', label: t('audit.all') },
                ...AREAS.map((area) => ({ value: area, label: t(`audit.${area}`) })),
              ]}
              onChange={(area) => set({ area: area as Filter['area'] })}
            />
            <DateField
              label={t('audit.from')}
              format={dateFormat}
              value={filter.dateFrom}
              onChange={(dateFrom) => set({ dateFrom })}
            />
            <DateField
              label={t('audit.to')}
              format={dateFormat}
              value={filter.dateTo}
              onChange={(dateTo) => set({ dateTo })}
            />
          </div>
          {data && entries.length === 0 ? (
            <EmptyState icon="search" title={t('audit.none')} text={t('audit.noneText')} />
          ) : (
            <table className="tbl au">
              <thead>
                <tr>
                  <th scope="col" className="num">
                    #
                  </th>
                  <th scope="col">{t('audit.at')}</th>
                  <th scope="col">{t('audit.who')}</th>
                  <th scope="col">{t('audit.area')}</th>
                  <th scope="col">{t('audit.what')}</th>
                  <th scope="col">{t('audit.target')}</th>
                  <th scope="col">{t('audit.details')}</th>
                </tr>
              </thead>
              <tbody>
                {entries.map((entry) => (
                  <Row key={entry.seq} entry={entry} />
                ))}
              </tbody>
            </table>
          )}
        </section>
        <div style={{ display: 'flex', alignItems: 'center', gap: 12, paddingTop: 12 }}>
          <output className="mut">{data ? t('audit.count', { count: total }) : null}</output>
          {hasNextPage ? (
            <button type="button" className="btn" disabled={isFetching} onClick={() => void fetchNextPage()}>
              {t('audit.more')}
            </button>
          ) : null}
        </div>
      </div>
    </main>
  );
};
