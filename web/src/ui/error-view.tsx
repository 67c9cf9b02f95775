import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { session } from '../platform/session.ts';
import { useStore } from '../platform/store.ts';
import { usePageTitle } from './page-title.ts';

const UNAUTHORIZED = new Set([
  'UNAUTHORIZED_FOR_EXTERNAL_ENDPOINT',
  'UNAUTHORIZED_FOR_EXTERNAL_SYSTEM',
  '403',
  'FORBIDDEN',
]);
const LONG_TEXT = 250;

/** Codes with texts of their own; the product's named codes are looked up by their status. */
const useTexts = (
  code: string,
  status: number | undefined,
  message: string | undefined,
  domain: string | undefined,
): { shown: string; title: string; text: string } => {
  const { t } = useTranslation();
  const inDomain = domain ? t('error.inDomain', { acronym: domain }) : '';
  const isOwn = /^\d{3}$/.test(code);
  const shown =
    isOwn || ['NOTHING_CACHED_YET'].includes(code) || UNAUTHORIZED.has(code) || code.startsWith('APP')
      ? code
      : String(status ?? code);
  switch (shown) {
    case '400':
    case '403':
    case '404':
    case '405':
    case '500':
      return { shown, title: t(`error.e${shown}`), text: message ?? t(`error.e${shown}Text`) };
    case 'FORBIDDEN':
      return { shown: '403', title: t('error.e403'), text: t('error.e403Text') };
    case 'UNAUTHORIZED_FOR_EXTERNAL_ENDPOINT':
      return { shown, title: t('error.endpoint'), text: t('error.endpointText', { domain: inDomain }) };
    case 'UNAUTHORIZED_FOR_EXTERNAL_SYSTEM':
      return { shown, title: t('error.system'), text: t('error.systemText', { domain: inDomain }) };
    case 'NOTHING_CACHED_YET':
      return { shown, title: t('error.nothingCached'), text: t('error.nothingCachedText') };
  }
  if (shown.startsWith('APP')) return { shown, title: t('error.app'), text: message ?? t('error.appText') };
  if (/^4\d\d$/.test(shown)) return { shown, title: t('error.e4XX'), text: message ?? t('error.e4XXText') };
  if (/^5\d\d$/.test(shown)) return { shown, title: t('error.e5XX'), text: message ?? t('error.e5XXText') };
  return { shown: code, title: t('error.generic'), text: message ?? t('error.genericText') };
};

export const ErrorView = ({
  code,
  status,
  message,
  logs,
  domain,
}: {
  code: string;
  status?: number | undefined;
  message?: string | undefined;
  logs?: readonly string[] | undefined;
  domain?: string | undefined;
}) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const state = useStore(session);
  const { shown, title, text } = useTexts(code, status, message, domain);
  usePageTitle(t('error.title', { code: shown }));
  const isInside = state.status === 'loggedIn';
  const canManage = isInside && state.rights['domains']?.read === true;
  const isCaching = code === 'NOTHING_CACHED_YET';
  return (
    <main className="page" id="main" tabIndex={-1}>
      <div className="empty" style={{ paddingTop: '14vh', maxWidth: 620 }}>
        <p className="mut">{t('error.title', { code: shown })}</p>
        <h2>{title}</h2>
        <p style={text.length >= LONG_TEXT ? { textAlign: 'left' } : undefined}>{text}</p>
        {logs?.length ? (
          <details style={{ textAlign: 'left', width: '100%' }}>
            <summary>{t('error.logs')}</summary>
            <pre style={{ overflow: 'auto', fontSize: 12 }}>{logs.join('\n')}</pre>
          </details>
        ) : null}
        <div style={{ display: 'flex', gap: 8 }}>
          {isCaching ? null : (
            <button type="button" className="btn primary lg" onClick={() => void navigate({ to: '/' })}>
              {t('error.goHome')}
            </button>
          )}
          {canManage && (isCaching || UNAUTHORIZED.has(code)) ? (
            <button type="button" className="btn lg" onClick={() => void navigate({ to: '/manage/systems' })}>
              {t('error.manageDomains')}
            </button>
          ) : null}
          {isInside ? null : (
            <button type="button" className="btn lg" onClick={() => void navigate({ to: '/login' })}>
              {t('error.logIn')}
            </button>
          )}
        </div>
      </div>
    </main>
  );
};
