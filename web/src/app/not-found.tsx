import { ErrorView } from '../ui/error-view.tsx';

export const NotFound = () => <ErrorView code="404" />;
