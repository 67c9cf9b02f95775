import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { usePageTitle } from '../../ui/page-title.ts';
import { toast } from '../../ui/toasts.tsx';
import { CardPage, CardTitle, Fault } from './card.tsx';
import { PasswordField } from './password-field.tsx';

const LEAST = 12;

interface Invited {
  kind: 'invitation' | 'reset';
  fullName: string;
  username: string;
}

/** `/set-password#…`: where an invitation, or the link of who forgot his password, leads. */
export const SetPasswordScreen = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  // Read once: what stands behind the `#` is a secret, and goes out of the address at once.
  const [token] = useState(() => location.hash.slice(1));
  const [whom, setWhom] = useState<Invited | 'expired' | null>(null);
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const [faults, setFaults] = useState<{ password?: string; again?: string; other?: string }>({});
  const [isBusy, setBusy] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  usePageTitle(t('signIn.resetTitle'));
  useEffect(() => {
    history.replaceState(history.state, '', location.pathname);
    call('checkLink', { body: { token: token || '-' } })
      .then(setWhom)
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.status < 500 && error.status > 0) setWhom('expired');
        else setFaults({ other: errorText(error) });
      });
  }, [token]);
  useEffect(() => first.current?.focus(), [whom]);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const found = {
      ...(password.length < LEAST ? { password: t('security.tooShort') } : {}),
      ...(password === again ? {} : { again: t('security.differ') }),
    };
    setFaults(found);
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    try {
      await call('resetPassword', { body: { token, password } });
      toast('success', t('signIn.done'));
      await navigate({ to: '/login', replace: true });
    } catch (error) {
      setBusy(false);
      const field = error instanceof ApiError ? error.fieldErrors[0] : undefined;
      if (error instanceof ApiError && error.code === 'LINK_EXPIRED') setWhom('expired');
      else setFaults(field ? { password: field.message } : { other: errorText(error) });
    }
  };
  if (whom === 'expired') {
    return (
      <CardPage>
        <div className="lcard">
          <CardTitle>{t('signIn.linkExpired')}</CardTitle>
          <p>{t('signIn.linkExpiredText')}</p>
          <button
            type="button"
            className="btn primary"
            onClick={() => void navigate({ to: '/login', replace: true })}
          >
            {t('signIn.toLogin')}
          </button>
        </div>
      </CardPage>
    );
  }
  const isWelcome = whom?.kind === 'invitation';
  return (
    <CardPage>
      <form
        className="lcard"
        onSubmit={(event) => void submit(event)}
        noValidate
        aria-busy={whom === null && !faults.other}
      >
        <CardTitle>
          {isWelcome ? t('signIn.welcome', { name: whom.fullName }) : t('signIn.resetTitle')}
        </CardTitle>
        <p style={{ minHeight: 40 }}>
          {whom
            ? t(isWelcome ? 'signIn.welcomeText' : 'signIn.resetText', { username: whom.username })
            : null}
        </p>
        {/* Password managers file the new password under this name. */}
        <input type="text" autoComplete="username" value={whom?.username ?? ''} readOnly hidden />
        <PasswordField
          label={t('security.new')}
          value={password}
          autoComplete="new-password"
          hint={t('security.tooShort')}
          error={faults.password}
          isDisabled={isBusy || whom === null}
          field={first}
          onChange={setPassword}
        />
        <PasswordField
          label={t('security.again')}
          value={again}
          autoComplete="new-password"
          error={faults.again}
          isDisabled={isBusy || whom === null}
          onChange={setAgain}
        />
        <Fault>{faults.other ?? null}</Fault>
        <button className="btn primary" type="submit" disabled={isBusy || whom === null}>
          {t('signIn.save')}
        </button>
      </form>
    </CardPage>
  );
};
