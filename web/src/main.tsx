import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import { App } from './app/app.tsx';
import { reportError, reportErrors } from './app/report-errors.ts';
import { connectSession } from './app/connect-session.ts';
import { preloadScreen } from './app/preload-screen.ts';
import { ApiError } from './platform/call.ts';
import { startI18n, t } from './platform/i18n/i18n.ts';
import { askSession, loadSession, session } from './platform/session.ts';
import { applyTheme, theme } from './platform/theme.ts';
import { toast } from './ui/toasts.tsx';

applyTheme(theme.get());
reportErrors();
connectSession();
// What the first screen needs is asked for at once, not one thing after the other.
const usersLanguage = askSession();
preloadScreen();
await startI18n(usersLanguage);
try {
  await loadSession();
} catch (error) {
  // The server cannot say who we are: the log-in page shows, and tries say why.
  console.error(error);
  session.set({ status: 'anonymous', cause: 'none' });
  toast('error', t('error.network'));
}

const root = document.querySelector('#root');
if (root) {
  createRoot(root, {
    // A screen that threw while it was drawn: an error page stands in its place. What a server answered is no fault here.
    onCaughtError: (error) => {
      console.error(error);
      if (!(error instanceof ApiError)) reportError(error);
    },
  }).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
