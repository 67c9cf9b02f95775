import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';

/** Says on the log-in page that the session has ended. The browser's own dialog: this page loads nothing bigger. */
export const ExpiredDialog = ({ onClose }: { onClose: () => void }) => {
  const { t } = useTranslation();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="ldialog" aria-labelledby="expired-title" onClose={onClose}>
      <h2 id="expired-title">{t('session.expiredTitle')}</h2>
      <p>{t('login.expired')}</p>
      <form method="dialog">
        <button type="submit" className="btn primary lg">
          {t('session.logInAgain')}
        </button>
      </form>
    </dialog>
  );
};
