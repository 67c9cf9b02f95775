import { useLocation, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { routes } from '../platform/routes.ts';
import { session } from '../platform/session.ts';
import { useStore } from '../platform/store.ts';
import { type Failure, failureOf, isUnauthorized, textsOf } from './error-texts.ts';
import { usePageTitle } from './page-title.ts';

const LONG_TEXT = 250;

const Text = ({ text }: { text: string }) => (
  <p style={text.length >= LONG_TEXT ? { textAlign: 'left' } : undefined}>{text}</p>
);

/** A screen that could not be shown: what went wrong, or simply a code, and the ways on. */
export const ErrorView = ({
  error,
  code,
  message,
  domain,
}: {
  /** Something that was thrown. */
  error?: unknown;
  /** Instead of it, what is known already. */
  code?: string;
  message?: string;
  /** Acronym of the domain that the address names. */
  domain?: string | undefined;
}) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const state = useStore(session);
  const failure: Failure =
    code === undefined ? failureOf(error) : { code, status: null, message: message ?? null, logs: [] };
  const { shownCode, title, text, detail } = textsOf(failure, domain, t);
  usePageTitle(t('error.title', { code: shownCode }));
  const isInside = state.status === 'loggedIn';
  const canManage = isInside && state.rights['domains']?.read === true;
  // A table's address begins with its system.
  const systemId = /^\/data\/([^/]+)/.exec(pathname)?.[1];
  const manage = (): void =>
    void (systemId === undefined
      ? navigate({ to: '/manage/systems' })
      : navigate({ to: routes.manageSystems, params: { systemId } }));
  const isCaching = failure.code === 'NOTHING_CACHED_YET';
  return (
    <main className="page" id="main" tabIndex={-1}>
      <div className="empty error-view">
        <h1>{t('error.title', { code: shownCode })}</h1>
        <h2>{title}</h2>
        <Text text={text} />
        {detail ? <Text text={detail} /> : null}
        <p className="ways">
          {isCaching ? null : (
            <button type="button" className="btn primary lg" onClick={() => void navigate({ to: '/' })}>
              {t('error.goHome')}
            </button>
          )}
          {canManage && (isCaching || isUnauthorized(failure)) ? (
            <button type="button" className="btn lg" onClick={manage}>
              {t('error.manageDomains')}
            </button>
          ) : null}
          {isInside ? null : (
            <button type="button" className="btn lg" onClick={() => void navigate({ to: '/login' })}>
              {t('error.logIn')}
            </button>
          )}
        </p>
        {failure.logs.length > 0 ? (
          <details>
            <summary>{t('error.logs')}</summary>
            <pre>{failure.logs.join('\n')}</pre>
          </details>
        ) : null}
      </div>
    </main>
  );
};
