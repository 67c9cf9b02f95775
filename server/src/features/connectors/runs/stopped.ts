import { ExternalSystemError } from '@sluice/adapter-kit';
import { AppError } from '../../../platform/errors.ts';
import type { StoredText } from '../../../platform/texts.ts';

/** Why a run ends before all was read. */
export class RunStopped extends Error {
  readonly reason: 'cancelled' | 'safetyStop' | 'gone' | 'drift' | 'lookup';

  /** Of a safety stop: how many records would have been deleted. */
  readonly count: number;

  /** In words, where the reason alone does not say it. */
  readonly text: StoredText | null;

  constructor(reason: RunStopped['reason'], count = 0, text: StoredText | null = null) {
    super(reason);
    this.name = 'RunStopped';
    this.reason = reason;
    this.count = count;
    this.text = text;
  }
}

/** Does the error mean that a system refused credentials or rights? */
export const isRefusal = (error: unknown): boolean =>
  (error instanceof ExternalSystemError && ['AUTH', 'FORBIDDEN'].includes(error.code)) ||
  (error instanceof AppError &&
    ['UNAUTHORIZED_FOR_EXTERNAL_SYSTEM', 'UNAUTHORIZED_FOR_EXTERNAL_ENDPOINT', 'FORBIDDEN'].includes(
      error.code,
    ));
