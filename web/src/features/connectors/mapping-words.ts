import type {
  ActionMetadata,
  EndMetadata,
  Mapping,
  RecordSelection,
  SimpleSource,
  Source,
  Trigger,
  TriggerCondition,
  Value,
} from '@sluice/contract';
import { t } from '../../platform/i18n/i18n.ts';

/** A value in one line. */
export const valueWords = (value: Value | undefined): string => {
  if (value === null || value === undefined || value === '') return t('common.empty');
  if (typeof value === 'boolean') return t(value ? 'common.yes' : 'common.no');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

export const fieldName = (end: EndMetadata | null | undefined, path: string): string =>
  end?.fields.find((field) => field.path === path)?.name ?? path;

const simpleWords = (
  source: SimpleSource,
  metadata: ActionMetadata,
  end: EndMetadata | undefined,
): string => {
  switch (source.type) {
    case 'sourceValue':
      return t('actions.fromField', { field: fieldName(end, source.field) });
    case 'targetValue':
      return t('actions.fromTarget', { field: fieldName(metadata.target, source.field) });
    case 'customValue':
      return t('actions.fromText', { value: valueWords(source.value) });
    case 'macro':
      return t('actions.fromMacro', {
        macro: metadata.macros.find(({ id }) => id === source.macroId)?.name ?? source.macroId,
      });
    case 'responseErrorMessage':
      return t('actions.fromError');
  }
};

/** A merge is told by its text, with the sources where the numbers stand. */
const sourceWords = (source: Source, metadata: ActionMetadata, end: EndMetadata | undefined): string =>
  source.type === 'multiple'
    ? source.mergeString.replaceAll(/\{(\d+)\}/g, (whole, number: string) => {
        const part = source.mergeSources[Number(number) - 1];
        return part ? simpleWords(part.source, metadata, end) : whole;
      })
    : simpleWords(source, metadata, end);

/** `Name: title, 1 step, unique` in parts. */
export const mappingWords = (
  mapping: Mapping,
  metadata: ActionMetadata,
): { target: string; from: string; tags: string[] } => {
  const steps = mapping.mappingSources.reduce((sum, one) => sum + one.transformFns.length, 0);
  return {
    target: fieldName(metadata.target, mapping.targetField),
    from: mapping.mappingSources
      .map(({ sourceOptionId, source }) =>
        sourceWords(
          source,
          metadata,
          metadata.sources.find(({ option }) => option.id === sourceOptionId),
        ),
      )
      .join(' / '),
    tags: [
      ...(steps > 0 ? [t('actions.steps', { count: steps })] : []),
      ...(mapping.isUnique ? [t('actions.unique')] : []),
      ...(mapping.ignoreOnLaterRuns ? [t('actions.ignoredLater')] : []),
      ...(mapping.defaultValue === null
        ? []
        : [t('actions.defaultTo', { value: valueWords(mapping.defaultValue) })]),
    ],
  };
};

const selections: Record<
  RecordSelection,
  | 'actions.selectionNew'
  | 'actions.selectionExisting'
  | 'actions.selectionNewAndExisting'
  | 'actions.selectionDeleted'
  | 'actions.selectionAll'
> = {
  new: 'actions.selectionNew',
  existing: 'actions.selectionExisting',
  newAndExisting: 'actions.selectionNewAndExisting',
  deleted: 'actions.selectionDeleted',
  all: 'actions.selectionAll',
};

const operators: Readonly<
  Record<string, `table.op${'In' | 'NotIn' | 'Contains' | 'DoesNotContain' | 'BeginsWith' | 'EndsWith'}`>
> = {
  in: 'table.opIn',
  notIn: 'table.opNotIn',
  contains: 'table.opContains',
  doesNotContain: 'table.opDoesNotContain',
  beginsWith: 'table.opBeginsWith',
  endsWith: 'table.opEndsWith',
};

/** `Town is one of Delft, Gouda`; an operator that is gone shows its id. */
export const conditionWords = (condition: TriggerCondition, end: EndMetadata | null | undefined): string => {
  const { field, operator, comparison, value, values } = condition;
  const key = operators[operator];
  return t('actions.condition', {
    field: fieldName(end, field),
    operator: key ? t(key) : operator,
    values: comparison === 'singleValue' ? valueWords(value) : values.map(valueWords).join(', '),
  });
};

/** `New records where town is one of Delft, Gouda` */
export const triggerWords = (trigger: Trigger, metadata: ActionMetadata): string => {
  const selection = t(selections[trigger.sourceRecordSelection]);
  const [end] = metadata.sources;
  const conditions = trigger.conditions.map((condition) => conditionWords(condition, end));
  return conditions.length === 0
    ? selection
    : t('actions.where', { selection, conditions: conditions.join(` ${t('actions.and')} `) });
};
