import type { DomainStatus } from '@sluice/contract';

/** What is stored; INACTIVE and SYNC_PAUSED by a person are switches on top of it (decisions Q-ST-01). */
export interface DomainState {
  status: Exclude<DomainStatus, 'INACTIVE'>;
  message: string | null;
  failures: number;
}

export type DomainEvent =
  | { type: 'saved' }
  | { type: 'connectionGood'; hasCompanies: boolean }
  | { type: 'loaded' }
  | { type: 'callsSpent'; message: string }
  | { type: 'accessRefused'; message: string }
  | { type: 'refreshFailed'; message: string };

const failuresUntilError = 3;

export function nextDomainState(state: DomainState, event: DomainEvent): DomainState {
  switch (event.type) {
    case 'saved':
      // New credentials deserve a new try; whether they work shows at the next call.
      return state.status === 'INVALID_CREDENTIALS_OR_URL'
        ? { status: 'NEVER_SYNCED', message: null, failures: 0 }
        : state;
    case 'connectionGood':
      if (!event.hasCompanies) return { status: 'OK', message: null, failures: 0 };
      return state.status === 'INVALID_CREDENTIALS_OR_URL'
        ? { status: 'NEVER_SYNCED', message: null, failures: 0 }
        : state;
    case 'loaded':
      return { status: 'ACTIVE', message: null, failures: 0 };
    case 'callsSpent':
      return { ...state, status: 'SYNC_PAUSED', message: event.message };
    case 'accessRefused':
      return { ...state, status: 'INVALID_CREDENTIALS_OR_URL', message: event.message };
    case 'refreshFailed': {
      const failures = state.failures + 1;
      if (state.status === 'INVALID_CREDENTIALS_OR_URL') return { ...state, failures };
      return failures >= failuresUntilError
        ? { status: 'ERROR_OTHER', message: event.message, failures }
        : { ...state, message: event.message, failures };
    }
  }
}

/** What people see: the switches of the administrator come first. */
export function shownStatus(state: { status: string; is_active: boolean; is_paused: boolean }): DomainStatus {
  if (!state.is_active) return 'INACTIVE';
  return state.is_paused ? 'SYNC_PAUSED' : (state.status as DomainStatus);
}
