import { record } from '../../platform/mutate.ts';
import { type DomainEvent, type DomainState, nextDomainState } from './domain-state.ts';
import type { SystemServices } from './service.ts';
import * as store from './store.ts';

export const stateOf = (domain: store.DomainRow): DomainState => ({
  status: domain.status,
  message: domain.status_message,
  failures: domain.failures,
});

/** Moves a domain along its state machine; workers tell what they met. */
export async function applyDomainEvent(
  services: Pick<SystemServices, 'pool' | 'catalogue'>,
  domainId: string,
  event: DomainEvent,
): Promise<void> {
  await record(services.pool, async (tx) => {
    const domain = await store.lockDomain(tx, domainId);
    if (!domain) return;
    const next = nextDomainState(stateOf(domain), event);
    const synced = event.type === 'loaded' ? { last_sync_at: new Date().toISOString() } : {};
    if (
      next.status !== domain.status ||
      next.message !== domain.status_message ||
      next.failures !== domain.failures ||
      event.type === 'loaded'
    ) {
      await store.updateDomain(tx, domainId, {
        status: next.status,
        status_message: next.message,
        failures: next.failures,
        ...synced,
      });
      if (next.status !== domain.status) tx.publish({ topic: 'systems' });
    }
  });
  services.catalogue.drop();
}
