import type { LookupFunction } from 'node:net';
import type { FieldDescriptor, Locale, Scalar, Value, ValidationCode } from '@sluice/contract';

/**
 * A record of an external system: field id -> value, in the wire forms of the contract's `Scalar`.
 * Fields of nested objects are flat (`address.city`); arrays are JSON values. A value that the adapter cannot
 * bring into the form of its data type is passed raw: the cache marks it as an error in received data.
 */
export type Rec = Record<string, Value>;

/** The external system's own identity of a record, as one string (composite keys: the adapter's own encoding). */
export type Key = string;

export interface ConnectionConfig {
  url: string;
  /** The system's word for it: Tryton database, OData service path, Odoo database. */
  database: string;
  authType: 'basic' | 'oAuth';
  username: string;
  password: string;
  clientId: string;
  clientSecret: string;
  tokenUrl: string;
  scope: string;
  /** What the kind asks for beyond these (`configFields` named `settings.…`), by name; absent = left empty. */
  settings: Record<string, string>;
}

/** One input of the domain form. */
export interface ConfigField {
  /** A part of the connection, or a setting of the kind's own. */
  name: Exclude<keyof ConnectionConfig, 'settings' | 'authType'> | `settings.${string}`;
  /** Absent = text. A secret is sealed and never shown again; a boolean is `true` or `false`. */
  type?: 'text' | 'secret' | 'multiline' | 'select' | 'boolean';
  label: Record<Locale, string>;
  hint?: Record<Locale, string>;
  isMandatory: boolean;
  /** Of a select, in the order shown. */
  options?: readonly { value: string; label: Record<Locale, string> }[];
  /** What a new domain begins with. */
  defaultValue?: string;
  /** Shown only while another input of the form (or `authType`) has this value. */
  showIf?: { field: string; equals: string };
  /** Its values are mostly too long for half a line, as addresses are. */
  isWide?: boolean;
}

/** How a collection tells what changed: by a column of times, by the system's own list of changes, or not at all. */
export type ChangesKind = 'column' | 'delta' | 'none';

/** Calls are made on behalf of a person who waits, of a push, or of the cache; the budget serves them in this order. */
export type CallClass = 'interactive' | 'push' | 'cache';

/**
 * The limits of a connection, shared by all processes. `acquire` resolves when one call may be made and throws
 * `ExternalSystemError('CALL_LIMIT')` when the domain's calls for today are spent. Every HTTP request costs one.
 */
export interface CallBudget {
  acquire(callClass: CallClass, signal: AbortSignal): Promise<void>;
  /** Told after each answer; a 429 pauses the whole connection for `retryAfterMs`. */
  observe(answer: { status: number; retryAfterMs?: number }): void;
}

export interface SessionContext {
  budget: CallBudget;
  /** Milliseconds that one HTTP request may take before it is given up. */
  requestTimeoutMs: number;
  now(): Date;
  /** Of a domain that is stored; null or absent while a new one is tried out. */
  domainId?: string | null;
  /** Resolves host names for connections and refuses forbidden addresses; adapters hand it to their HTTP client. */
  lookup?: LookupFunction;
}

export interface CallOptions {
  /**
   * Ids of the selected option per system level below the domain (`[]` for a collection of the domain itself,
   * `[companyId]` for one of a company). Values of many systems differ per company.
   */
  levels: readonly string[];
  locale: Locale;
  callClass: CallClass;
  signal: AbortSignal;
}

export interface CollectionInfo {
  /** The adapter's name of the collection (`party.party`, `Customers`). */
  code: string;
  /** Slug for urls and rights, unique in the system: a-z, 0-9 and dashes. */
  resourceTypeUriId: string;
  title: string;
  /** How many system levels are needed to read it: 1 = domain only, 2 = domain and company. */
  numberOfSystemLevels: number;
  /** True when the collection is read per attribute (`attributes()` lists them). */
  hasAttribute: boolean;
}

export interface CollectionDescription {
  fields: FieldDescriptor[];
  keyFields: string[];
  /** Field that names a record to a person. */
  labelField: string | null;
  /** Sets of fields that identify a record to a person; used to find an insert whose answer was lost. */
  naturalKeys: string[][];
  rights: { create: boolean; update: boolean; delete: boolean };
  /** Absent = what the session's `caps.changes` say. */
  changes?: ChangesKind;
  /** Changes whenever the description does. */
  fingerprint: string;
}

