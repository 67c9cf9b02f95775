import type { DomainCompany } from '@sluice/contract';
import type { Actor, UserActor } from '../../platform/actor.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate } from '../../platform/mutate.ts';
import { findSystem } from './catalogue.ts';
import { testTimeoutMs } from './connection-test.ts';
import { applyDomainEvent } from './domain-events.ts';
import { learnTables, readResourceTypes } from './resource-types.ts';
import { externalError, requireRight, type SystemServices } from './service.ts';
import * as store from './store.ts';

export async function listCompanies(
  services: SystemServices,
  actor: UserActor,
  systemId: string,
  domainId: string,
): Promise<DomainCompany[]> {
  requireRight(actor, 'companies', 'read');
  await findDomainOf(services, systemId, domainId);
  const session = await services.connections.of(domainId);
  try {
    const live = await session.companies({
      locale: actor.locale,
      signal: AbortSignal.timeout(testTimeoutMs),
    });
    const stored = new Map(
      (await store.listCompanies(services.pool, domainId)).map((company) => [company.company_id, company]),
    );
    await applyDomainEvent(services, domainId, {
      type: 'connectionGood',
      hasCompanies: [...stored.values()].some((company) => company.is_active),
    });
    return live.map((company) => ({
      internalId: company.id,
      internalName: company.name,
      internalAcronym: company.acronym,
      internalActive: stored.get(company.id)?.is_active ?? false,
    }));
  } catch (error) {
    throw externalError(error);
  }
}

export async function patchCompanies(
  services: SystemServices,
  actor: Actor,
  systemId: string,
  domainId: string,
  changes: readonly { internalId: string; internalActive: boolean }[],
): Promise<DomainCompany[]> {
  await findDomainOf(services, systemId, domainId);
  const session = await services.connections.of(domainId);
  const options = { locale: actor.locale, signal: AbortSignal.timeout(testTimeoutMs) };
  const live = await session.companies(options).catch((error: unknown) => {
    throw externalError(error);
  });
  await readResourceTypes(services, domainId).catch((error: unknown) => {
    throw externalError(error);
  });
  const companies = await mutate(
    { pool: services.pool, actor },
    'companies.update',
    { endpoint: 'companies', action: 'update' },
    async (tx) => {
      await store.saveCompanies(tx, domainId, live);
      for (const [index, { internalId, internalActive }] of changes.entries()) {
        if (!(await store.setCompanyActive(tx, domainId, internalId, internalActive))) {
          throw new AppError('VALIDATION', {
            fields: [{ field: `[${index}].internalId`, code: null, params: { x: internalId } }],
          });
        }
      }
      tx.audit(`domain:${domainId}`, { changes });
      tx.publish({ topic: 'systems' });
      return await store.listCompanies(tx, domainId);
    },
  );
  services.catalogue.drop();
  await services.wantRefresh(domainId);
  return companies.map((company) => ({
    internalId: company.company_id,
    internalName: company.name,
    internalAcronym: company.acronym,
    internalActive: company.is_active,
  }));
}

async function findDomainOf(
  services: SystemServices,
  systemId: string,
  domainId: string,
): Promise<store.DomainRow> {
  const system = await findSystem(services.catalogue, systemId);
  const domain = await store.findDomain(services.pool, domainId);
  if (domain?.system_id !== system.system_id) throw new AppError('NOT_FOUND');
  return domain;
}

export async function requestRefresh(
  services: SystemServices,
  actor: UserActor,
  systemId: string,
  domainId: string,
): Promise<void> {
  await findDomainOf(services, systemId, domainId);
  requireRight(actor, 'domains', 'update');
  const { kind } = await findSystem(services.catalogue, systemId);
  await learnTables(services, kind, domainId);
  await services.wantRefresh(domainId);
}
