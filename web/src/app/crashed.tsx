import { ErrorView } from '../ui/error-view.tsx';

/** A screen that threw: the server's answer, or a fault of the page itself. */
export const Crashed = ({ error }: { error: unknown }) => <ErrorView error={error} />;
