import type { NotificationChoice } from '@sluice/contract';
import { notificationChoices, notificationKinds } from '@sluice/contract/preference-values';
import { useTranslation } from 'react-i18next';
import type { PanelProps } from './panel-props.ts';
import { SavedTick } from './saved-tick.tsx';
import { useSave } from './use-save.ts';

/** Per kind of message: at the side as well, in the panel only, or not at all. */
export const NotificationSettings = ({ options }: PanelProps) => {
  const { t } = useTranslation();
  const { saved, save } = useSave();
  return (
    <section className="card set-card">
      <h2>
        {t('settings.notifyHow')} <SavedTick isShown={saved === 'options/notifications'} />
      </h2>
      {notificationKinds.map((kind) => {
        const chosen: NotificationChoice = options.notifications[kind] ?? 'show';
        return (
          <div key={kind} className="set-notify">
            <div>
              <p className="m">{t(`settings.kind_${kind}`)}</p>
              <p className="sec">{t(`settings.kindHint_${kind}`)}</p>
            </div>
            <fieldset className="seg" aria-label={t(`settings.kind_${kind}`)}>
              {notificationChoices.map((choice) => (
                <button
                  key={choice}
                  type="button"
                  className={choice === chosen ? 'on' : ''}
                  aria-pressed={choice === chosen}
                  onClick={() => {
                    const next = { ...options.notifications, [kind]: choice };
                    save('options/notifications', next);
                  }}
                >
                  {t(`settings.notify_${choice}`)}
                </button>
              ))}
            </fieldset>
          </div>
        );
      })}
    </section>
  );
};
