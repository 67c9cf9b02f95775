import type { ExternalSystem, SystemEnd, SystemLevelOption } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { SelectField } from '../../ui/fields.tsx';

/** What is chosen of an end so far; complete when each level has its choice. */
export interface EndChoice {
  id: string;
  levelIds: readonly string[];
}

export const noEnd: EndChoice = { id: '', levelIds: [] };

/** The options of each level, as far as the choice above it is made. */
const levelsOf = (
  system: ExternalSystem | undefined,
  levelIds: readonly string[],
): { name: string; options: readonly SystemLevelOption[] }[] => {
  const levels: { name: string; options: readonly SystemLevelOption[] }[] = [];
  let options = system?.systemLevelOptions ?? [];
  for (const [index, level] of (system?.systemLevels ?? []).entries()) {
    if (options.length === 0) break;
    levels.push({ name: level.nameSingular, options });
    options = options.find(({ internalId }) => internalId === levelIds[index])?.children ?? [];
  }
  return levels;
};

/** An end that can be saved, or null. */
export const completeEnd = (systems: readonly ExternalSystem[], end: EndChoice): SystemEnd | null => {
  const system = systems.find(({ id }) => id === end.id);
  if (!system || end.levelIds.length < Math.max(1, system.systemLevels.length)) return null;
  return end.levelIds.every((id) => id !== '') ? { id: end.id, levelIds: [...end.levelIds] } : null;
};

/** A level with a single option is no question. */
const choose = (system: ExternalSystem | undefined, chosen: readonly string[]): EndChoice => {
  const levelIds = [...chosen];
  for (;;) {
    const next = levelsOf(system, levelIds)[levelIds.length];
    const [only] = next?.options ?? [];
    if (!next || next.options.length !== 1 || !only) break;
    levelIds.push(only.internalId);
  }
  return { id: system?.id ?? '', levelIds };
};

/** A system and one option per level, outermost first. */
export const EndPicker = ({
  title,
  text,
  systems,
  end,
  error,
  isDisabled = false,
  onChange,
}: {
  title: string;
  text: string;
  systems: readonly ExternalSystem[];
  end: EndChoice;
  error?: string | undefined;
  isDisabled?: boolean;
  onChange: (end: EndChoice) => void;
}) => {
  const { t } = useTranslation();
  const system = systems.find(({ id }) => id === end.id);
  const levels = levelsOf(system, end.levelIds);
  return (
    <fieldset className="card fs" style={{ border: '1px solid var(--line)' }}>
      <legend className="vh">{title}</legend>
      <h2 className="sect" aria-hidden="true" style={{ paddingBottom: 0 }}>
        {title}
      </h2>
      <p className="mut" style={{ padding: '0 16px 10px', fontSize: 12 }}>
        {text}
      </p>
      <div className="frm" style={{ gridTemplateColumns: '1fr' }}>
        <SelectField
          label={t('connectors.system')}
          value={system ? end.id : ''}
          isDisabled={isDisabled}
          error={error && (!system || levels.length === 0) ? error : null}
          options={[
            { value: '', label: t('connectors.chooseSystem') },
            ...systems.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={(id) =>
            onChange(
              choose(
                systems.find((one) => one.id === id),
                [],
              ),
            )
          }
        />
        {levels.map(({ name, options }, index) => (
          <SelectField
            key={name}
            label={name}
            value={end.levelIds[index] ?? ''}
            isDisabled={isDisabled}
            error={error && !end.levelIds[index] ? error : null}
            options={[
              { value: '', label: t('connectors.chooseLevel') },
              ...options.map((option) => ({ value: option.internalId, label: option.name })),
            ]}
            onChange={(id) =>
              onChange(choose(system, [...end.levelIds.slice(0, index), ...(id ? [id] : [])]))
            }
          />
        ))}
      </div>
    </fieldset>
  );
};
