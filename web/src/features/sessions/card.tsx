import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../../platform/i18n/i18n.ts';
import { pickLanguage } from '../../platform/session.ts';
import { thisYear } from '../../platform/time.ts';
import { Icon, Mark } from '../../ui/icons.tsx';

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

/** The frame of who is not logged in: one card in the middle, the languages at the foot. */
export const CardPage = ({ children }: { children: ReactNode }) => {
  const { t } = useTranslation();
  const language = currentLanguage();
  return (
    <>
      <a className="skip" href="#main">
        {t('common.skipToMain')}
      </a>
      <main className="login" id="main" tabIndex={-1}>
        <Water />
        {children}
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
              onClick={() => void pickLanguage(code)}
            >
              {code === 'EN' ? 'English' : 'Nederlands'}
            </button>
          ))}
        </span>
      </footer>
    </>
  );
};

export const CardTitle = ({ children }: { children: string }) => (
  <div>
    <Mark className="lm" />
    <h1 style={{ marginTop: 8 }}>{children}</h1>
  </div>
);

export const Fault = ({ children }: { children: string | null }) =>
  children === null ? null : (
    <p className="note-line bad" role="alert">
      <Icon name="danger" />
      <span>{children}</span>
    </p>
  );
