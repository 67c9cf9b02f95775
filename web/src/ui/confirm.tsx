import { useState } from 'react';
import { errorText } from '../platform/call.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
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
    <ConfirmDialog
      title={title}
      text={text}
      yes={submit}
      isDanger={isDanger}
      isBusy={isBusy}
      onNo={onClose}
      onYes={() => void go()}
    />
  );
};
