import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, errorText } from '../../platform/call.ts';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { CardPage, CardTitle, Fault } from './card.tsx';

/** `/forgot-password`: the answer is the same whether the account exists or not. */
export const ForgotScreen = () => {
  const { t } = useTranslation();
  const [username, setUsername] = useState('');
  const [state, setState] = useState<'asking' | 'busy' | 'sent'>('asking');
  const [fault, setFault] = useState<string | null>(null);
  const providers = useQuery({ queryKey: ['providers'], queryFn: () => call('getProviders'), retry: false });
  const field = useRef<HTMLInputElement>(null);
  usePageTitle(t('signIn.forgotTitle'));
  useEffect(() => field.current?.focus(), []);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (username.trim() === '') {
      setFault(t('login.fillUsername'));
      return;
    }
    setState('busy');
    setFault(null);
    try {
      await call('forgotPassword', { body: { username: username.trim() } });
      setState('sent');
    } catch (error) {
      setFault(errorText(error));
      setState('asking');
    }
  };
  const back = (
    <Link to="/login" style={{ textAlign: 'center', fontSize: 13 }}>
      {t('signIn.toLogin')}
    </Link>
  );
  return (
    <CardPage>
      <form className="lcard" onSubmit={(event) => void submit(event)} noValidate>
        <CardTitle>{t('signIn.forgotTitle')}</CardTitle>
        {providers.data?.canMail === false ? (
          <p className="note">
            <Icon name="info" />
            <span>{t('signIn.noMail')}</span>
          </p>
        ) : state === 'sent' ? (
          <output className="note">
            <Icon name="info" />
            <span>{t('signIn.forgotSent')}</span>
          </output>
        ) : (
          <>
            <p>{t('signIn.forgotText')}</p>
            <div className="fl">
              <label htmlFor="username">{t('login.username')}</label>
              <span className="inp">
                <input
                  id="username"
                  ref={field}
                  autoComplete="username"
                  autoCapitalize="none"
                  spellCheck={false}
                  value={username}
                  onChange={(event) => setUsername(event.target.value)}
                />
              </span>
            </div>
            <Fault>{fault}</Fault>
            <button className="btn primary" type="submit" disabled={state === 'busy'}>
              {t('signIn.forgotSend')}
            </button>
          </>
        )}
        {back}
      </form>
    </CardPage>
  );
};
