import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { finishProviderLogin } from '../../platform/session.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { CardPage, CardTitle } from './card.tsx';
import { dropRedirect, keptRedirect } from '../../platform/kept-redirect.ts';

type State = { step: 'loading' } | { step: 'unauthorized' } | { step: 'error'; error: unknown };

/** A code works once: React's second mount in development must not use it again. */
const running = new Map<string, Promise<'in' | 'unauthorized'>>();
const finish = (provider: string, query: string): Promise<'in' | 'unauthorized'> => {
  const known = running.get(query) ?? finishProviderLogin(provider, query);
  running.set(query, known);
  return known;
};

/** `/auth/{provider}/callback`: where a provider sends people back to. */
export const CallbackScreen = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { provider } = useParams({ from: '/auth/$provider/callback' });
  const [state, setState] = useState<State>({ step: 'loading' });
  const [query] = useState(() => location.search);
  usePageTitle(t('signIn.loggingIn'));
  useEffect(() => {
    finish(provider, query)
      .then(async (result) => {
        if (result === 'unauthorized') setState({ step: 'unauthorized' });
        else {
          const to = keptRedirect() ?? '/';
          dropRedirect();
          await navigate({ to: '/redirect', search: { to }, replace: true });
        }
      })
      .catch((error: unknown) => setState({ step: 'error', error }));
  }, [provider, query, navigate]);
  if (state.step === 'error') {
    return <ErrorView error={state.error} />;
  }
  if (state.step === 'unauthorized') {
    return (
      <CardPage>
        <div className="lcard">
          <CardTitle>{t('signIn.notAuthorized')}</CardTitle>
          <p>{t('login.notAuthorized')}</p>
          <button
            type="button"
            className="btn primary"
            onClick={() => void navigate({ to: '/', replace: true })}
          >
            {t('error.goHome')}
          </button>
        </div>
      </CardPage>
    );
  }
  return (
    <CardPage>
      <div className="lcard" style={{ justifyItems: 'center' }} aria-busy="true">
        <Icon name="spinner" size="spin" />
        <output>{t('signIn.loggingIn')}</output>
      </div>
    </CardPage>
  );
};
