import type { ActionStatus } from '@sluice/contract';
import type { StoredText } from '../notifications/service.ts';
import type { ActionRow } from './store.ts';

type Facts = Pick<
  ActionRow,
  'is_active' | 'problem' | 'problem_message' | 'last_run_at' | 'wiring' | 'mappings'
>;

/**
 * Set up: a target is wired and something is mapped to it; whether every mandatory field is, is looked at when it is
 * saved and before it runs, because it needs the target's description.
 */
function isSetUp({ wiring, mappings }: Pick<ActionRow, 'wiring' | 'mappings'>): boolean {
  return wiring.targets.length === 1 && mappings.some(({ mappingSources }) => mappingSources.length > 0);
}

/** Decisions Q-ST-02: not set up before all; switched off before the rest, with the last error as its text. */
export function statusOfAction(action: Facts): { status: ActionStatus; message: StoredText | null } {
  const message = action.problem_message;
  if (!isSetUp(action)) return { status: 'MAPPINGS_NOT_SET_UP', message };
  if (!action.is_active) return { status: 'INACTIVE', message };
  if (action.problem) return { status: action.problem, message };
  return { status: action.last_run_at === null ? 'NEVER_SYNCED' : 'ACTIVE', message: null };
}

const worstFirst: readonly ActionStatus[] = [
  'ERROR_AUTH_FAILED',
  'ERROR_OTHER',
  'ERROR_SYNC_FAILED',
  'MAPPINGS_NOT_SET_UP',
  'NEVER_SYNCED',
  'ACTIVE',
];

/** Decisions Q-ST-03: derived from its actions, never stored. */
export function statusOfConnector(actions: readonly Facts[]): {
  status: ActionStatus;
  message: StoredText | null;
} {
  if (!actions.some(isSetUp)) return { status: 'MAPPINGS_NOT_SET_UP', message: null };
  const active = actions.filter(({ is_active }) => is_active);
  if (active.length === 0) return { status: 'INACTIVE', message: null };
  const states = active.map(statusOfAction);
  for (const status of worstFirst) {
    const found = states.find((state) => state.status === status);
    if (found) return found;
  }
  return { status: 'ACTIVE', message: null };
}
