import { ExternalSystemError } from '@sluice/adapter-kit';
import { AppError } from '../../../platform/errors.ts';

/** Why a run ends before all was read. */
export class RunStopped extends Error {
  readonly reason: 'cancelled' | 'safetyStop' | 'gone';

  constructor(reason: RunStopped['reason'], message: string = reason) {
    super(message);
    this.name = 'RunStopped';
    this.reason = reason;
  }
}

/** Does the error mean that a system refused credentials or rights? */
export const isRefusal = (error: unknown): boolean =>
  (error instanceof ExternalSystemError && ['AUTH', 'FORBIDDEN'].includes(error.code)) ||
  (error instanceof AppError &&
    ['UNAUTHORIZED_FOR_EXTERNAL_SYSTEM', 'UNAUTHORIZED_FOR_EXTERNAL_ENDPOINT', 'FORBIDDEN'].includes(
      error.code,
    ));
