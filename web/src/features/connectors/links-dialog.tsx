import type { ActionSummary } from '@sluice/contract';
import { useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../platform/call.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { SideDialog } from '../../ui/side-dialog.tsx';
import { useLinks } from './api.ts';
import { timeWords } from './words.ts';

const PAGE = 100;

/** Which source record stands for which target record, with a search over both keys. */
export const LinksDialog = ({
  connectorId,
  action,
  onClose,
}: {
  connectorId: string;
  action: ActionSummary;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const [limit, setLimit] = useState(PAGE);
  const { data, error } = useLinks(connectorId, action.internalId, useDeferredValue(search.trim()), limit);
  return (
    <SideDialog onClose={onClose} title={t('actions.linksTitle', { name: action.name })} width={640}>
      <div className="cn-body">
        <label className="field find">
          <Icon name="search" />
          <input
            type="search"
            data-autofocus
            aria-label={t('actions.linksSearch')}
            placeholder={t('actions.linksSearch')}
            value={search}
            onChange={(event) => {
              setSearch(event.target.value);
              setLimit(PAGE);
            }}
          />
        </label>
        {error ? (
          <p className="note-line bad" role="alert">
            <Icon name="danger" />
            {errorText(error)}
          </p>
        ) : null}
        {data?.resources.length === 0 ? (
          <EmptyState
            icon={search ? 'search' : 'table'}
            title={t('actions.noLinks')}
            text={search ? undefined : t('actions.noLinksText')}
          />
        ) : null}
        {data && data.resources.length > 0 ? (
          <table className="tbl">
            <thead>
              <tr>
                <th scope="col">{t('actions.sourceKey')}</th>
                <th scope="col">{t('actions.targetKey')}</th>
                <th scope="col">{t('actions.lastSeen')}</th>
              </tr>
            </thead>
            <tbody>
              {data.resources.map((link) => (
                <tr key={`${link.source} ${link.sourceKey}`}>
                  <td className="tn">{link.sourceKey}</td>
                  <td>
                    {link.targetId === null ? (
                      <span className="mut">{t('actions.targetGone')}</span>
                    ) : (
                      [link.targetKey, link.targetLabel].filter(Boolean).join(' · ')
                    )}
                  </td>
                  <td className="sec tn">{timeWords(link.lastRunAt, '')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ) : null}
        {data && (data.total ?? 0) > data.resources.length ? (
          <button type="button" className="btn" onClick={() => setLimit((now) => Math.min(1000, now * 3))}>
            {t('runs.more')} ({t('runs.failuresShown', { shown: data.resources.length, total: data.total })})
          </button>
        ) : null}
      </div>
    </SideDialog>
  );
};
