import { randomUUID } from 'node:crypto';
import { record, type Tx } from '../../platform/mutate.ts';
import { sendNotification } from '../notifications/service.ts';
import { usersWithRight } from '../sessions/rights.ts';
import { type DomainEvent, type DomainState, nextDomainState, shownStatus } from './domain-state.ts';
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
      if (next.status !== domain.status) {
        const seen = shownStatus({ ...domain, status: next.status });
        await store.noteStatus(tx, domainId, { status: seen, message: next.message, userId: null });
        tx.publish({ topic: 'systems' });
        await tellKeepers(tx, domain, next);
      }
    }
  });
  services.catalogue.drop();
}

const problems: readonly DomainState['status'][] = [
  'SYNC_PAUSED',
  'INVALID_CREDENTIALS_OR_URL',
  'ERROR_OTHER',
];

/** Who may change domains hears when one of them has got into trouble (decisions Q-NOTIF-03). */
async function tellKeepers(tx: Tx, domain: store.DomainRow, { status, message }: DomainState): Promise<void> {
  if (!problems.includes(status)) return;
  const system = (await store.listSystems(tx)).find(({ system_id }) => system_id === domain.system_id);
  for (const userId of await usersWithRight(tx, 'domains', 'update'))
    await sendNotification(tx, userId, {
      id: randomUUID(),
      kind: 'domainProblem',
      class: status === 'SYNC_PAUSED' ? 'warning' : 'error',
      title: { key: 'run.message.plain', params: { reason: system?.name ?? domain.name } },
      message: {
        key: `domain.notification.${status}`,
        params: { domain: domain.name, reason: message ?? '' },
      },
      url: `/manage/systems/${system?.url ?? domain.system_id}/domains/${domain.domain_id}/edit`,
    });
}
