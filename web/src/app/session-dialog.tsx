import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { leave, logOut, savePreference, sessionEnd } from '../platform/session.ts';
import { errorText } from '../platform/call.ts';
import { useStore } from '../platform/store.ts';
import { DialogFooter } from '../ui/dialog-footer.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { closeAllOverlays } from '../ui/overlays.ts';

const WARNING_MS = 5 * 60_000;

const clock = (ms: number): string => {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

/** Five minutes before the session ends: stay, or log out. At zero it is over. */
export const SessionDialog = () => {
  const { t } = useTranslation();
  const end = useStore(sessionEnd);
  const [warning, setWarning] = useState<{ end: number; left: number } | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    if (end === null) return undefined;
    let wasWarned = false;
    const timer = setInterval(() => {
      const ms = end - Date.now();
      if (ms <= 0) leave('sessionExpired');
      else if (ms <= WARNING_MS) {
        if (!wasWarned) closeAllOverlays();
        wasWarned = true;
        setWarning({ end, left: ms });
      }
    }, 1000);
    return () => clearInterval(timer);
  }, [end]);
  // A prolonged session has another end: the warning about the old one is void.
  if (warning === null || warning.end !== end) return null;
  const { left } = warning;
  const stay = (): void => {
    const now = new Date().toISOString();
    savePreference('options/tutorial/sessionProlongedAt', now, (options) => ({
      ...options,
      tutorial: { ...options.tutorial, sessionProlongedAt: now },
    })).catch((error: unknown) => setFault(errorText(error)));
  };
  return (
    <Dialog
      isOpen
      onClose={stay}
      title={t('session.title', { time: clock(left) })}
      footer={
        <DialogFooter
          close={t('nav.logOut')}
          onClose={() => void logOut()}
          action={{ label: t('session.stay'), onClick: stay, hasFocus: true }}
        />
      }
    >
      <p style={{ padding: '0 20px 20px' }}>{fault ?? t('session.text')}</p>
    </Dialog>
  );
};
