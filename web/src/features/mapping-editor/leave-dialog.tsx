import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/dialog.tsx';

/** What is not saved would be lost: a question, with staying as the careful answer. */
export const LeaveDialog = ({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) => {
  const { t } = useTranslation();
  return (
    <Dialog
      isOpen
      onClose={onStay}
      title={t('form.leave')}
      footer={
        <>
          <span className="sp" />
          <button type="button" className="btn lg" onClick={onStay} data-autofocus>
            {t('form.leaveStay')}
          </button>
          <button type="button" className="btn lg danger" onClick={onLeave}>
            {t('form.leaveGo')}
          </button>
        </>
      }
    >
      <p className="mp-say">{t('mapping.leaveText')}</p>
    </Dialog>
  );
};
