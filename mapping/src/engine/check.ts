import type { FieldDescriptor, Mapping, MappingSource, SimpleSource, Value, Wiring } from '@sluice/contract';
import { leafFields } from '../values.ts';
import { canConvert, checkChain, typeOfSource, type TypeContext } from './chain-types.ts';
import { convertToField, typeOfField } from './convert.ts';
import { resolveField } from './fields.ts';
import { macroOf } from './macros.ts';
import { parseMerge } from './merge.ts';
import type { MappingProblem } from './types.ts';

/** Where mappings stand: in the action, or in the source updates after an outcome of a push. */
export type MappingPlace = 'action' | 'success' | 'failure';

export interface CheckInput {
  mappings: readonly Mapping[];
  sources: readonly { optionId: string; name: string; fields: readonly FieldDescriptor[] }[];
  targetFields: readonly FieldDescriptor[];
  zone: string;
  place?: MappingPlace | undefined;
  path?: string | undefined;
}

/**
 * Everything that is wrong with mappings before any record is read, each at its place. Errors prevent saving
 * (MAP-15), warnings do not. Merges cannot contain merges (the contract refuses them), so no chain comes back to itself.
 */
export function checkMappings(input: CheckInput): MappingProblem[] {
  const problems: MappingProblem[] = [];
  const targets = new Map(leafFields(input.targetFields).map((field) => [field.id, field]));
  const seen = new Set<string>();
  input.mappings.forEach((mapping, index) => {
    const path = `${input.path ?? 'mappings'}[${index}]`;
    const check = new MappingCheck(input, mapping, path, problems);
    const field = targets.get(mapping.targetField);
    if (seen.has(mapping.targetField)) check.add(path, 'duplicateTarget', { field: mapping.targetField });
    seen.add(mapping.targetField);
    check.mapping(field);
  });
  if ((input.place ?? 'action') === 'action')
    for (const field of targets.values())
      if (isDemanded(field) && !seen.has(field.id))
        problems.push({
          path: input.path ?? 'mappings',
          severity: 'warning',
          code: 'mandatoryNotMapped',
          params: { field: field.id },
        });
  return problems;
}

const isDemanded = (field: FieldDescriptor): boolean =>
  (field.isMandatory || field.validations.some(({ code }) => code === 4001)) &&
  !field.isReadOnly &&
  field.hasServerDefault !== true &&
  (field.defaultValue ?? null) === null;

class MappingCheck {
  private readonly input: CheckInput;
  private readonly of: Mapping;
  private readonly path: string;
  private readonly problems: MappingProblem[];

  constructor(input: CheckInput, of: Mapping, path: string, problems: MappingProblem[]) {
    this.input = input;
    this.of = of;
    this.path = path;
    this.problems = problems;
  }

  add(
    path: string,
    code: string,
    params: Record<string, Value> = {},
    severity: 'error' | 'warning' = 'error',
  ): void {
    this.problems.push({ path, severity, code, params });
  }

  mapping(field: FieldDescriptor | undefined): void {
    const { targetField, defaultValue, mappingSources, ignoreOnLaterRuns } = this.of;
    if (!field) this.add(this.path, 'unknownTarget', { field: targetField });
    else if (field.isReadOnly || field.dataType === 'unknown')
      this.add(this.path, 'readOnlyTarget', { field: targetField });
    else if (field.isReadOnlyOnUpdate && !ignoreOnLaterRuns)
      this.add(this.path, 'readOnlyOnUpdate', { field: targetField }, 'warning');
    if (field && defaultValue !== null && !convertToField(field, defaultValue, this.input.zone).isOk)
      this.add(this.path, 'wrongDefault', { value: defaultValue });
    if (mappingSources.length === 0) this.add(this.path, 'addSource');
    const seen = new Set<string>();
    mappingSources.forEach((entry, index) => {
      const path = `${this.path}.mappingSources[${index}]`;
      if (seen.has(entry.sourceOptionId)) this.add(path, 'duplicateSource');
      seen.add(entry.sourceOptionId);
      this.entry(entry, path, field);
    });
  }

