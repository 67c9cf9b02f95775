import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../platform/call.ts';
import { currentLanguage, setLanguage } from '../../platform/i18n/i18n.ts';
import { logIn, session } from '../../platform/session.ts';
import { useStore } from '../../platform/store.ts';
import { thisYear } from '../../platform/time.ts';
import { Icon, Mark } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';

const Water = () => (
  <svg className="water" viewBox="0 0 1440 900" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
    {Array.from({ length: 11 }, (_, i) => (
      <path
        key={i}
        d={`M0 ${560 + i * 28}H716${i < 6 ? `M724 ${700 + i * 28}H1440` : ''}`}
        stroke="var(--line-strong)"
        opacity={Math.max(0.15, 1 - i * 0.085)}
      />
    ))}
    <path d="M720 470V900" stroke="var(--brand)" strokeWidth="2" opacity=".5" />
  </svg>
);

const useFailureText = (): ((error: unknown) => string) => {
  const { t } = useTranslation();
  return (error) => {
    if (!(error instanceof ApiError)) return t('login.serverError');
    if (error.status === 0) return error.message;
    switch (error.code) {
      case 'INVALID_CREDENTIALS':
        return t('login.wrong');
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
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [isShown, setShown] = useState(false);
  const [isForgot, setForgot] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const nameField = useRef<HTMLInputElement>(null);
  const failureText = useFailureText();
  usePageTitle(t('login.pageTitle'));
  useEffect(() => nameField.current?.focus(), []);

  const handleSubmit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (username.trim() === '' || password === '') {
      setFault(t(username.trim() === '' ? 'login.fillUsername' : 'login.fillPassword'));
      return;
    }
    setBusy(true);
    setFault(null);
    try {
      await logIn(username.trim(), password);
      // The route's own guard goes on to where the user wanted to be.
      await navigate({ to: '/login', search, replace: true });
    } catch (error) {
      setFault(failureText(error));
      setBusy(false);
    }
  };
  const language = currentLanguage();
  return (
    <>
      <a className="skip" href="#main">
        {t('common.skipToMain')}
      </a>
      <main className="login" id="main" tabIndex={-1}>
        <Water />
        <form className="lcard" onSubmit={(event) => void handleSubmit(event)} noValidate>
          <div>
            <Mark className="lm" />
            <h1 style={{ marginTop: 8 }}>{t('login.title')}</h1>
          </div>
          <Notice cause={search.cause} />
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
          <div className="fl">
            <label htmlFor="password">
              {t('login.password')}
              <button
                type="button"
                className="link"
                onClick={() => setForgot((is) => !is)}
                aria-expanded={isForgot}
              >
                {t('login.forgot')}
              </button>
            </label>
            <span className="inp">
              <input
                id="password"
                type={isShown ? 'text' : 'password'}
                autoComplete="current-password"
                disabled={isBusy}
                value={password}
                onChange={(event) => setPassword(event.target.value)}
              />
              <button
                type="button"
                className="iconbtn"
                aria-label={t(isShown ? 'login.hide' : 'login.show')}
                aria-pressed={isShown}
                onClick={() => setShown((is) => !is)}
              >
                <Icon name="eye" />
              </button>
            </span>
            {isForgot ? <p className="hint">{t('login.forgotText')}</p> : null}
          </div>
          {fault ? (
            <p className="note-line bad" role="alert">
              <Icon name="danger" />
              <span>{fault}</span>
            </p>
          ) : null}
          <button className="btn primary" type="submit" disabled={isBusy}>
            {isBusy ? <Icon name="spinner" size="spin" /> : null}
            {t(isBusy ? 'login.submitting' : 'login.submit')}
          </button>
          <p className="mut" style={{ fontSize: 12, lineHeight: '16px', textAlign: 'center' }}>
            {t('login.firstTime')}
          </p>
        </form>
      </main>
      <footer className="lfoot">
        <span>{t('common.rightsReserved', { year: thisYear })}</span>
        <span style={{ display: 'flex', gap: 10 }}>
          {(['EN', 'NL'] as const).map((code) => (
            <button
              key={code}
              type="button"
              className="link"
              lang={code.toLowerCase()}
              aria-pressed={language === code}
              style={
                language === code ? { color: 'var(--text-2)', fontWeight: 600 } : { color: 'var(--text-3)' }
              }
              onClick={() => void setLanguage(code)}
            >
              {code === 'EN' ? 'English' : 'Nederlands'}
            </button>
          ))}
        </span>
      </footer>
    </>
  );
};
