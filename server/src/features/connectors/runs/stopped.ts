import { ExternalSystemError } from '@sluice/adapter-kit';
import { AppError } from '../../../platform/errors.ts';

/** Why a run ends before all was read. */
export class RunStopped extends Error {
  readonly reason: 'cancelled' | 'safetyStop' | 'gone';

  /** Of a safety stop: how many records would have been deleted. */
  readonly count: number;

  constructor(reason: RunStopped['reason'], count = 0) {
    super(reason);
    this.name = 'RunStopped';
    this.reason = reason;
    this.count = count;
  }
}

/** Does the error mean that a system refused credentials or rights? */
export const isRefusal = (error: unknown): boolean =>
  (error instanceof ExternalSystemError && ['AUTH', 'FORBIDDEN'].includes(error.code)) ||
  (error instanceof AppError &&
    ['UNAUTHORIZED_FOR_EXTERNAL_SYSTEM', 'UNAUTHORIZED_FOR_EXTERNAL_ENDPOINT', 'FORBIDDEN'].includes(
      error.code,
    ));
