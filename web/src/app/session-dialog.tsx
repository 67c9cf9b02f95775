import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../platform/call.ts';
import {
  answerStay,
  lastActivity,
  leave,
  logOut,
  logOutInactive,
  savePreference,
  session,
  sessionEnd,
  stayedAt,
} from '../platform/session.ts';
import { useStore } from '../platform/store.ts';
import { DialogFooter } from '../ui/dialog-footer.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { closeAllOverlays, isSessionEnding } from '../ui/overlays.ts';

const WARNING_MS = 5 * 60_000;
/** How long the question after inactivity waits for an answer. */
const INACTIVE_MS = 60_000;

const clock = (ms: number): string => {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

type Warning = { kind: 'end'; end: number; left: number } | { kind: 'inactive'; left: number };

/** What is due: the end of the session comes before inactivity, so that only one of them is asked. */
const warningAt = (now: number, end: number | null, minutes: number, since: number): Warning | null => {
  if (end !== null && end - now <= WARNING_MS) return { kind: 'end', end, left: end - now };
  const left = since + minutes * 60_000 - now;
  return minutes > 0 && left <= 0 ? { kind: 'inactive', left: left + INACTIVE_MS } : null;
};

/** Before the session ends, and when nobody seems to be there: stay, or log out. At zero it is over. */
export const SessionDialog = () => {
  const { t } = useTranslation();
  const end = useStore(sessionEnd);
  const state = useStore(session);
  const minutes = state.status === 'loggedIn' ? state.inactivityMinutes : 0;
  const [warning, setWarning] = useState<Warning | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const asked = useRef<{ kind: Warning['kind'] | null; since: number }>({ kind: null, since: 0 });
  useEffect(() => {
    const timer = setInterval(() => {
      const { kind, since } = asked.current;
      // While the question stands, moving the mouse is no answer, nor is a call in the background: the
      // time that counts stands still until somebody says so, here or in another tab.
      const counted = kind === 'inactive' ? Math.max(since, stayedAt.get()) : lastActivity.get();
      const due = warningAt(Date.now(), end, minutes, counted);
      if (due && due.left <= 0) {
        if (due.kind === 'end') leave('sessionExpired');
        else void logOutInactive();
        return;
      }
      isSessionEnding.set(due !== null);
      if (due && due.kind !== kind) closeAllOverlays();
      asked.current = { kind: due?.kind ?? null, since: counted };
      setWarning(due);
    }, 1000);
    return () => clearInterval(timer);
  }, [end, minutes]);
  useEffect(() => () => isSessionEnding.set(false), []);
  // A prolonged session has another end: the warning about the old one is void.
  if (warning === null || (warning.kind === 'end' && warning.end !== end)) return null;
  const stay = (): void => {
    const now = new Date().toISOString();
    answerStay();
    savePreference('options/tutorial/sessionProlongedAt', now, { isBackground: false })
      .then(() => setWarning(null))
      .catch((error: unknown) => setFault(errorText(error)));
  };
  const isEnd = warning.kind === 'end';
  const time = clock(warning.left);
  return (
    <Dialog
      isOpen
      onClose={stay}
      title={isEnd ? t('session.title', { time }) : t('session.inactiveTitle')}
      footer={
        <DialogFooter
          close={t('nav.logOut')}
          onClose={() => void logOut()}
          action={{ label: t('session.stay'), onClick: stay, hasFocus: true }}
        />
      }
    >
      <p style={{ padding: '0 20px 20px' }}>
        {fault ?? (isEnd ? t('session.text') : t('session.inactiveText', { time }))}
      </p>
    </Dialog>
  );
};
