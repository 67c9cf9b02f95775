import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../platform/call.ts';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // A refusal stays a refusal; a broken line may be back at the next try.
      retry: (count, error) =>
        count < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 502),
    },
  },
});