export interface ReadQuery extends CallOptions {
  collection: string;
  attributeId?: string | undefined;
  fields: readonly FieldDescriptor[];
  /** Where an interrupted read goes on; null = from the start. */
  cursor: string | null;
  /** Largest page wanted; the adapter may give fewer. */
  pageSize: number;
  /** Only records changed at or after this time (`caps.changes`); null = all. */
  changedSince?: Date | null;
  /**
   * A look at a part of the collection, where `caps.query` says that the system can. Such a read has one page after
   * the other without cursors: it is not resumed.
   */
  filter?: readonly { field: string; value: Scalar }[];
  orderBy?: readonly { field: string; isDescending: boolean }[];
  offset?: number;
  /** Most records of the whole read. */
  limit?: number;
}

export interface ReadRecord {
  key: Key;
  /** ETag or timestamp, sent back with a write. */
  version: string | null;
  values: Rec;
}

export interface Page {
  records: ReadRecord[];
  /** Records that the system could not give (a broken reference fails Tryton's whole page): found by halving. */
  poisoned: { key: Key; message: string }[];
  /** Storable; null after the last page. */
  cursor: string | null;
  /** Total where the system tells it. */
  total: number | null;
}

export interface Capabilities {
  maxPage: number;
  batch: {
    /** Most operations of one call; another number when the session has learned what the system takes. */
    size: number;
    /** `perCall`: one refused operation undoes the whole call; `none`: each stands alone. */
    atomicity: 'none' | 'perCall';
    /** `firstErrorOnly`: a failed call does not say which operation was at fault; the engine bisects. */
    outcome: 'perRecord' | 'firstErrorOnly';
  };
  /** `version`: a stale version is refused by the system. `none`: only the engine's own comparison protects. */
  concurrency: 'version' | 'none';
  /** `kind` absent: a column of times where it is incremental. */
  changes: { incremental: boolean; kind?: ChangesKind };
  /** What of `ReadQuery` the system does itself; absent = nothing. */
  query?: { filter: boolean; orderBy: boolean; offset: boolean };
  /** After a lost answer the system may still be working for this long: wait before probing. */
  settleMs: number;
  /** Calls that may run at the same time on one connection. */
  parallel: number;
  /** Whether `write` keeps the turn of its call. */
  keepsTurns: boolean;
}

export interface WriteOp {
  opId: string;
  action: 'insert' | 'update' | 'delete';
  key?: Key;
  /** insert: all values; update: only the changed fields. */
  values?: Rec;
  /** update, delete: the version last seen; null = unknown, write without the check. */
  version?: string | null;
}

/**
 * Lets a call get ready while another is on the wire, and still reach the system behind it. An adapter that keeps turns
 * awaits `come` before the first request that changes something, and calls `pass` once the last of them is answered.
 */
export interface Turn {
  come(): Promise<void>;
  pass(): void;
}

export interface WriteCall extends CallOptions {
  collection: string;
  attributeId?: string | undefined;
  fields: readonly FieldDescriptor[];
  ops: WriteOp[];
  turn?: Turn | undefined;
}

export type ErrorClass =
  | 'validation'
  | 'unique'
  | 'reference'
  | 'inUse'
  | 'forbidden'
  | 'conflict'
  | 'notFound'
  | 'other';

/** Why the system refused one record. `field` is a field id where the adapter could tell which. */
export interface RecordError {
  errCode: string;
  /** The system's own words. */
  msg: string;
  field: string | null;
  code?: ValidationCode;
  class: ErrorClass;
}

/**
 * What became of one operation. Exactly one per operation, always.
 * `batchFailed`: the whole call was undone because of some operation in it (only where atomicity is perCall).
 * `stale`: the version did not match. `gone`: the record does not exist any more.
 * `unknown`: sent, but no answer; it may have happened or may still happen.
 * `notSent`: certainly not received by the system (connection refused, 429, limit).
 */
export type Outcome = { opId: string } & (
  | { state: 'done'; key: Key; version: string | null; values?: Rec }
  | { state: 'rejected'; errors: RecordError[] }
  | { state: 'batchFailed'; errors: RecordError[] }
  | { state: 'stale' }
  | { state: 'gone' }
  | { state: 'unknown'; reason: string }
  | { state: 'notSent'; reason: string; retryAfterMs?: number }
);

