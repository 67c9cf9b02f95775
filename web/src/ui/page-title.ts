import { useEffect } from 'react';

/** Page name, a dash, the site name. */
export const usePageTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} - Sluice`;
  }, [title]);
};
