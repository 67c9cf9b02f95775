import { describe, expect, it } from 'vitest';
import { type DomainEvent, type DomainState, nextDomainState, shownStatus } from './domain-state.ts';

const start: DomainState = { status: 'NEVER_SYNCED', message: null, failures: 0 };
const after = (...events: DomainEvent[]): DomainState => events.reduce(nextDomainState, start);
const failed: DomainEvent = { type: 'refreshFailed', message: 'HTTP 500' };

describe('states of a domain', () => {
  it('[DOM-03] begins as never synced, and a first complete load makes it active', () => {
    expect(start.status).toBe('NEVER_SYNCED');
    expect(after({ type: 'loaded' }).status).toBe('ACTIVE');
  });
  it('[DOM-03] is OK with a good connection and no company', () => {
    expect(after({ type: 'connectionGood', hasCompanies: false }).status).toBe('OK');
    expect(after({ type: 'loaded' }, { type: 'connectionGood', hasCompanies: true }).status).toBe('ACTIVE');
  });
  it('[DOM-03] refused credentials stay refused until a good test or new credentials', () => {
    const refused = after({ type: 'loaded' }, { type: 'accessRefused', message: '401' });
    expect(refused).toMatchObject({ status: 'INVALID_CREDENTIALS_OR_URL', message: '401' });
    expect(nextDomainState(refused, failed).status).toBe('INVALID_CREDENTIALS_OR_URL');
    expect(nextDomainState(refused, { type: 'saved' }).status).toBe('NEVER_SYNCED');
    expect(nextDomainState(refused, { type: 'loaded' }).status).toBe('ACTIVE');
  });
  it('[DOM-03] three failing refreshes in a row are an error, the next success ends it', () => {
    expect(after({ type: 'loaded' }, failed, failed).status).toBe('ACTIVE');
    const error = after({ type: 'loaded' }, failed, failed, failed);
    expect(error).toMatchObject({ status: 'ERROR_OTHER', message: 'HTTP 500' });
    expect(nextDomainState(error, { type: 'loaded' })).toEqual({
      status: 'ACTIVE',
      message: null,
      failures: 0,
    });
    expect(after(failed, failed, { type: 'loaded' }, failed).status).toBe('ACTIVE');
  });
  it('[DOM-03] spent calls pause it, and the switches of the administrator come before everything', () => {
    const spent = after({ type: 'loaded' }, { type: 'callsSpent', message: 'All 100 calls' });
    expect(spent.status).toBe('SYNC_PAUSED');
    expect(shownStatus({ status: 'ACTIVE', is_active: true, is_paused: true })).toBe('SYNC_PAUSED');
    expect(shownStatus({ status: 'ERROR_OTHER', is_active: false, is_paused: true })).toBe('INACTIVE');
    expect(shownStatus({ status: 'OK', is_active: true, is_paused: false })).toBe('OK');
  });
});
