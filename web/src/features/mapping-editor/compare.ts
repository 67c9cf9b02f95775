import type { ActionMetadata, Mapping, SimpleSource, Source, TransformFn, Trigger } from '@sluice/contract';
import { t } from '../../platform/i18n/i18n.ts';
import { type Content, isSame } from './draft.ts';
import { outcomes, updateKinds } from './problems.ts';

/** One thing that is different, in words. */
export interface Difference {
  id: string;
  area: 'mappings' | 'triggers' | 'updates';
  name: string;
  kind: 'added' | 'removed' | 'changed';
  before: string;
  after: string;
}

const fnText = (fn: TransformFn, metadata: ActionMetadata): string => {
  const name = metadata.transformFns.find(({ id }) => id === fn.fnId)?.name ?? fn.fnId;
  const args = Object.values(fn.args).map((arg) =>
    typeof arg === 'object' ? JSON.stringify(arg) : String(arg),
  );
  const table = fn.translationTable;
  const rows = table
    ? [
        t('mapping.tableText', {
          count: table.rows.length,
          behaviour: t(`mapping.notFound_${table.notFound}`),
        }),
        table.rows
          .slice(0, 5)
          .map(({ key, value }) => `${String(key)}=${String(value)}`)
          .join(', '),
      ]
    : [];
  const all = [...args, ...rows].filter((text) => text !== '');
  return all.length > 0 ? `${name} (${all.join('; ')})` : name;
};

const simpleText = (source: SimpleSource, metadata: ActionMetadata): string => {
  switch (source.type) {
    case 'sourceValue':
      return source.field;
    case 'targetValue':
      return `${t('mapping.source_targetValue')} ${source.field}`;
    case 'customValue':
      return `“${typeof source.value === 'object' ? JSON.stringify(source.value ?? '') : String(source.value)}”`;
    case 'macro':
      return metadata.macros.find(({ id }) => id === source.macroId)?.name ?? source.macroId;
    case 'responseErrorMessage':
      return t('mapping.source_responseErrorMessage');
  }
};

const sourceText = (source: Source, metadata: ActionMetadata): string =>
  source.type === 'multiple'
    ? `${source.mergeString} [${source.mergeSources
        .map((part) =>
          [simpleText(part.source, metadata), ...part.transformFns.map((fn) => fnText(fn, metadata))].join(
            ' → ',
          ),
        )
        .join(' | ')}]`
    : simpleText(source, metadata);

/** A mapping in one line. */
const mappingText = (mapping: Mapping, metadata: ActionMetadata): string => {
  const flags = [
    ...(mapping.defaultValue === null
      ? []
      : [t('mapping.defaultText', { value: JSON.stringify(mapping.defaultValue) })]),
    ...(mapping.isUnique ? [t('mapping.unique')] : []),
    ...(mapping.ignoreOnLaterRuns ? [t('mapping.ignoreLater')] : []),
  ];
  const sources = mapping.mappingSources.map(({ source, transformFns }) =>
    [sourceText(source, metadata), ...transformFns.map((fn) => fnText(fn, metadata))].join(' → '),
  );
  return [sources.join(' / '), ...flags].join('; ');
};

/** A trigger in one line. */
const triggerText = (trigger: Trigger, metadata: ActionMetadata): string =>
  [
    t(`mapping.selection_${trigger.sourceRecordSelection}`),
    ...trigger.conditions.map(({ field, operator, comparison, value, values }) => {
      const name = metadata.triggerConditionOperators.find(({ id }) => id === operator)?.name ?? operator;
      const given = comparison === 'singleValue' ? [value] : values;
      return `${field} ${name} ${given.map((one) => (one === null ? '∅' : String(one))).join(', ')}`;
    }),
  ].join('; ');

function differ<T>(
  area: Difference['area'],
  before: readonly T[],
  after: readonly T[],
  idOf: (item: T) => string,
  nameOf: (item: T) => string,
  textOf: (item: T) => string,
): Difference[] {
  const old = new Map(before.map((item) => [idOf(item), item]));
  const now = new Map(after.map((item) => [idOf(item), item]));
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((id): Difference[] => {
    const [one, other] = [old.get(id), now.get(id)];
    const texts = { before: one ? textOf(one) : '', after: other ? textOf(other) : '' };
    const found = other ?? one;
    if (!found || isSame(one, other)) return [];
    const kind = !one ? 'added' : !other ? 'removed' : 'changed';
    return [{ id: `${area}:${id}`, area, name: nameOf(found), kind, ...texts }];
  });
}

/** What is different between two states of an action, field by field. */
export const compareContents = (before: Content, after: Content, metadata: ActionMetadata): Difference[] => {
  const targetName = (path: string): string =>
    metadata.target?.fields.find((field) => field.path === path)?.name ?? path;
  const text = (mapping: Mapping): string => mappingText(mapping, metadata);
  return [
    ...differ(
      'mappings',
      before.mappings,
      after.mappings,
      ({ targetField }) => targetField,
      ({ targetField }) => targetName(targetField),
      text,
    ),
    ...differ(
      'triggers',
      before.triggers,
      after.triggers,
      ({ internalId }) => internalId,
      ({ name }) => name,
      (trigger) => triggerText(trigger, metadata),
    ),
    ...updateKinds.flatMap((kind) =>
      outcomes.flatMap((outcome) =>
        differ(
          'updates',
          before.sourceUpdateConfigs[kind][outcome],
          after.sourceUpdateConfigs[kind][outcome],
          ({ targetField }) => `${kind}.${outcome}.${targetField}`,
          ({ targetField }) => `${t(`mapping.${kind}`)}, ${t(`mapping.${outcome}`)}: ${targetField}`,
          text,
        ),
      ),
    ),
  ];
};
