import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { keepWork } from '../platform/saved-work.ts';
import { currentUser } from '../platform/session.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface Leaving {
  /** Asked for the screen, or null while nothing is to be asked. */
  question: ReactNode;
  /** Does at once what gives up what was typed, or asks first. */
  leave: (go: () => void) => void;
}

/** What was typed is not lost unseen: one question before another screen, and the browser's own before its end. */
export const useLeaveQuestion = ({
  isUnsaved,
  isBusy = isUnsaved,
  text,
}: {
  isUnsaved: () => boolean;
  /** What the browser asks about before the page closes, where that is more. */
  isBusy?: () => boolean;
  text?: string;
}): Leaving => {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<{ go: () => void } | null>(null);
  // Without a session there is nothing to stay for: what is typed has been kept for the next one (decisions Q-EDIT-02).
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname && currentUser() !== null && isUnsaved(),
    withResolver: true,
    enableBeforeUnload: () => currentUser() !== null && isBusy(),
  });
  const isAsking = blocker.status === 'blocked' || asked !== null;
  const handleNo = (): void => {
    setAsked(null);
    blocker.reset?.();
  };
  const handleYes = (): void => {
    setAsked(null);
    if (blocker.status === 'blocked') blocker.proceed();
    else asked?.go();
  };
  return {
    question: isAsking ? (
      <ConfirmDialog
        title={t('form.leave')}
        text={text ?? t('form.leaveText')}
        no={t('form.leaveStay')}
        yes={t('form.leaveGo')}
        isDanger
        onNo={handleNo}
        onYes={handleYes}
      />
    ) : null,
    leave: (go) => {
      // Escape closes the question and reaches the dialog below it too.
      if (isAsking) return;
      if (isUnsaved()) setAsked({ go });
      else go();
    },
  };
};

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * What is typed into a form: kept when the session ends, to be taken (`takeWork`) by the same form after the next
 * log-in, and asked about before it is given up. `keep` says what may be stored of it: no secrets.
 */
export const useUnfinished = <T,>(
  key: string,
  { start, typed, keep = (values) => values }: { start: T; typed: T; keep?: (values: T) => unknown },
): Leaving & { finish: () => void } => {
  const isFinished = useRef(false);
  const unfinished = useEffectEvent(() => {
    const kept = keep(typed);
    return isFinished.current || isSame(kept, keep(start)) ? undefined : kept;
  });
  useEffect(() => keepWork(key, () => unfinished()), [key]);
  const leaving = useLeaveQuestion({ isUnsaved: () => !isFinished.current && !isSame(start, typed) });
  return {
    ...leaving,
    /** What is typed has been saved. */
    finish: () => {
      isFinished.current = true;
    },
  };
};
