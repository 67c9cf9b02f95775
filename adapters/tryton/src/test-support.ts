import type {
  CallOptions,
  ConnectionConfig,
  Outcome,
  RecordError,
  Session,
  WriteOp,
} from '@sluice/adapter-kit';
import type { FieldDescriptor, Locale } from '@sluice/contract';
import { trytonAdapter } from './index.ts';

export function configOf(
  server: Pick<ConnectionConfig, 'url' | 'database' | 'username' | 'password'>,
): ConnectionConfig {
  const { url, database, username, password } = server;
  const oAuth = { clientId: '', clientSecret: '', tokenUrl: '', scope: '', settings: {} };
  return { url, database, username, password, authType: 'basic', ...oAuth };
}

/** A session, and the number of requests that it has made. */
export function openSession(config: ConnectionConfig, requestTimeoutMs = 60_000) {
  const counter = { calls: 0 };
  const session = trytonAdapter.open(config, {
    budget: {
      acquire(_, signal) {
        signal.throwIfAborted();
        counter.calls += 1;
        return Promise.resolve();
      },
      observe() {},
    },
    requestTimeoutMs,
    now: () => new Date(),
  });
  return { session, counter };
}

export function callOptions(
  company: number | null,
  locale: Locale = 'EN',
  signal?: AbortSignal,
): CallOptions {
  return {
    levels: company === null ? [] : [String(company)],
    locale,
    callClass: 'push',
    signal: signal ?? new AbortController().signal,
  };
}

/** The fields that a collection is cached with. */
export async function visibleFields(session: Session, collection: string, options: CallOptions) {
  const { fields } = await session.describe(collection, options);
  return fields.filter((field) => !field.isHidden);
}

export interface Target {
  session: Session;
  collection: string;
  fields: FieldDescriptor[];
  options: CallOptions;
}

export async function openTarget(
  session: Session,
  collection: string,
  options: CallOptions,
): Promise<Target> {
  return { session, collection, options, fields: await visibleFields(session, collection, options) };
}

/** Pushes as an engine would: in batches, halving those that were undone because of one record. */
export async function pushBisecting(target: Target, ops: readonly WriteOp[]): Promise<Map<string, Outcome>> {
  const { session, collection, fields, options } = target;
  const outcomes = new Map<string, Outcome>();
  const push = async (batch: readonly WriteOp[]): Promise<void> => {
    const answer = await session.write({ ...options, collection, fields, ops: [...batch] });
    const failed = new Set(
      answer.flatMap((outcome) => (outcome.state === 'batchFailed' ? [outcome.opId] : [])),
    );
    for (const outcome of answer) if (!failed.has(outcome.opId)) outcomes.set(outcome.opId, outcome);
    const again = batch.filter((op) => failed.has(op.opId));
    if (again.length === 0) return;
    const middle = Math.ceil(again.length / 2);
    await push(again.slice(0, middle));
    await push(again.slice(middle));
  };
  const { size } = session.caps.batch;
  for (let start = 0; start < ops.length; start += size) await push(ops.slice(start, start + size));
  return outcomes;
}

export function errorsOf(outcome: Outcome | undefined): RecordError[] {
  return outcome?.state === 'rejected' || outcome?.state === 'batchFailed' ? outcome.errors : [];
}
