import type { FieldPath, Value } from '@sluice/contract';
import { type Suggestion, suggestMappings } from '@sluice/mapping/engine';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';
import { entryOf, mappingOf, withEntry } from './edit-mappings.ts';
import { fieldNameIn, sampleTexts, useWorkspace } from './workspace.ts';
import { ScrollArea } from './scroll-area.tsx';

const SAMPLES = 100;

/** Source fields for target fields that nothing fills yet, the surest first. */
const useSuggestions = (): readonly Suggestion[] => {
  const { source, written, mappings, samples } = useWorkspace();
  return useMemo(() => {
    const free = written.filter(
      (field) => !entryOf(mappingOf(mappings, field.path), source.option.id) && field.group !== 'hidden',
    );
    const used = new Set(
      mappings.flatMap((mapping) => {
        const from = entryOf(mapping, source.option.id)?.source;
        return from?.type === 'sourceValue' ? [from.field] : [];
      }),
    );
    const columns = Object.fromEntries(
      source.fields.map(({ path }): [string, Value[]] => [
        path,
        (samples?.records ?? []).slice(0, SAMPLES).map((record) => record[path] ?? null),
      ]),
    );
    return suggestMappings(
      source.fields.filter(({ path }) => !used.has(path)),
      free,
      columns,
    );
  }, [source, written, mappings, samples]);
};

const Suggestions = () => {
  const { t } = useTranslation();
  const { source, written, change, samples, language } = useWorkspace();
  const suggestions = useSuggestions();
  if (suggestions.length === 0) return null;
  const accept = (accepted: readonly Suggestion[]): void =>
    change((mappings) =>
      accepted.reduce<readonly (typeof mappings)[number][]>((list, { targetField, sourceField }) => {
        const field = written.find(({ path }) => path === targetField);
        if (!field) return list;
        return withEntry(list, field, {
          sourceOptionId: source.option.id,
          source: { type: 'sourceValue', field: sourceField },
          transformFns: [],
        });
      }, mappings),
    );
  return (
    <section className="sugg" aria-label={t('mapping.suggestions')}>
      <div className="sugg-h">
        <h3>{t('mapping.suggestions')}</h3>
        <span className="sp" />
        <button type="button" className="btn" onClick={() => accept(suggestions)}>
          <Icon name="check" size="s" />
          {t('mapping.acceptAll', { count: suggestions.length })}
        </button>
      </div>
      <ul>
        {suggestions.map((suggestion) => (
          <li key={suggestion.targetField}>
            <span className="sg-f">
              <span className="sec trunc">{fieldNameIn(source.fields, suggestion.sourceField)}</span>
              <Icon name="arrowRight" size="xs" />
              <span className="m trunc">{fieldNameIn(written, suggestion.targetField)}</span>
            </span>
            <span className="mut trunc sg-r">
              {suggestion.reason[language]}
              {sampleTexts(samples, suggestion.sourceField, 2).length > 0
                ? ` · ${sampleTexts(samples, suggestion.sourceField, 2).join(' · ')}`
                : ''}
            </span>
            <button
              type="button"
              className="link"
              aria-label={t('mapping.acceptOne', {
                source: fieldNameIn(source.fields, suggestion.sourceField),
                target: fieldNameIn(written, suggestion.targetField),
              })}
              onClick={() => accept([suggestion])}
            >
              {t('mapping.accept')}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** Nothing is chosen: what is still to be done, and what can be done at once. */
export const Start = ({
  missing,
  onChoose,
}: {
  missing: readonly FieldPath[];
  onChoose: (path: string) => void;
}) => {
  const { t } = useTranslation();
  const { canEdit, place } = useWorkspace();
  return (
    <section className="mid" aria-label={t('mapping.title')}>
      <ScrollArea className="mid-b start" label={t('mapping.title')}>
        {missing.length > 0 ? (
          <div className="todo">
            <h2>
              <Icon name="warning" />
              {t('mapping.mandatoryMissing')}
            </h2>
            <ul>
              {missing.map((field) => (
                <li key={field.path}>
                  <button type="button" className="btn" onClick={() => onChoose(field.path)}>
                    {field.name}
                  </button>
                </li>
              ))}
            </ul>
          </div>
        ) : (
          <p className="sec">{t(place === 'action' ? 'mapping.chooseField' : 'mapping.chooseSource')}</p>
        )}
        {canEdit && place === 'action' ? <Suggestions /> : null}
      </ScrollArea>
    </section>
  );
};
