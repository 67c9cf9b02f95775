import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../platform/call.ts';
import { Dialog } from './dialog.tsx';
import { toast } from './toasts.tsx';

/** Asks before something that cannot be taken back; stays open while it is done, and when it fails. */
export const Confirm = ({
  title,
  text,
  submit,
  isDanger = true,
  onConfirm,
  onClose,
}: {
  title: string;
  text: string;
  submit: string;
  isDanger?: boolean;
  onConfirm: () => Promise<void>;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const [isBusy, setBusy] = useState(false);
  const go = async (): Promise<void> => {
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      toast('error', errorText(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      footer={
        <>
          <span className="sp" />
          <button type="button" className="btn lg" onClick={onClose}>
            {t('common.cancel')}
          </button>
          <button
            type="button"
            className={`btn ${isDanger ? 'danger' : 'primary'} lg`}
            disabled={isBusy}
            onClick={() => void go()}
            data-autofocus
          >
            {submit}
          </button>
        </>
      }
    >
      <p style={{ padding: '0 20px 20px' }}>{text}</p>
    </Dialog>
  );
};
