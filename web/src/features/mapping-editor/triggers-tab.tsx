import type { Action, ActionMetadata, EndMetadata, Trigger } from '@sluice/contract';
import type { MappingProblem } from '@sluice/mapping/engine';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../platform/call.ts';
import { newId } from '../../platform/ids.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { type ActionIds, useSamples } from './api.ts';
import { ConditionRow } from './condition-row.tsx';
import { countTrigger, newCondition, newTrigger } from './edit-triggers.ts';
import { recordSelections } from './lists.ts';
import type { Samples } from './preview.ts';
import { ScrollArea } from './scroll-area.tsx';

const TriggerCard = ({
  trigger,
  path,
  source,
  metadata,
  samples,
  problems,
  zone,
  canEdit,
  onChange,
  onRemove,
}: {
  trigger: Trigger;
  path: string;
  source: EndMetadata;
  metadata: ActionMetadata;
  samples: Samples | null;
  problems: readonly MappingProblem[];
  zone: string;
  canEdit: boolean;
  onChange: (trigger: Trigger, name: string | null) => void;
  onRemove: () => void;
}) => {
  const { t } = useTranslation();
  const count = useMemo(
    () => (samples ? countTrigger(trigger, source, samples, zone) : null),
    [trigger, source, samples, zone],
  );
  return (
    <section className="card trig" aria-label={trigger.name}>
      <div className="trig-h">
        <span className="inp sm">
          <input
            aria-label={t('mapping.triggerName')}
            value={trigger.name}
            readOnly={!canEdit}
            onChange={(event) => onChange({ ...trigger, name: event.target.value }, `${path}.name`)}
          />
        </span>
        <span className="sp" />
        {count ? (
          <output className="badge info tn" data-testid="trigger-count">
            {trigger.sourceRecordSelection === 'deleted'
              ? t('mapping.countDeleted')
              : t('mapping.countOfSamples', { count: count.matching, total: count.total })}
          </output>
        ) : null}
        {canEdit ? (
          <button
            type="button"
            className="iconbtn"
            aria-label={t('mapping.removeTrigger', { name: trigger.name })}
            onClick={onRemove}
          >
            <Icon name="trash" />
          </button>
        ) : null}
      </div>
      <fieldset className="sel-l">
        <legend>{t('mapping.selection')}</legend>
        {recordSelections.map((selection) => (
          // oxlint-disable-next-line jsx-a11y/label-has-associated-control -- its text is two lines
          <label key={selection}>
            <input
              type="radio"
              name={`${trigger.internalId}-s`}
              checked={trigger.sourceRecordSelection === selection}
              disabled={!canEdit}
              onChange={() => onChange({ ...trigger, sourceRecordSelection: selection }, null)}
            />
            <span>
              <span className="m">{t(`mapping.selection_${selection}`)}</span>
              <span className="mut">{t(`mapping.selectionHint_${selection}`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <div className="conds">
        {trigger.conditions.length === 0 ? <p className="mut">{t('mapping.noConditions')}</p> : null}
        <ol>
          {trigger.conditions.map((condition, index) => (
            <ConditionRow
              // oxlint-disable-next-line react/no-array-index-key -- conditions have nothing else to be known by
              key={index}
              condition={condition}
              index={index}
              source={source}
              metadata={metadata}
              samples={samples}
              problems={problems.filter((problem) => problem.path === `${path}.conditions[${index}]`)}
              count={count?.conditions[index] ?? null}
              canEdit={canEdit}
              onChange={(next, name) =>
                onChange(
                  {
                    ...trigger,
                    conditions: trigger.conditions.map((one, at) => (at === index ? next : one)),
                  },
                  name === null ? null : `${path}.${name}`,
                )
              }
              onRemove={() =>
                onChange({ ...trigger, conditions: trigger.conditions.filter((_, at) => at !== index) }, null)
              }
            />
          ))}
        </ol>
        {canEdit ? (
          <button
            type="button"
            className="btn"
            onClick={() =>
              onChange(
                {
                  ...trigger,
                  conditions: [...trigger.conditions, newCondition(source.fields[0]?.path ?? '')],
                },
                null,
              )
            }
          >
            <Icon name="plus" size="s" />
            {t('mapping.addCondition')}
          </button>
        ) : null}
      </div>
    </section>
  );
};

/** Which records the action takes by itself: triggers, of which one that holds is enough. */
export const TriggersTab = ({
  ids,
  action,
  metadata,
  triggers,
  problems,
  zone,
  canEdit,
  onChange,
}: {
  ids: ActionIds;
  action: Action;
  metadata: ActionMetadata;
  triggers: readonly Trigger[];
  problems: readonly MappingProblem[];
  zone: string;
  canEdit: boolean;
  onChange: (triggers: readonly Trigger[], name?: string | null) => void;
}) => {
  const { t } = useTranslation();
  const [source] = metadata.sources;
  const samples = useSamples(ids, source && source.problem === null ? source.option.id : null);
  const add = (): void =>
    onChange([...triggers, newTrigger(t('mapping.triggerNumber', { number: triggers.length + 1 }), newId())]);
  if (!source) return null;
  const addButton = canEdit ? (
    <button type="button" className="btn primary" onClick={add}>
      <Icon name="plus" size="s" />
      {t('mapping.addTrigger')}
    </button>
  ) : null;
  const problem = source.problem ?? (samples.error ? errorText(samples.error) : null);
  return (
    <ScrollArea className="trigs" label={t('mapping.tabTriggers')}>
      <div className="trigs-in">
        {problem ? (
          <p className="note-line bad" role="alert">
            <Icon name="danger" />
            {problem}
          </p>
        ) : null}
        {triggers.length === 0 ? (
          <EmptyState icon="clock" title={t('mapping.noTriggers')} text={t('mapping.noTriggersText')}>
            {addButton}
          </EmptyState>
        ) : (
          <>
            <p className="note-line">
              <Icon name={action.schedule.kind === 'never' || !action.isActive ? 'pause' : 'clock'} />
              <span>
                {action.isActive
                  ? t(`mapping.schedule_${action.schedule.kind}`)
                  : t('mapping.scheduleInactive')}
                {triggers.length > 1 ? ` ${t('mapping.anyTrigger')}` : ''}
              </span>
            </p>
            {triggers.map((trigger, index) => (
              <TriggerCard
                key={trigger.internalId}
                trigger={trigger}
                path={`triggers[${index}]`}
                source={source}
                metadata={metadata}
                samples={samples.data ?? null}
                problems={problems}
                zone={zone}
                canEdit={canEdit}
                onChange={(next, name) =>
                  onChange(
                    triggers.map((one) => (one.internalId === next.internalId ? next : one)),
                    name,
                  )
                }
                onRemove={() =>
                  onChange(triggers.filter(({ internalId }) => internalId !== trigger.internalId))
                }
              />
            ))}
            {addButton}
          </>
        )}
      </div>
    </ScrollArea>
  );
};
