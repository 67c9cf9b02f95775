import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, errorText } from '../../platform/call.ts';
import { Icon } from '../../ui/icons.tsx';

type Body = NonNullable<Parameters<typeof call<'testConnection'>>[1]>['body'];

interface Outcome {
  /** The settings that were tried. */
  of: string;
  look: 'good' | 'bad' | 'busy';
  text: string;
  suggestions: readonly { field: string; value: string }[];
}

/** Tries the settings as they are typed; what is said is said of these, and goes when they change. */
export const ConnectionTest = ({
  systemId,
  body,
  labels,
  onProduction,
  onTake,
}: {
  systemId: string;
  body: Body;
  /** Names of the inputs by field. */
  labels: ReadonlyMap<string, string>;
  /** The system says whether it is a production environment. */
  onProduction: (isProduction: boolean) => void;
  /** A person takes a value over that the answer shows; null = nothing may change. */
  onTake: ((field: string, value: string) => void) | null;
}) => {
  const { t } = useTranslation();
  const button = useRef<HTMLButtonElement>(null);
  const [last, setLast] = useState<Outcome | null>(null);
  const of = JSON.stringify(body);
  const outcome = last?.of === of ? last : null;
  const isBusy = outcome?.look === 'busy';
  const typed = useRef(of);
  useEffect(() => {
    typed.current = of;
  }, [of]);

  const run = async (): Promise<void> => {
    const settle = (told: Omit<Outcome, 'of'>): void =>
      setLast((now) => (now?.of === of ? { of, ...told } : now));
    setLast({ of, look: 'busy', text: '', suggestions: [] });
    try {
      const result = await call('testConnection', { params: { systemId }, body, kind: 'domain-test' });
      const { message: text, suggestions } = result;
      settle({ look: result.status === 'OK' ? 'good' : 'bad', text, suggestions });
      // What was tried before something else was typed says nothing of that.
      if (result.isProduction !== null && typed.current === of) onProduction(result.isProduction);
    } catch (error) {
      settle({ look: 'bad', text: errorText(error), suggestions: [] });
    }
  };
  const take = (field: string, value: string): void => {
    onTake?.(field, value);
    // The button that was pressed goes with what was said.
    button.current?.focus();
  };
  return (
    <div className="dm-test">
      <button ref={button} type="button" className="btn" disabled={isBusy} onClick={() => void run()}>
        {isBusy ? <Icon name="spinner" size="spin" /> : null}
        {t('manage.test')}
      </button>
      {outcome && !isBusy ? (
        <div className={`note-line ${outcome.look}`}>
          <Icon name={outcome.look === 'good' ? 'success' : 'danger'} />
          <div>
            <output className={outcome.look}>{outcome.text}</output>
            {onTake
              ? outcome.suggestions.map(({ field, value }) => (
                  <button key={field} type="button" className="btn" onClick={() => take(field, value)}>
                    {t('manage.takeSuggestion', { field: labels.get(field) ?? field })}
                  </button>
                ))
              : null}
          </div>
        </div>
      ) : null}
    </div>
  );
};
