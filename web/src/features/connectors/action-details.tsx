import type { ActionMetadata, ActionSummary, SourceUpdateConfigs } from '@sluice/contract';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../platform/call.ts';
import { Icon } from '../../ui/icons.tsx';
import { useAction } from './api.ts';
import { fieldName, mappingWords, triggerWords } from './mapping-words.ts';
import type { WiringNames } from './wiring-names.ts';
import { scheduleWords } from './words.ts';

const MANY = 12;

const SourceUpdates = ({ configs, metadata }: { configs: SourceUpdateConfigs; metadata: ActionMetadata }) => {
  const { t } = useTranslation();
  const [source] = metadata.sources;
  const lines = (['onPost', 'onPatch', 'onDelete'] as const).flatMap((when) =>
    (['success', 'failure'] as const).flatMap((outcome) => {
      const fields = configs[when][outcome];
      return fields.length === 0
        ? []
        : [
            t('actions.writes', {
              when: t(`actions.${when}`),
              outcome: t(outcome === 'success' ? 'actions.onSuccess' : 'actions.onFailure'),
              fields: fields.map(({ targetField }) => fieldName(source, targetField)).join(', '),
            }),
          ];
    }),
  );
  if (lines.length === 0) return <p className="mut">{t('actions.noSourceUpdates')}</p>;
  return (
    <ul>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
};

/** What an action does, in words: read-only; it is changed in its form and in the mapping editor. */
export const ActionDetails = ({
  connectorId,
  action,
  names,
}: {
  connectorId: string;
  action: ActionSummary;
  names: WiringNames;
}) => {
  const { t } = useTranslation();
  const { data, error } = useAction(connectorId, action.internalId);
  if (error)
    return (
      <p className="note-line bad" style={{ margin: 12 }}>
        <Icon name="danger" />
        {errorText(error)}
      </p>
    );
  if (!data) return <div className="cn-fold" style={{ minHeight: 160 }} aria-busy="true" />;
  const { resource, metadata } = data;
  const problems = [metadata.target, ...metadata.sources].flatMap((end) => end?.problem ?? []);
  return (
    <div className="cn-fold">
      <div>
        <h3>{t('actions.wiring')}</h3>
        <p>
          {t('actions.wiringOne', {
            source: resource.wiring.sources.map(names.source).join(', '),
            target: resource.wiring.targets.map(names.target).join(', '),
          })}
        </p>
        {problems.map((problem) => (
          <p key={problem} className="err-t">
            {problem}
          </p>
        ))}
        <h3>{t('actions.mappingsAndTriggers')}</h3>
        <p>
          {t('actions.mappingsCount', { count: resource.mappings.length })}{' '}
          {t('actions.triggersCount', { count: resource.triggers.length })} {scheduleWords(resource.schedule)}
          .
        </p>
        <Link
          className="m"
          to="/connectors/$connectorId/actions/$actionId/mappings-triggers"
          params={{ connectorId, actionId: action.internalId }}
        >
          {t('actions.openEditor')}
        </Link>
        <h3>{t('actions.syncTriggers')}</h3>
        {resource.triggers.length === 0 ? (
          <p className="mut">{t('actions.triggersCount', { count: 0 })}</p>
        ) : (
          <ul>
            {resource.triggers.map((trigger, index) => (
              <li key={trigger.internalId}>
                <span className="m">
                  {trigger.name || t('actions.unnamedTrigger', { number: index + 1 })}
                </span>
                : {triggerWords(trigger, metadata)}
              </li>
            ))}
          </ul>
        )}
        <h3>{t('actions.sourceUpdates')}</h3>
        <SourceUpdates configs={resource.sourceUpdateConfigs} metadata={metadata} />
      </div>
      <div>
        <h3>{t('actions.fieldMappings')}</h3>
        {resource.mappings.length === 0 ? (
          <p className="mut">{t('actions.mappingsCount', { count: 0 })}</p>
        ) : (
          <ul style={resource.mappings.length > MANY ? { maxHeight: 360, overflow: 'auto' } : {}}>
            {resource.mappings.map((mapping) => {
              const { target, from, tags } = mappingWords(mapping, metadata);
              return (
                <li key={mapping.targetField}>
                  {from} <Icon name="arrowRight" size="s" /> <span className="m">{target}</span>
                  {tags.length > 0 ? <span className="tag">{tags.join(', ')}</span> : null}
                </li>
              );
            })}
          </ul>
        )}
      </div>
    </div>
  );
};
