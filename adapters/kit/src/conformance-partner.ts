import type { FieldDescriptor } from '@sluice/contract';
import type { AdapterDefinition, ConnectionConfig, Key, Rec } from './types.ts';

/**
 * What an adapter brings to be held to the interface: a real system that runs, and facts about it. The functions
 * that end in `Elsewhere` reach the system without the adapter, as another person would.
 */
export interface ConformancePartner {
  definition: AdapterDefinition;
  config: ConnectionConfig;
  /** The same system with a wrong password; null: the kind has none. */
  badConfig: ConnectionConfig | null;
  /** An address at which nobody answers; null: the kind has no address. */
  deadConfig: ConnectionConfig | null;
  /** Level ids under which `collection` is read and written. */
  levels: readonly string[];
  /** A collection in which records may be made, changed and deleted. */
  collection: string;
  /** The adapter only reads: makes a record of `collection` by another way, and answers its key. */
  makeElsewhere?: (values: Rec) => Promise<Key>;
  attributeId?: string;
  /** Values of a new record that the system accepts; different for each `n`, and for each run on the same data. */
  sample(n: number): Rec;
  /** A change that the system accepts on a record made of `sample`; different for each `n`. */
  change(n: number): Rec;
  /**
   * Values that the system refuses when merged into a sample, and the field that its answer names (null: it names
   * none). They must pass the system's type checks, so that a rule refuses them.
   */
  invalid: { values: Rec; field: string | null };
  /** Field of `sample` that identifies a record to a person, and is written with it. */
  naturalKey: string;
  /** Well formed, but no record has it. */
  missingKey: Key;
  missingCollection: string;
  /** A collection of at least `pageSize` x 3 records, to read in pages. */
  large: { collection: string; levels: readonly string[]; pageSize: number; attributeId?: string };
  /** One record that exists in two companies with different values of `field`; null: the system has no companies. */
  twoCompanies: {
    collection: string;
    key: Key;
    field: string;
    levels: readonly [readonly string[], readonly string[]];
  } | null;
  /** Fields to read and compare; absent = all fields of the description. */
  fields?: (fields: readonly FieldDescriptor[]) => FieldDescriptor[];
  /** Changes a record in the system by another way than the adapter. */
  changeElsewhere(key: Key, values: Rec): Promise<void>;
  /** How long until a change is later than all before it; absent: others may write as well, nobody can tell. */
  clockMs?: number;
  removeElsewhere(key: Key): Promise<void>;
  /** Number of records whose natural key has this value, counted by another way than the adapter. */
  countElsewhere(naturalKeyValue: string): Promise<number>;
  cleanup(): Promise<void>;
}
