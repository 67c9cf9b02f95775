import type { ReactNode } from 'react';
import { DialogFooter } from './dialog-footer.tsx';
import { Dialog } from './dialog.tsx';

/** A question with two answers. The careful one has the focus, unless the other can be taken back. */
export const ConfirmDialog = ({
  title,
  text,
  no,
  yes,
  isDanger = false,
  isBusy = false,
  isYesFocused = false,
  onNo,
  onYes,
}: {
  title: string;
  text: ReactNode;
  /** 'Cancel' unless told otherwise. */
  no?: string;
  yes: string;
  isDanger?: boolean;
  isBusy?: boolean;
  isYesFocused?: boolean;
  onNo: () => void;
  onYes: () => void;
}) => (
  <Dialog
    isOpen
    onClose={onNo}
    title={title}
    footer={
      <DialogFooter
        close={no}
        hasCloseFocus={!isYesFocused}
        onClose={onNo}
        action={{ label: yes, onClick: onYes, isDanger, isDisabled: isBusy, hasFocus: isYesFocused }}
      />
    }
  >
    <p style={{ padding: '0 20px 20px' }}>{text}</p>
  </Dialog>
);
