import type { Formats } from '@sluice/contract';
import { fullDateFormats, numberFormats, shortDateFormats } from '@sluice/contract/preference-values';
import { formatDate, formatFullDate, formatNumber } from '@sluice/mapping';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../../platform/i18n/i18n.ts';
import { todayIso } from '../../platform/time.ts';
import { Switch } from '../../ui/fields.tsx';
import { ChoiceList } from './choice-list.tsx';
import type { PanelProps } from './panel-props.ts';
import { SavedTick } from './saved-tick.tsx';
import { useSave } from './use-save.ts';

const AMOUNT = 1_234_567.89;

/** Language, and how dates and numbers are written: each with today and one number as it would look. */
export const RegionSettings = ({ options, onLanguage }: PanelProps) => {
  const { t } = useTranslation();
  const { saved, note, save } = useSave();
  const { formats } = options;
  /** The other language's texts come a moment later. */
  const [picked, setPicked] = useState<'EN' | 'NL' | null>(null);
  const today = todayIso();
  const language = currentLanguage();
  const change = (part: Partial<Formats>): void => {
    const next = { ...formats, ...part };
    save('options/formats', next);
  };
  return (
    <>
      <section className="card set-card set-sample" aria-label={t('settings.sample')}>
        <p>
          <span className="sec">{t('settings.sample')}</span>
          <span className="tn">{formatFullDate(today, formats.fullDate, language)}</span>
          <span className="tn">{formatDate(today, formats.shortDate)}</span>
          <span className="tn">{formatNumber(AMOUNT, formats.numberFormat)}</span>
        </p>
      </section>
      <section className="card set-card">
        <ChoiceList
          label={t('common.language')}
          value={picked ?? language}
          isSaved={saved === 'language'}
          options={[
            { value: 'EN', label: 'English' },
            { value: 'NL', label: 'Nederlands' },
          ]}
          onChange={(next) => {
            setPicked(next);
            note(
              'language',
              onLanguage(next).finally(() => setPicked(null)),
            );
          }}
        />
        <p className="set-line">
          <Switch
            label={t('settings.altSwitchesLanguage')}
            isOn={options.altSwitchesLanguage}
            onChange={(altSwitchesLanguage) => save('options/altSwitchesLanguage', altSwitchesLanguage)}
          />
          <SavedTick isShown={saved === 'options/altSwitchesLanguage'} />
        </p>
      </section>
      <section className="card set-card set-pair">
        <ChoiceList
          label={t('settings.shortDate')}
          value={formats.shortDate}
          isSaved={saved === 'options/formats'}
          options={shortDateFormats.map((value) => ({
            value,
            label: value,
            sample: formatDate(today, value),
          }))}
          onChange={(shortDate) => change({ shortDate })}
        />
        <div>
          <ChoiceList
            label={t('settings.numberFormat')}
            value={formats.numberFormat}
            isSaved={false}
            options={numberFormats.map((value) => ({
              value,
              label: t(`settings.number_${value}`),
              sample: formatNumber(AMOUNT, value),
            }))}
            onChange={(numberFormat) => change({ numberFormat })}
          />
          <ChoiceList
            label={t('settings.fullDate')}
            value={formats.fullDate}
            isSaved={false}
            options={fullDateFormats.map((value) => ({
              value,
              label: t(`settings.full_${value}`),
              sample: formatFullDate(today, value, language),
            }))}
            onChange={(fullDate) => change({ fullDate })}
          />
        </div>
      </section>
    </>
  );
};
