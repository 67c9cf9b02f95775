import { useTranslation } from 'react-i18next';
import { copyText } from '../../ui/clipboard.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { toast } from '../../ui/toasts.tsx';

/** Shown once; who closes it has been told so. */
export const RecoveryCodes = ({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) => {
  const { t } = useTranslation();
  const copy = async (): Promise<void> => {
    if (await copyText(codes.join('\n'))) toast('success', t('security.codesCopied'));
    else toast('warning', t('common.copyRefused'));
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('security.codesTitle')}
      footer={
        <>
          <button type="button" className="btn lg" onClick={() => void copy()} data-autofocus>
            <Icon name="copy" />
            {t('security.codesCopy')}
          </button>
          <span className="sp" />
          <button type="button" className="btn primary lg" onClick={onClose}>
            {t('security.codesKept')}
          </button>
        </>
      }
    >
      <div style={{ padding: '0 20px 16px' }}>
        <p>{t('security.codesText')}</p>
        <ul
          style={{
            display: 'grid',
            gridTemplateColumns: '1fr 1fr',
            gap: '6px 24px',
            padding: '14px 0 0',
            font: '500 14px/20px ui-monospace, Consolas, monospace',
          }}
        >
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
};
