import type { ActionMetadata, FieldPath, SourceUpdateConfigs } from '@sluice/contract';
import { checkMappings, compileTrigger, type MappingProblem } from '@sluice/mapping/engine';
import type { Content } from './draft.ts';

export const updateKinds = ['onPost', 'onPatch', 'onDelete'] as const;
export const outcomes = ['success', 'failure'] as const;
export type UpdateKind = (typeof updateKinds)[number];
export type Outcome = (typeof outcomes)[number];

const sourcesOf = (metadata: ActionMetadata) =>
  metadata.sources.map(({ option, fields }) => ({ optionId: option.id, name: option.name, fields }));

/** What is wrong with the mappings of the action. */
const checkAction = (content: Content, metadata: ActionMetadata, zone: string): MappingProblem[] =>
  checkMappings({
    mappings: content.mappings,
    sources: sourcesOf(metadata),
    targetFields: metadata.target?.fields ?? [],
    zone,
  });

/**
 * What is wrong with one list of source updates. What they write to are fields of the source, what they read of the
 * target are those of the target.
 */
const checkUpdates = (
  configs: SourceUpdateConfigs,
  kind: UpdateKind,
  outcome: Outcome,
  metadata: ActionMetadata,
  zone: string,
): MappingProblem[] => {
  const mappings = configs[kind][outcome];
  if (mappings.length === 0) return [];
  const check = (targetFields: readonly FieldPath[]): MappingProblem[] =>
    checkMappings({ mappings, sources: sourcesOf(metadata), targetFields, zone, place: outcome });
  const ofWritten = new Set([
    'unknownTarget',
    'readOnlyTarget',
    'readOnlyOnUpdate',
    'duplicateTarget',
    'wrongDefault',
    'wrongConstant',
  ]);
  const isOfEnd = ({ code, path }: MappingProblem): boolean =>
    ofWritten.has(code) || (code === 'typeMismatch' && /mappingSources\[\d+\]$/.test(path));
  const written = check(metadata.sources[0]?.fields ?? []).filter(isOfEnd);
  const read = check(metadata.target?.fields ?? []).filter((problem) => !isOfEnd(problem));
  return [...read, ...written].filter(({ code }) => code !== 'readOnlyOnUpdate');
};

/** What is wrong with each trigger, by its place. */
const checkTriggers = (content: Content, metadata: ActionMetadata, zone: string): MappingProblem[] =>
  content.triggers.flatMap((trigger, index) => {
    const found = metadata.sources.map(
      ({ fields }) => compileTrigger(trigger, fields, zone, `triggers[${index}]`).problems,
    );
    // A condition is about the fields of any of the sources: it is wrong where it is wrong for all of them.
    return found.reduce((best, one) => (one.length < best.length ? one : best), found[0] ?? []);
  });

export interface AllProblems {
  action: MappingProblem[];
  triggers: MappingProblem[];
  updates: Record<UpdateKind, Record<Outcome, MappingProblem[]>>;
  errors: number;
}

export const checkAll = (content: Content, metadata: ActionMetadata, zone: string): AllProblems => {
  const action = checkAction(content, metadata, zone);
  const triggers = checkTriggers(content, metadata, zone);
  const of = (kind: UpdateKind): Record<Outcome, MappingProblem[]> => ({
    success: checkUpdates(content.sourceUpdateConfigs, kind, 'success', metadata, zone),
    failure: checkUpdates(content.sourceUpdateConfigs, kind, 'failure', metadata, zone),
  });
  const updates = { onPost: of('onPost'), onPatch: of('onPatch'), onDelete: of('onDelete') };
  const all = [
    ...action,
    ...triggers,
    ...updateKinds.flatMap((kind) => outcomes.flatMap((outcome) => updates[kind][outcome])),
  ];
  return { action, triggers, updates, errors: all.filter(({ severity }) => severity === 'error').length };
};