export interface ProbeCall extends Omit<WriteCall, 'ops' | 'turn'> {
  op: WriteOp;
  sentAt: Date;
  /** Probes with the same one may share what they read: nothing of ours is written between them. */
  look?: object;
}

/**
 * Answer of a probe for an operation whose outcome was lost.
 * `candidates`: keys of records that equal the insert; the engine strikes out those that it knew before.
 */
export type ProbeAnswer =
  | { state: 'applied'; key: Key; version: string | null }
  | { state: 'notApplied' }
  | { state: 'candidates'; records: ReadRecord[] }
  | { state: 'undecidable'; reason: string };

export interface TestResult {
  status: 'OK' | 'INVALID_CREDENTIALS_OR_URL' | 'ERROR_OTHER';
  /** In the locale asked for: what was reached, or what failed and what to do. */
  message: string;
  /** The adapter's guess whether this is a production environment; null = cannot tell. */
  isProduction: boolean | null;
  /** Values that the answer shows and that an input of the form may take over, for instance the key of a server. */
  suggestions?: readonly { field: ConfigField['name']; value: string }[];
}

export interface Company {
  /** The system's own id of the company. */
  id: string;
  name: string;
  acronym: string;
}

/** An open connection to one domain of an external system. Not shared between domains; safe for parallel calls. */
export interface Session {
  readonly caps: Capabilities;
  test(options: Pick<CallOptions, 'locale' | 'signal'>): Promise<TestResult>;
  companies(options: Pick<CallOptions, 'locale' | 'signal'>): Promise<Company[]>;
  collections(options: CallOptions): Promise<CollectionInfo[]>;
  describe(collection: string, options: CallOptions): Promise<CollectionDescription>;
  /** Attributes of the company, for collections with `hasAttribute`. */
  attributes(options: CallOptions): Promise<{ attributeId: string; attributeName: string }[]>;
  /** Pages in key order where the system can, so that an interrupted read resumes without gaps. */
  read(query: ReadQuery): AsyncIterable<Page>;
  /** Live values of the given records; a key that is gone is absent from the answer. */
  readByKeys(
    query: Omit<ReadQuery, 'cursor' | 'pageSize' | 'changedSince'> & { keys: readonly Key[] },
  ): Promise<ReadRecord[]>;
  /** At most `caps.batch.size` operations of one action kind. Never throws for what concerns single records. */
  write(call: WriteCall): Promise<Outcome[]>;
  probe(call: ProbeCall): Promise<ProbeAnswer>;
  close(): Promise<void>;
}

export interface SystemLevel {
  uriId: string;
  nameSingular: Record<Locale, string>;
  namePlural: Record<Locale, string>;
}

/** A kind of external system. `open` makes no call; the first call signs in. */
export interface AdapterDefinition {
  kind: string;
  title: Record<Locale, string>;
  /**
   * The domain first; the companies below it second, where the kind has companies. Without them its collections are
   * copied into the cache only once somebody opened them: there may be hundreds, with millions of records.
   */
  systemLevels: readonly SystemLevel[];
  /** What the domain form asks for. Without a `url` among them the kind has no address. */
  configFields: readonly ConfigField[];
  authTypes: readonly ConnectionConfig['authType'][];
  /** True: its files are uploaded into the product, and kept in a folder of the domain. */
  takesFiles?: boolean;
  /** Schemes that its addresses begin with, as `http:`; absent = http and https. */
  urlSchemes?: readonly string[];
  /** What is wrong with the values of the form, each at its field; no call is made. */
  checkConfig?(config: ConnectionConfig, locale: Locale): { field: ConfigField['name']; message: string }[];
  /** A setting that can be drafted from another document; no call is made. */
  draft?: {
    field: ConfigField['name'];
    label: Record<Locale, string>;
    hint: Record<Locale, string>;
    /** The drafted value with notes on what it leaves open, or why there is none, in the locale asked for. */
    make(source: string, locale: Locale): { value: string; notes: string[] } | { problem: string };
  };
  open(config: ConnectionConfig, context: SessionContext): Session;
}
