import { describe, expect, it } from 'vitest';
import { statusOfAction, statusOfConnector } from './status.ts';

const mapped = {
  wiring: { targets: [{ optionId: 'a', path: '', resourceTypeUriId: 'a' }], sources: [] },
  mappings: [
    {
      targetField: 'name',
      group: 'optional' as const,
      isUnique: false,
      ignoreOnLaterRuns: false,
      defaultValue: null,
      mappingSources: [
        { sourceOptionId: 'b', source: { type: 'sourceValue' as const, field: 'x' }, transformFns: [] },
      ],
    },
  ],
};
const action = {
  ...mapped,
  is_active: true,
  problem: null,
  problem_message: null,
  last_run_at: '2026-11-21T10:00:00Z',
};
const message = { key: 'run.message.failed', params: { count: 3 } };

describe('status of an action', () => {
  it('[CONN-09] [ACT-07] follows from what is mapped, switched on and run last', () => {
    expect(statusOfAction(action).status).toBe('ACTIVE');
    expect(statusOfAction({ ...action, last_run_at: null }).status).toBe('NEVER_SYNCED');
    expect(statusOfAction({ ...action, mappings: [] }).status).toBe('MAPPINGS_NOT_SET_UP');
    for (const problem of ['ERROR_SYNC_FAILED', 'ERROR_AUTH_FAILED', 'ERROR_OTHER'] as const)
      expect(statusOfAction({ ...action, problem }).status).toBe(problem);
  });

  it('switched off comes before its last error, whose words stay', () => {
    const off = {
      ...action,
      is_active: false,
      problem: 'ERROR_SYNC_FAILED' as const,
      problem_message: message,
    };
    expect(statusOfAction(off)).toEqual({ status: 'INACTIVE', message });
  });
});

describe('status of a connector', () => {
  it('is the worst of its active actions', () => {
    const failed = { ...action, problem: 'ERROR_SYNC_FAILED' as const, problem_message: message };
    const refused = { ...action, problem: 'ERROR_AUTH_FAILED' as const };
    expect(statusOfConnector([action, failed, refused]).status).toBe('ERROR_AUTH_FAILED');
    expect(statusOfConnector([action, failed])).toEqual({ status: 'ERROR_SYNC_FAILED', message });
    expect(statusOfConnector([action, { ...refused, is_active: false }]).status).toBe('ACTIVE');
    expect(statusOfConnector([{ ...action, is_active: false }]).status).toBe('INACTIVE');
    expect(statusOfConnector([]).status).toBe('MAPPINGS_NOT_SET_UP');
    expect(statusOfConnector([action, { ...action, last_run_at: null }]).status).toBe('NEVER_SYNCED');
  });
});
