export { argsOf, checkArgs } from './args.ts';
export { isMixedBase64 } from './base64.ts';
export { checkMappings, checkWiring, type CheckInput, type MappingPlace } from './check.ts';
export { checkChain, typeOfSource } from './chain-types.ts';
export { compilePlan, changesOf, tracesOf } from './plan.ts';
export { contentHash } from './content-hash.ts';
export { convertScalar, convertToField, textOf, typeOfField } from './convert.ts';
export { describeFunctions, describeMacros, describeOperators } from './describe.ts';
export { resolveField } from './fields.ts';
export { functions, functionOf } from './functions/index.ts';
export { macroOf, macros } from './macros.ts';
export { parseMerge } from './merge.ts';
export { problemText, recordErrorText, type RuleText } from './texts.ts';
export { sliceBatch } from './run.ts';
export { suggestMappings, type Suggestion } from './suggest.ts';
export { compileTable } from './translation.ts';
export {
  compileTrigger,
  isSelected,
  type CompiledTrigger,
  type RecordState,
  type TriggerResult,
} from './triggers.ts';
export type {
  Column,
  FieldTrace,
  Lookup,
  LookupAnswer,
  LookupRequest,
  MappingProblem,
  Plan,
  PlanInput,
  PlanResult,
  RecordBatch,
  RecordError,
  RunContext,
  StepColumn,
  Texts,
} from './types.ts';
