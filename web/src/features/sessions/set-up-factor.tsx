import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';

/** The secret for the app, by picture, link or letters, and the first code that proves it has arrived. */
export const SetUpFactor = ({
  secret,
  uri,
  qr,
  onDone,
  onClose,
}: {
  secret: string;
  uri: string;
  /** SVG of the address as QR code. */
  qr: string;
  onDone: (recoveryCodes: readonly string[]) => void;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const [code, setCode] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      onDone((await call('confirmSecondFactor', { body: { code: code.trim() } })).recoveryCodes);
    } catch (error) {
      const field = error instanceof ApiError ? error.fieldErrors[0] : undefined;
      setFault(field?.message ?? errorText(error));
      setBusy(false);
    }
  };
  return (
    <Dialog isOpen onClose={onClose} title={t('security.begin')} width={520}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <div style={{ display: 'grid', gap: 14, padding: '0 20px 16px' }}>
          <p>{t('security.scan')}</p>
          <img
            src={`data:image/svg+xml,${encodeURIComponent(qr)}`}
            alt={t('security.qr')}
            width={200}
            height={200}
            style={{ justifySelf: 'center', background: '#fff', borderRadius: 6 }}
          />
          <p style={{ textAlign: 'center', overflowWrap: 'anywhere' }}>
            <a href={uri}>{t('security.openApp')}</a>
          </p>
          <TextField
            label={t('security.secret')}
            value={(secret.match(/.{1,4}/g) ?? []).join(' ')}
            readOnly
            onChange={() => undefined}
          />
          <TextField
            label={t('security.code')}
            value={code}
            error={fault}
            inputMode="numeric"
            autoComplete="one-time-code"
            isRequired
            onChange={setCode}
            data-autofocus
          />
        </div>
        <div className="dlg-f">
          <span className="sp" />
          <button type="button" className="btn lg" onClick={onClose}>
            {t('common.cancel')}
          </button>
          <button type="submit" className="btn primary lg" disabled={isBusy || code.trim() === ''}>
            {t('security.switchOn')}
          </button>
        </div>
      </form>
    </Dialog>
  );
};
