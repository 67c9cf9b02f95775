import type { DisplayMode } from '@sluice/contract';
import { displayModes } from '@sluice/contract/preference-values';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '../../platform/session.ts';
import { type Theme, applyTheme } from '../../platform/theme.ts';
import { TextField } from '../../ui/fields.tsx';
import { ChoiceList } from './choice-list.tsx';
import type { PanelProps } from './panel-props.ts';
import { SavedTick } from './saved-tick.tsx';
import { useSave } from './use-save.ts';

const MODE_TEXTS = {
  value: 'table.displayValue',
  description: 'table.displayDescription',
  both: 'table.displayBoth',
} as const;
const SAMPLES = { value: '30N', description: 'Net 30 days', both: '30N  Net 30 days' } as const;
const THEMES = [
  ['system', 'nav.themeSystem'],
  ['light', 'nav.themeLight'],
  ['dark', 'nav.themeDark'],
] as const;

/** How the user is called, what he has learnt already, and how things look to him. */
export const PersonalSettings = ({ options }: PanelProps) => {
  const { t } = useTranslation();
  const { saved, save } = useSave();
  const kept = options.preferredName ?? '';
  const [name, setName] = useState(kept);
  const saveName = (event?: FormEvent): void => {
    event?.preventDefault();
    const next = name.trim();
    setName(next);
    if (next === kept) return;
    save('options/preferredName', next || null);
  };
  return (
    <>
      <section className="card set-card">
        <form onSubmit={saveName} className="set-line">
          <TextField
            label={t('settings.preferredName')}
            value={name}
            maxLength={200}
            placeholder={requireUser().user.fullName}
            hint={t('settings.preferredNameHint')}
            autoComplete="nickname"
            onChange={setName}
            onBlur={() => saveName()}
          />
          <SavedTick isShown={saved === 'options/preferredName'} />
        </form>
      </section>
      <section className="card set-card">
        <ChoiceList<Theme>
          label={t('nav.theme')}
          value={options.theme}
          isSaved={saved === 'options/theme'}
          options={THEMES.map(([value, key]) => ({ value, label: t(key) }))}
          onChange={(theme) => {
            applyTheme(theme);
            save('options/theme', theme);
          }}
        />
      </section>
      <section className="card set-card">
        <ChoiceList<DisplayMode>
          label={t('settings.displayMode')}
          value={options.table.fieldsWithOptions.displayMode}
          isSaved={saved === 'options/table/fieldsWithOptions/displayMode'}
          options={displayModes.map((value) => ({
            value,
            label: t(MODE_TEXTS[value]),
            sample: SAMPLES[value],
          }))}
          onChange={(displayMode) => save('options/table/fieldsWithOptions/displayMode', displayMode)}
        />
      </section>
      <section className="card set-card">
        <h2>{t('settings.onboarding')}</h2>
        <p className="sec">{t('settings.onboardingText')}</p>
        <p className="set-line">
          <button type="button" className="btn" onClick={() => save('options/tutorial', {})}>
            {t('settings.onboardingReset')}
          </button>
          <SavedTick isShown={saved === 'options/tutorial'} />
        </p>
      </section>
    </>
  );
};