  private entry(entry: MappingSource, path: string, field: FieldDescriptor | undefined): void {
    const source = this.input.sources.find(({ optionId }) => optionId === entry.sourceOptionId);
    if (!source) {
      this.add(path, 'unknownSource');
      return;
    }
    const context: TypeContext = {
      sourceFields: source.fields,
      targetFields: this.input.targetFields,
      zone: this.input.zone,
    };
    const checkSource = (simple: SimpleSource, at: string): void => this.source(simple, at, context);
    const add = (problem: MappingProblem): void => {
      this.problems.push(problem);
    };
    if (entry.source.type === 'multiple') {
      entry.source.mergeSources.forEach((part, index) => {
        const at = `${path}.source.mergeSources[${index}]`;
        checkSource(part.source, at);
        checkChain(part.transformFns, typeOfSource(part.source, context), at, context, checkSource, add);
      });
      this.merge(entry.source.mergeString, entry.source.mergeSources.length, `${path}.source`);
    } else checkSource(entry.source, path);
    const type = checkChain(
      entry.transformFns,
      typeOfSource(entry.source, context),
      path,
      context,
      checkSource,
      add,
    );
    if (!field) return;
    const expected = typeOfField(field);
    const isFine = expected.endsWith('[]')
      ? type === 'any' || type.endsWith('[]')
      : canConvert(type, field.dataType ?? 'string');
    if (!isFine) this.add(path, 'typeMismatch', { expected, incoming: type });
    const { source: given } = entry;
    if (given.type === 'customValue' && entry.transformFns.length === 0 && isFine)
      if (!convertToField(field, given.value, this.input.zone).isOk)
        this.add(path, 'wrongConstant', { value: given.value });
  }

  private merge(mergeString: string, sources: number, path: string): void {
    if (sources === 0) {
      this.add(path, 'addSource');
      return;
    }
    const parsed = parseMerge(mergeString, sources);
    if (!parsed.isOk) this.add(path, parsed.code, { name: parsed.name });
    else if (parsed.unused.length > 0) this.add(path, 'unusedSources', {}, 'warning');
  }

  private source(source: SimpleSource, path: string, context: TypeContext): void {
    const place = this.input.place ?? 'action';
    switch (source.type) {
      case 'sourceValue':
        if (source.field === '') this.add(path, 'missingField');
        else if (!resolveField(context.sourceFields, source.field))
          this.add(path, 'unknownSourceField', { field: source.field });
        return;
      case 'targetValue':
        this.targetSource(source.field, path, context);
        return;
      case 'macro': {
        const macro = macroOf(source.macroId);
        if (source.macroId === '') this.add(path, 'missingMacro');
        else if (!macro) this.add(path, 'unknownMacro', { macro: source.macroId });
        else if (macro.isForSourceUpdates && place === 'action') this.add(path, 'onlyInSourceUpdates');
        if (macro?.needsField) this.targetSource(source.field ?? '', path, context);
        return;
      }
      case 'responseErrorMessage':
        if (place !== 'failure') this.add(path, place === 'action' ? 'onlyInSourceUpdates' : 'onlyOnFailure');
        return;
      case 'customValue':
    }
  }

  private targetSource(field: string, path: string, context: TypeContext): void {
    if (field === '') this.add(path, 'missingField');
    else if (!resolveField(context.targetFields, field)) this.add(path, 'unknownTargetField', { field });
    if (this.of.isUnique) this.add(path, 'keyFromTarget');
  }
}

/** ACT-03 and ACT-04: one target, at least one source. */
export function checkWiring({ targets, sources }: Wiring): MappingProblem[] {
  const problems: MappingProblem[] = [];
  const add = (path: string, code: string): void => {
    problems.push({ path, severity: 'error', code, params: {} });
  };
  if (targets.length !== 1) add('wiring.targets', 'oneTarget');
  if (sources.length === 0) add('wiring.sources', 'oneSource');
  return problems;
}
