import type { ActionSummary } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';
import type { WiringNames } from './wiring-names.ts';

/** Source → target per action with the number of linked records (decisions Q-CONN-01). */
export const Relationships = ({
  actions,
  names,
  onShow,
}: {
  actions: readonly ActionSummary[];
  names: WiringNames;
  onShow: (action: ActionSummary) => void;
}) => {
  const { t } = useTranslation();
  return (
    <section className="card" aria-label={t('actions.relationships')}>
      <div className="cn-head" style={{ paddingBottom: 0, minHeight: 36 }}>
        <h2>{t('actions.relationships')}</h2>
      </div>
      <p className="mut" style={{ padding: '0 16px 8px', fontSize: 12 }}>
        {t('actions.relationshipsText')}
      </p>
      {actions.length === 0 ? (
        <p className="mut" style={{ padding: '0 16px 16px', fontSize: 13 }}>
          {t('actions.empty')}
        </p>
      ) : (
        <ul style={{ padding: '0 16px 12px', fontSize: 13, maxHeight: 190, overflow: 'auto' }}>
          {actions.map((action) => (
            <li
              key={action.internalId}
              style={{ display: 'flex', alignItems: 'baseline', gap: 12, padding: '3px 0' }}
            >
              <span className="cn-wire sec">
                {action.wiring.sources.map(names.source).join(', ')}
                <Icon name="arrowRight" size="s" />
                {action.wiring.targets.map(names.target).join(', ')}
              </span>
              <span className="sp" />
              {action.linkedCount > 0 ? (
                <button
                  type="button"
                  className="link"
                  style={{ whiteSpace: 'nowrap' }}
                  title={t('actions.showLinks', { name: action.name })}
                  onClick={() => onShow(action)}
                >
                  {t('actions.linked', { count: action.linkedCount })}
                </button>
              ) : (
                <span className="mut" style={{ whiteSpace: 'nowrap' }}>
                  {t('actions.linked', { count: 0 })}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};
