import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, errorText } from '../../platform/call.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { PasswordField } from './password-field.tsx';

/** Asks for the password before something is done with the sign-in itself. */
export const WithPassword = ({
  onGo,
  onClose,
}: {
  onGo: (password: string) => Promise<void>;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await onGo(password);
    } catch (error) {
      const field = error instanceof ApiError ? error.fieldErrors[0] : undefined;
      setFault(field?.message ?? errorText(error));
      setBusy(false);
    }
  };
  return (
    <Dialog isOpen onClose={onClose} title={t('security.confirmTitle')}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <div style={{ padding: '0 20px 16px' }}>
          <PasswordField
            label={t('security.current')}
            value={password}
            autoComplete="current-password"
            error={fault}
            onChange={setPassword}
          />
        </div>
        <div className="dlg-f">
          <span className="sp" />
          <button type="button" className="btn lg" onClick={onClose}>
            {t('common.cancel')}
          </button>
          <button type="submit" className="btn primary lg" disabled={isBusy || password === ''}>
            {t('security.goOn')}
          </button>
        </div>
      </form>
    </Dialog>
  );
};
