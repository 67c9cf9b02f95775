import { Dialog } from '../../ui/dialog.tsx';

/** A question with two answers; the careful one has the focus. */
export const ConfirmDialog = ({
  title,
  text,
  no,
  yes,
  isDanger = false,
  onNo,
  onYes,
}: {
  title: string;
  text: string;
  no: string;
  yes: string;
  isDanger?: boolean;
  onNo: () => void;
  onYes: () => void;
}) => (
  <Dialog
    isOpen
    onClose={onNo}
    title={title}
    footer={
      <>
        <span className="sp" />
        <button type="button" className="btn lg" onClick={onNo} data-autofocus>
          {no}
        </button>
        <button type="button" className={`btn lg ${isDanger ? 'danger' : 'primary'}`} onClick={onYes}>
          {yes}
        </button>
      </>
    }
  >
    <p style={{ padding: '0 20px 20px' }}>{text}</p>
  </Dialog>
);
