import type { Domain } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { call, errorText } from '../../platform/call.ts';
import { toast } from '../../ui/toasts.tsx';
import { useForget } from './api.ts';

/** What can be done with a domain at once, from its row and from its screen. */
export const useDomainActions = (systemId: string, domain: Domain) => {
  const { t } = useTranslation();
  const forget = useForget();
  const params = { systemId, domainId: domain.internalId };
  const run = async (work: () => Promise<unknown>, done: string): Promise<void> => {
    try {
      await work();
      toast('success', done);
      await forget();
    } catch (error) {
      toast('error', errorText(error));
    }
  };
  return {
    refresh: () =>
      void run(
        async () => await call('refreshDomain', { params }),
        t('manage.refreshStarted', { name: domain.name }),
      ),
    togglePause: () =>
      void run(
        async () => await call('updateDomain', { params, body: { isPaused: !domain.isPaused } }),
        t('manage.saved'),
      ),
  };
};
