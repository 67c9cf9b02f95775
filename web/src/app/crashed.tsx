import { ApiError, errorText } from '../platform/call.ts';
import { ErrorView } from '../ui/error-view.tsx';

/** A screen that threw: the server's answer, or a fault of the page itself. */
export const Crashed = ({ error }: { error: unknown }) => {
  if (error instanceof ApiError) {
    return (
      <ErrorView code={error.code} status={error.status} message={error.message} logs={error.body?.logs} />
    );
  }
  return (
    <ErrorView code="APP_UNEXPECTED_ERROR" message={import.meta.env.DEV ? errorText(error) : undefined} />
  );
};
