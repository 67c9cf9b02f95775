import { ExternalSystemError, type Outcome, type RecordError, type Turn } from '@sluice/adapter-kit';
import { text } from '../../platform/texts.ts';
import { callOptions, errorOf, isTriedAgain, opOf, publish, type Run, settle, target } from './run.ts';
import { settleConflicts, settleRejected, settleSuccesses, type Success } from './settle.ts';
import type { ItemError, PushItem } from './store.ts';

interface Refused {
  item: PushItem;
  errors: ItemError[];
}

/** What one call to the external system meant for each of its items; nothing of it is stored yet. */
export interface Answers {
  items: readonly PushItem[];
  // Ends of an item, ready to be stored.
  done: Success[];
  rejected: Refused[];
  gone: (Refused & { live: null })[];
  // What needs another call before the item has an end.
  /** The version did not match: somebody wrote the record meanwhile. */
  stale: PushItem[];
  /** The call failed as a whole because of one of them. */
  failed: PushItem[];
  notSent: PushItem[];
  /** How long and why to wait before what was not sent is tried again. */
  pause: { ms: number; reason: string } | null;
  unknown: PushItem[];
  /** The call itself failed. */
  error: ExternalSystemError | null;
}

export const needsCare = (answers: Answers): boolean =>
  answers.error !== null ||
  answers.stale.length + answers.failed.length + answers.notSent.length + answers.unknown.length > 0;

/** Sends items that are marked sent. Throws only what is no failure of the external system. */
export async function callWrite(run: Run, items: readonly PushItem[], turn?: Turn): Promise<Answers> {
  const empty: Answers = {
    items,
    done: [],
    rejected: [],
    gone: [],
    stale: [],
    failed: [],
    notSent: [],
    pause: null,
    unknown: [],
    error: null,
  };
  run.lastCallAt = run.services.now();
  try {
    const call = { ...callOptions(run), ...target(run), ops: items.map(opOf) };
    const outcomes = await run.session.write({ ...call, turn });
    run.failures = 0;
    run.warnedOf = null;
    return readOutcomes(empty, outcomes);
  } catch (error) {
    if (!(error instanceof ExternalSystemError)) throw error;
    return { ...empty, error };
  }
}

function readOutcomes(answers: Answers, outcomes: readonly Outcome[]): Answers {
  const byOp = new Map(outcomes.map((outcome) => [outcome.opId, outcome]));
  const { items, done, rejected, gone, stale, notSent, unknown } = answers;
  const failed: Refused[] = [];
  let pause: Answers['pause'] = null;
  for (const item of items) {
    const outcome = byOp.get(item.op_id);
    switch (outcome?.state) {
      case 'done': {
        const { key, version, values } = outcome;
        done.push({ item, key, live: values ? { key, version, values } : null });
        break;
      }
      case 'rejected':
        rejected.push({ item, errors: outcome.errors.map(errorOfRecord) });
        break;
      case 'gone':
        if (item.action === 'd') done.push({ item, key: item.key ?? '', live: null });
        else gone.push({ item, live: null, errors: [errorOf('NOT_FOUND', text('EN', 'push.gone'), null)] });
        break;
      case 'stale':
        stale.push(item);
        break;
      case 'batchFailed':
        failed.push({ item, errors: outcome.errors.map(errorOfRecord) });
        break;
      case 'notSent':
        notSent.push(item);
        pause = longer(pause, outcome);
        break;
      case 'unknown':
      case undefined:
        // Stays marked sent: in doubt until it has been probed.
        unknown.push(item);
        break;
    }
  }
  const [only] = failed;
  if (only && items.length === 1) {
    if (only.errors.some((error) => error.class === 'conflict')) stale.push(only.item);
    else rejected.push(only);
    return { ...answers, pause };
  }
  return { ...answers, failed: failed.map(({ item }) => item), pause };
}

/** Whoever says how long wants fewer calls (429); of all else the reason is the external system's. */
function longer(
  pause: Answers['pause'],
  { reason, retryAfterMs }: Extract<Outcome, { state: 'notSent' }>,
): Answers['pause'] {
  const ms = retryAfterMs ?? 1000;
  if (pause && pause.ms >= ms) return pause;
  return { ms, reason: retryAfterMs === undefined ? reason : 'push.asksToWait' };
}

const errorOfRecord = ({ errCode, msg, field, class: kind }: RecordError): ItemError => ({
  errCode,
  msg,
  field,
  class: kind,
});

/** Stores the ends that several calls brought in one transaction. */
export async function settleAnswers(run: Run, group: readonly Answers[]): Promise<void> {
  const done = group.flatMap((answers) => answers.done);
  const rejected = group.flatMap((answers) => answers.rejected);
  const gone = group.flatMap((answers) => answers.gone);
  const ended = [...done, ...rejected, ...gone].map(({ item }) => item);
  if (ended.length === 0) return;
  const later = rejected.filter(({ item, errors }) => isTriedAgain(item, errors));
  const at = run.services.now();
  await settle(run, ended.length - later.length, async (tx) => {
    await settleSuccesses(tx, run.model, done, at);
    await settleRejected(tx, run.model, rejected, at);
    await settleConflicts(tx, run.model, gone, at);
    publish(run, tx, ended);
  });
}

export interface Settler {
  add(answers: Answers): void;
  /** Waits until not too much is unsettled; throws what settling threw. */
  room(): Promise<void>;
  /** These are the last records: from now on nothing waits for company, so that little is left after their calls. */
  hurry(): void;
  /** Waits until everything is stored. */
  finish(): Promise<void>;
}

/** More unsettled records than this hold the next call back. */
const maxUnsettled = 2000;
/** A transaction costs the same for one record and for some hundred: it waits for so many, or for so long. */
const enoughRecords = 800;
const longestMs = 500;

/**
 * Stores outcomes while the next calls are on the wire: one transaction at a time, each with all that has come in
 * meanwhile, so that the external system never waits for the database.
 */
export function createSettler(run: Run): Settler {
  let waiting: Answers[] = [];
  let working: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let enough = enoughRecords;
  const unsettled = (): number => waiting.reduce((sum, { items }) => sum + items.length, 0);
  const work = async (): Promise<void> => {
    do {
      const group = waiting;
      waiting = [];
      await settleAnswers(run, group);
    } while (unsettled() >= enough && waiting.length > 0);
    working = null;
    if (waiting.length > 0) startSoon();
  };
  const start = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (working || waiting.length === 0) return;
    working = work();
    // Thrown at the next `room` or `finish`.
    working.catch(() => undefined);
  };
  const startSoon = (): void => {
    if (unsettled() >= enough) start();
    else timer ??= setTimeout(start, longestMs);
  };
  const finish = async (): Promise<void> => {
    do {
      start();
      await working;
    } while (waiting.length > 0);
  };
  return {
    add: (answers) => {
      waiting.push(answers);
      startSoon();
    },
    room: async () => {
      if (unsettled() > maxUnsettled) await finish();
    },
    hurry: () => {
      enough = 0;
      start();
    },
    finish,
  };
}
