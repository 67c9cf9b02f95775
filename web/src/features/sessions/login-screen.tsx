import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call } from '../../platform/call.ts';
import { logIn, session } from '../../platform/session.ts';
import { useStore } from '../../platform/store.ts';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { CardPage, CardTitle, Fault } from './card.tsx';
import { keepRedirect } from '../../platform/kept-redirect.ts';
import { ExpiredDialog } from './expired-dialog.tsx';
import { PasswordField } from './password-field.tsx';
import { lastWay, rememberWay } from './last-way.ts';

const useFailureText = (): ((error: unknown, hasCode: boolean) => string) => {
  const { t } = useTranslation();
  return (error, hasCode) => {
    if (!(error instanceof ApiError)) return t('login.serverError');
    if (error.status === 0) return error.message;
    switch (error.code) {
      case 'INVALID_CREDENTIALS':
        return t(hasCode ? 'signIn.wrongCode' : 'login.wrong');
      case 'NOT_AUTHORIZED_FOR_APPLICATION':
        return t('login.notAuthorized');
      case 'TOO_MANY_REQUESTS':
        return t('login.tooMany');
      default:
        return error.status === 401 ? t('login.wrong') : t('login.serverError');
    }
  };
};

const Notice = ({ cause }: { cause: string | undefined }) => {
  const { t } = useTranslation();
  const state = useStore(session);
  const reason = cause ?? (state.status === 'anonymous' ? state.cause : 'none');
  if (reason !== 'sessionExpired' && reason !== 'loggedOut') return null;
  return (
    <p className="note">
      <Icon name="info" />
      <span>{t(reason === 'loggedOut' ? 'login.loggedOut' : 'login.expired')}</span>
    </p>
  );
};

export const LoginScreen = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const search = useSearch({ from: '/login' });
  const providers = useQuery({
    queryKey: ['providers'],
    queryFn: () => call('getProviders'),
    retry: false,
    staleTime: Infinity,
  });
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  /** Null until the server asks for the second factor. */
  const [code, setCode] = useState<string | null>(null);
  const [isExpiredTold, setExpiredTold] = useState(search.cause === 'sessionExpired');
  const [isUnfolded, setUnfolded] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const nameField = useRef<HTMLInputElement>(null);
  const codeField = useRef<HTMLInputElement>(null);
  const failureText = useFailureText();
  const isCodeAsked = code !== null;
  usePageTitle(t('login.pageTitle'));
  const enabled = (providers.data?.resources ?? []).filter((provider) => provider.isEnabled);
  // The way used last comes first; all others are a click away.
  const first = enabled.find(({ id }) => id === lastWay()) ?? null;
  const isFormShown = first === null || isUnfolded;
  const shown = first === null || isUnfolded ? enabled : [first];
  useEffect(() => (isCodeAsked ? codeField : nameField).current?.focus(), [isCodeAsked, isFormShown]);

  const handleSubmit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (username.trim() === '' || password === '' || code?.trim() === '') {
      const missing =
        username.trim() === ''
          ? 'login.fillUsername'
          : password === ''
            ? 'login.fillPassword'
            : 'signIn.fillCode';
      setFault(t(missing));
      return;
    }
    setBusy(true);
    setFault(null);
    try {
      await logIn(username.trim(), password, code?.trim());
      rememberWay('password');
      // The route's own guard goes on to where the user wanted to be.
      await navigate({ to: '/login', search, replace: true });
    } catch (error) {
      setBusy(false);
      if (error instanceof ApiError && error.code === 'SECOND_FACTOR_NEEDED') setCode('');
      else setFault(failureText(error, isCodeAsked));
    }
  };

  const goTo = async (provider: string): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      if (search.redirect !== undefined) keepRedirect(search.redirect);
      const { redirectURL } = await call('providerLogin', { params: { provider } });
      rememberWay(provider);
      location.assign(redirectURL);
    } catch (error) {
      setFault(failureText(error, false));
      setBusy(false);
    }
  };

  if (isCodeAsked) {
    return (
      <CardPage>
        <form className="lcard" onSubmit={(event) => void handleSubmit(event)} noValidate>
          <CardTitle>{t('signIn.codeTitle')}</CardTitle>
          <p>{t('signIn.codeText')}</p>
          <div className="fl">
            <label htmlFor="code">{t('signIn.code')}</label>
            <span className="inp">
              <input
                id="code"
                ref={codeField}
                autoComplete="one-time-code"
                autoCapitalize="none"
                spellCheck={false}
                disabled={isBusy}
                value={code}
                onChange={(event) => setCode(event.target.value)}
              />
            </span>
          </div>
          <Fault>{fault}</Fault>
          <button className="btn primary" type="submit" disabled={isBusy}>
            {t(isBusy ? 'login.submitting' : 'login.submit')}
          </button>
          <button
            type="button"
            className="link"
            onClick={() => {
              setCode(null);
              setPassword('');
              setFault(null);
            }}
          >
            {t('signIn.toLogin')}
          </button>
        </form>
      </CardPage>
    );
  }
  return (
    <CardPage>
      {isExpiredTold ? (
        <ExpiredDialog
          onClose={() => {
            setExpiredTold(false);
            // Told a moment later: whoever is in a field by then stays there.
            if (document.activeElement === document.body) nameField.current?.focus();
          }}
        />
      ) : null}
      <form className="lcard" onSubmit={(event) => void handleSubmit(event)} noValidate>
        <CardTitle>{t('login.title')}</CardTitle>
        <Notice cause={search.cause} />
        {shown.map((provider) => (
          <button
            key={provider.id}
            type="button"
            className="pbtn"
            disabled={isBusy}
            onClick={() => void goTo(provider.id)}
          >
            <Icon name={provider.kind === 'business' ? 'briefcase' : 'school'} />
            {t('signIn.continueWith', { provider: provider.name })}
          </button>
        ))}
        {enabled.length > 0 && isFormShown ? <div className="or">{t('login.or')}</div> : null}
        {isFormShown ? (
          <>
            <div className="fl">
              <label htmlFor="username">{t('login.username')}</label>
              <span className="inp">
                <input
                  id="username"
                  ref={nameField}
                  autoComplete="username"
                  autoCapitalize="none"
                  spellCheck={false}
                  disabled={isBusy}
                  value={username}
                  onChange={(event) => setUsername(event.target.value)}
                />
              </span>
            </div>
            <PasswordField
              label={t('login.password')}
              value={password}
              autoComplete="current-password"
              isDisabled={isBusy}
              onChange={setPassword}
            />
          </>
        ) : null}
        <Fault>{fault}</Fault>
        {isFormShown ? (
          <button className="btn primary" type="submit" disabled={isBusy}>
            {isBusy ? <Icon name="spinner" size="spin" /> : null}
            {t(isBusy ? 'login.submitting' : 'login.submit')}
          </button>
        ) : null}
        <div style={{ display: 'flex', justifyContent: 'space-between', fontSize: 13, minHeight: 20 }}>
          {isFormShown ? <Link to="/forgot-password">{t('login.forgot')}</Link> : <span />}
          {first === null ? null : (
            <button
              type="button"
              className="link"
              aria-expanded={isUnfolded}
              onClick={() => setUnfolded((is) => !is)}
            >
              {t(isUnfolded ? 'login.fewerOptions' : 'login.otherOptions')}
            </button>
          )}
        </div>
        {isFormShown ? (
          <p className="mut" style={{ fontSize: 12, lineHeight: '16px', textAlign: 'center' }}>
            {t('login.firstTime')}
          </p>
        ) : null}
      </form>
    </CardPage>
  );
};
