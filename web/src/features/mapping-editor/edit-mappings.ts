import type {
  FieldPath,
  Mapping,
  MappingSource,
  MergeSource,
  SimpleSource,
  TransformFn,
} from '@sluice/contract';

type Mappings = readonly Mapping[];

export const mappingOf = (mappings: Mappings, targetField: string): Mapping | null =>
  mappings.find((mapping) => mapping.targetField === targetField) ?? null;

export const entryOf = (mapping: Mapping | null, sourceOptionId: string): MappingSource | null =>
  mapping?.mappingSources.find((entry) => entry.sourceOptionId === sourceOptionId) ?? null;

export const changeMapping = (
  mappings: Mappings,
  targetField: string,
  change: (mapping: Mapping) => Mapping,
): Mapping[] => mappings.map((mapping) => (mapping.targetField === targetField ? change(mapping) : mapping));

/** Gives the field a source, by a new mapping where it has none. */
export const withEntry = (
  mappings: Mappings,
  field: Pick<FieldPath, 'path' | 'group'>,
  entry: MappingSource,
): Mapping[] => {
  const mapping = mappingOf(mappings, field.path);
  if (!mapping) {
    const made: Mapping = {
      targetField: field.path,
      group: field.group,
      isUnique: false,
      ignoreOnLaterRuns: false,
      defaultValue: null,
      mappingSources: [entry],
    };
    return [...mappings, made];
  }
  return changeMapping(mappings, field.path, (before) => ({
    ...before,
    mappingSources: entryOf(before, entry.sourceOptionId)
      ? before.mappingSources.map((one) => (one.sourceOptionId === entry.sourceOptionId ? entry : one))
      : [...before.mappingSources, entry],
  }));
};

/** Takes the field's source away; a mapping without any goes too. */
export const withoutEntry = (mappings: Mappings, targetField: string, sourceOptionId: string): Mapping[] =>
  mappings.flatMap((mapping) => {
    if (mapping.targetField !== targetField) return [mapping];
    const mappingSources = mapping.mappingSources.filter((one) => one.sourceOptionId !== sourceOptionId);
    return mappingSources.length === 0 ? [] : [{ ...mapping, mappingSources }];
  });

export const newSource = (kind: SimpleSource['type']): SimpleSource => {
  switch (kind) {
    case 'sourceValue':
    case 'targetValue':
      return { type: kind, field: '' };
    case 'customValue':
      return { type: kind, value: null };
    case 'macro':
      return { type: kind, macroId: '' };
    case 'responseErrorMessage':
      return { type: kind };
  }
};

/** From one source to a merge and back nothing is lost: the first part is the one source. */
export const asMerge = ({ sourceOptionId, source, transformFns }: MappingSource): MappingSource =>
  source.type === 'multiple'
    ? { sourceOptionId, source, transformFns }
    : {
        sourceOptionId,
        source: { type: 'multiple', mergeString: '{1}', mergeSources: [{ source, transformFns }] },
        transformFns: [],
      };

export const asSingle = ({ sourceOptionId, source, transformFns }: MappingSource): MappingSource => {
  if (source.type !== 'multiple') return { sourceOptionId, source, transformFns };
  const [first] = source.mergeSources;
  return {
    sourceOptionId,
    source: first?.source ?? newSource('sourceValue'),
    transformFns: [...(first?.transformFns ?? []), ...transformFns],
  };
};

export const addPart = (entry: MappingSource, part: MergeSource): MappingSource => {
  const { source } = asMerge(entry);
  if (source.type !== 'multiple') return entry;
  const mergeSources = [...source.mergeSources, part];
  const gap = source.mergeString === '' ? '' : ' ';
  const mergeString = `${source.mergeString}${gap}{${mergeSources.length}}`;
  return { ...asMerge(entry), source: { ...source, mergeSources, mergeString } };
};

/** The numbers of the parts behind it move up; those of the part itself leave the merge string. */
export const removePart = (entry: MappingSource, at: number): MappingSource => {
  if (entry.source.type !== 'multiple') return entry;
  const mergeSources = entry.source.mergeSources.filter((_, index) => index !== at);
  const mergeString = entry.source.mergeString.replace(
    /\{\{|\}\}|\{(\d+)\}/g,
    (whole, digits: string | undefined) => {
      if (digits === undefined) return whole;
      const number = Number(digits);
      return number === at + 1 ? '' : number > at + 1 ? `{${number - 1}}` : whole;
    },
  );
  return { ...entry, source: { ...entry.source, mergeSources, mergeString: mergeString.trim() } };
};

export const changePart = (entry: MappingSource, at: number, part: MergeSource): MappingSource =>
  entry.source.type === 'multiple'
    ? {
        ...entry,
        source: {
          ...entry.source,
          mergeSources: entry.source.mergeSources.map((one, index) => (index === at ? part : one)),
        },
      }
    : entry;

export const moveFn = (fns: readonly TransformFn[], from: number, to: number): TransformFn[] => {
  const next = [...fns];
  const [moved] = next.splice(from, 1);
  if (moved) next.splice(Math.max(0, Math.min(to, next.length)), 0, moved);
  return next;
};
