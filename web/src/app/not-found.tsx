import { withTexts } from '../platform/i18n/i18n.ts';
import { session } from '../platform/session.ts';
import { useStore } from '../platform/store.ts';
import { ErrorView } from '../ui/error-view.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';

const Shell = lazyPart(withTexts(async () => (await import('./shell.tsx')).Shell, 'inside'));

/** An address that leads nowhere. Who is logged in keeps the menu: the way on need not be the way home. */
export const NotFound = () => {
  const { status } = useStore(session);
  const view = <ErrorView code="404" />;
  return status === 'loggedIn' ? <Shell>{view}</Shell> : view;
};
