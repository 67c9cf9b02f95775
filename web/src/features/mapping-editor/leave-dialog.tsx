import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';

/** What is not saved would be lost: a question, with staying as the careful answer. */
export const LeaveDialog = ({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) => {
  const { t } = useTranslation();
  return (
    <ConfirmDialog
      title={t('form.leave')}
      text={t('mapping.leaveText')}
      no={t('form.leaveStay')}
      yes={t('form.leaveGo')}
      isDanger
      onNo={onStay}
      onYes={onLeave}
    />
  );
};
