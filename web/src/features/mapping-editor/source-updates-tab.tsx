import type { ActionMetadata, EndMetadata, FieldPath, SourceUpdateConfigs } from '@sluice/contract';
import type { Lookup } from '@sluice/mapping/engine';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';
import type { ActionIds } from './api.ts';
import { type AllProblems, type Outcome, outcomes, type UpdateKind, updateKinds } from './problems.ts';
import { Workbench } from './workbench.tsx';
import type { Workspace } from './workspace.ts';

/** Fields of the source to write to: nothing is mandatory here, the record is there already. */
const writtenOf = (source: EndMetadata): FieldPath[] =>
  source.fields.map((field) => ({
    ...field,
    group: field.isReadOnly || field.isReadOnlyOnUpdate || field.isKey ? 'hidden' : 'optional',
  }));

/** What is written back to the source once the outcome of a push is known: six lists of mappings. */
export const SourceUpdatesTab = ({
  ids,
  metadata,
  source,
  configs,
  problems,
  lookup,
  zone,
  canEdit,
  onChange,
}: {
  ids: ActionIds;
  metadata: ActionMetadata;
  source: EndMetadata;
  configs: SourceUpdateConfigs;
  problems: AllProblems['updates'];
  lookup: Lookup;
  zone: string;
  canEdit: boolean;
  onChange: (edit: (configs: SourceUpdateConfigs) => SourceUpdateConfigs, name: string | null) => void;
}) => {
  const { t } = useTranslation();
  const [kind, setKind] = useState<UpdateKind>('onPost');
  const [outcome, setOutcome] = useState<Outcome>('success');
  const [chosen, setChosen] = useState<string | null>(null);
  const written = useMemo(() => writtenOf(source), [source]);
  const change = useMemo(
    (): Workspace['change'] =>
      (edit, name = null) =>
        onChange(
          (before) => ({
            ...before,
            [kind]: { ...before[kind], [outcome]: [...edit(before[kind][outcome])] },
          }),
          name === null ? null : `${kind}.${outcome}.${name}`,
        ),
    [onChange, kind, outcome],
  );
  const above = (
    <div className="su-h">
      <fieldset className="seg">
        <legend className="vh">{t('mapping.tabUpdates')}</legend>
        {updateKinds.flatMap((one) =>
          outcomes.map((other) => {
            const isOn = one === kind && other === outcome;
            const isWrong = problems[one][other].some(({ severity }) => severity === 'error');
            return (
              <button
                key={`${one}.${other}`}
                type="button"
                className={isOn ? 'on' : ''}
                aria-pressed={isOn}
                onClick={() => {
                  setKind(one);
                  setOutcome(other);
                }}
              >
                {t(`mapping.${one}`)}, {t(`mapping.${other}`)}
                <span className={isWrong ? 'n e' : 'n'}>{configs[one][other].length || ''}</span>
              </button>
            );
          }),
        )}
      </fieldset>
      <span className="sec trunc">{t(`mapping.hint_${kind}_${outcome}`)}</span>
      {source.isWritable ? null : (
        <span className="badge warning">
          <Icon name="warning" size="s" />
          {t('mapping.notWritable', { source: source.option.name })}
        </span>
      )}
    </div>
  );
  return (
    <Workbench
      key={`${kind}.${outcome}`}
      ids={ids}
      metadata={metadata}
      source={source}
      place={outcome}
      written={written}
      mappings={configs[kind][outcome]}
      problems={problems[kind][outcome]}
      change={change}
      lookup={lookup}
      zone={zone}
      canEdit={canEdit}
      chosen={chosen}
      onChoose={setChosen}
      above={above}
    />
  );
};
