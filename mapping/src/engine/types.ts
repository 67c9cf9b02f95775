import type { FieldDescriptor, Locale, Mapping, RunFacts, Scalar, TraceStep, Value } from '@sluice/contract';

/** One value per record of a batch, in the order of the batch. Null is "empty". */
export type Column = readonly Value[];

/** A text in the languages of the interface. */
export type Texts = Record<Locale, string>;

/**
 * What a lookup step asks: in `collection` (of the target system, or of the source system) the values of `returnField`
 * of all records whose `keyField` equals a key.
 */
export interface LookupRequest {
  system: 'target' | 'source';
  collection: string;
  keyField: string;
  /** Null: only whether there is one; the answer then has any value per record found. */
  returnField: string | null;
}

/**
 * Called once per lookup step and batch, with distinct keys that are not empty. `values` has one list per key, in the
 * order of the keys: the values found (none, one, or at least two where it is ambiguous).
 */
export type Lookup = (request: LookupRequest, keys: readonly Scalar[]) => Promise<LookupAnswer>;

export interface LookupAnswer {
  /** Name of the collection that was asked, for messages. */
  title: Texts;
  values: readonly (readonly Value[])[];
}

export interface RunContext extends RunFacts {
  lookup?: Lookup | undefined;
}

/** Records of one source collection, column by column. All arrays have `size` items. */
export interface RecordBatch {
  size: number;
  /** The source record's key as text. */
  keys: readonly string[];
  /** Field path -> values. A field that is not there is empty in all records. */
  columns: Readonly<Record<string, Column>>;
  /** Field path -> current values of the target; undefined where there is no target or it is not known. */
  targets?: Readonly<Record<string, readonly (Value | undefined)[]>> | undefined;
  /** The target's key; null = the record is new there. */
  targetKeys?: readonly (string | null)[] | undefined;
  /** Row of the source (1 = the first record), for messages and the macro. */
  rowNumbers?: readonly number[] | undefined;
  /** Linked by an earlier run: fields that are ignored on later runs are left alone. */
  isLinked?: readonly boolean[] | undefined;
  operations?: readonly ('insert' | 'update' | 'delete' | null)[] | undefined;
  /** Of source updates: what became of the record in the push. */
  outcomes?:
    | readonly {
        status: string;
        errorCode: string | null;
        errorText: string | null;
        createdKey: string | null;
      }[]
    | undefined;
}

/** A value that could not be made. The text follows from code and params: `recordErrorText`. */
export interface RecordError {
  /** Index in the batch. */
  row: number;
  targetField: string;
  /** `mappings[3].mappingSources[0].transformFns[1]`; of the source or the mapping where no function is at fault. */
  path: string;
  /** Index in its chain; null where no function is at fault. */
  fnIndex: number | null;
  /** What came into the step. */
  input: Value;
  code: string;
  params: Record<string, Value>;
}

export interface PlanResult {
  size: number;
  /** Target field -> values. Those of failed records and of left fields are not for sending. */
  columns: Record<string, Value[]>;
  /** Target field -> 1 where the field is left as it is (skipIf, ignored on later runs). Absent = nowhere. */
  left: Record<string, Uint8Array>;
  errors: RecordError[];
  /** 1 where the record has at least one error. */
  failed: Uint8Array;
}

/** One step of one mapping with the values of all records after it, in the order of evaluation. */
export interface StepColumn extends Omit<TraceStep, 'value'> {
  targetField: string;
  values: Column;
}

/** How one record's field came about. */
export interface FieldTrace {
  targetField: string;
  value: Value;
  oldValue: Value;
  isLeft: boolean;
  steps: TraceStep[];
  error: RecordError | null;
}

export interface PlanInput {
  mappings: readonly Mapping[];
  /** The wired source whose records come in: of each mapping the entry of this source is used. */
  sourceOptionId: string;
  sourceFields: readonly FieldDescriptor[];
  targetFields: readonly FieldDescriptor[];
  /** Fields that the mappings write; absent = those of the target. In source updates those of the source. */
  writtenFields?: readonly FieldDescriptor[] | undefined;
  /** IANA name; what functions with a zone take where none is given. */
  zone: string;
  /** Where the mappings stand in the action, for the paths of errors; default `mappings`. */
  path?: string | undefined;
}

export interface Plan {
  /** Fields that get a value, in the order of the mappings. */
  targetFields: readonly string[];
  /** Fields that form the match key together (decisions Q-MAP-06). */
  uniqueFields: readonly string[];
  /** Source fields that are read: what the content hash is made of. */
  sourceFields: readonly string[];
  /** Target fields whose current values are read: `RecordBatch.targets` must have these. */
  readTargetFields: readonly string[];
  /** Values of all mapped fields. Never throws for a value; throws what `lookup` throws. */
  run(batch: RecordBatch, context: RunContext): Promise<PlanResult>;
  /** Only the unique fields, to find the target records before the rest can be known. An empty one is an error. */
  matchKeys(batch: RecordBatch, context: RunContext): Promise<PlanResult>;
  /** As `run`, with the column after every step. */
  runTraced(batch: RecordBatch, context: RunContext): Promise<{ result: PlanResult; steps: StepColumn[] }>;
  /** One record, step by step: the same code as `run`. */
  trace(batch: RecordBatch, row: number, context: RunContext): Promise<FieldTrace[]>;
}

/** Something wrong at design time; the text follows from code and params: `problemText`. */
export interface MappingProblem {
  path: string;
  severity: 'error' | 'warning';
  code: string;
  params: Record<string, Value>;
}
