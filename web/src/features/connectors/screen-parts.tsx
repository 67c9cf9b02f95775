import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ErrorView } from '../../ui/error-view.tsx';
import { Icon } from '../../ui/icons.tsx';

/** What stands where a screen's data is not: nothing while it comes, else why it does not. */
export const Waiting = ({ error }: { error: unknown }) =>
  error ? <ErrorView error={error} /> : <main className="page" id="main" tabIndex={-1} aria-busy="true" />;

export const BackToList = ({ label }: { label: string }) => (
  <Link to="/connectors" className="m cn-back">
    <Icon name="back" size="s" />
    {label}
  </Link>
);

export const BackToConnector = ({ connectorId, label }: { connectorId: string; label: string }) => (
  <Link to="/connectors/$connectorId/actions" params={{ connectorId }} className="m cn-back">
    <Icon name="back" size="s" />
    {label}
  </Link>
);

/** The frame of a form: what scrolls, and its buttons below. */
export const FormFrame = ({
  onSubmit,
  footer,
  children,
}: {
  onSubmit: () => void;
  footer: ReactNode;
  children: ReactNode;
}) => (
  <main
    className="page"
    id="main"
    tabIndex={-1}
    style={{ display: 'flex', flexDirection: 'column', overflow: 'hidden' }}
  >
    <form
      noValidate
      style={{ flex: 1, minHeight: 0, display: 'flex', flexDirection: 'column' }}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <div style={{ flex: 1, minHeight: 0, overflow: 'auto' }}>
        <div className="page-in cn-cards" style={{ maxWidth: 880 }}>
          {children}
        </div>
      </div>
      <div className="dlg-f">
        <span className="sp" />
        {footer}
      </div>
    </form>
  </main>
);
