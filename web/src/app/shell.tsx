import { Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isMenuRefused, useChoice, useMenu } from '../features/systems/api.ts';
import { thisYear } from '../platform/time.ts';
import { ErrorView } from '../ui/error-view.tsx';
import { UiProvider } from '../ui/ui-provider.tsx';
import { Navbar } from './navbar.tsx';
import { Onboarding } from './onboarding.tsx';
import { SessionDialog } from './session-dialog.tsx';

/** The frame of everyone who is logged in: `children` instead of what the address names. */
export const Shell = ({ children }: { children?: ReactNode }) => {
  const { t } = useTranslation();
  const { choice, isLoading } = useChoice();
  const { error } = useMenu(choice, !isLoading);
  const isProduction = choice?.levels.some((level) => level.isProduction) ?? false;
  return (
    <UiProvider>
      <a className="skip" href="#main">
        {t('common.skipToMain')}
      </a>
      {isProduction ? <div className="prodline" aria-hidden="true" /> : null}
      <Navbar />
      {isMenuRefused(error) ? <ErrorView error={error} /> : (children ?? <Outlet />)}
      <footer className="page-foot">{t('common.rightsReserved', { year: thisYear })}</footer>
      <SessionDialog />
      <Onboarding />
    </UiProvider>
  );
};
