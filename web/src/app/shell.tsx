import { Outlet } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useChoice } from '../features/systems/api.ts';
import { UiProvider } from '../ui/ui-provider.tsx';
import { Navbar } from './navbar.tsx';
import { SessionDialog } from './session-dialog.tsx';

/** The frame of everyone who is logged in. */
export const Shell = () => {
  const { t } = useTranslation();
  const { choice } = useChoice();
  const isProduction = choice?.levels.some((level) => level.isProduction) ?? false;
  return (
    <UiProvider>
      <a className="skip" href="#main">
        {t('common.skipToMain')}
      </a>
      {isProduction ? <div className="prodline" aria-hidden="true" /> : null}
      <Navbar />
      <Outlet />
      <SessionDialog />
    </UiProvider>
  );
};
