import type { CompanyContent, DomainActivity, Locale } from '@sluice/contract';
import type { UserActor } from '../../platform/actor.ts';
import { AppError } from '../../platform/errors.ts';
import { text } from '../../platform/texts.ts';
import { type CatalogueDomain, findSystem, titleOf } from './catalogue.ts';
import { requireRight, type SystemServices } from './service.ts';
import * as store from './store.ts';
import type { TableReading } from './table-reading.ts';

const plottedDays = 14;
const shownStatuses = 50;

export async function domainActivity(
  services: SystemServices,
  actor: UserActor,
  systemId: string,
  domainId: string,
): Promise<DomainActivity> {
  requireRight(actor, 'domains', 'read');
  const domain = await findDomain(services, systemId, domainId);
  const { pool, timeZone } = services;
  const [calls, statuses, tables] = await Promise.all([
    store.readCalls(pool, domainId, plottedDays, timeZone),
    store.listStatuses(pool, domainId, shownStatuses),
    services.readingOf(pool, domainId),
  ]);
  const { locale } = actor;
  return {
    calls,
    reading: {
      tables: tables.length,
      waiting: tables.filter((table) => table.is_waiting).length,
      current: tables
        .filter((table) => table.is_reading)
        .map((table) => ({
          title: titleOfTable(domain, table, locale),
          loaded: table.loaded,
          expected: table.expected,
        })),
      failed: tables.flatMap((table) =>
        table.message === null || table.is_reading
          ? []
          : [{ title: titleOfTable(domain, table, locale), message: table.message }],
      ),
    },
    history: statuses.map(({ at, status, message, user_id, user_name }) => ({
      at,
      status,
      message,
      by: user_id === null ? null : (user_name ?? text(locale, 'job.formerUser')),
    })),
  };
}

export async function companyContents(
  services: SystemServices,
  actor: UserActor,
  systemId: string,
  domainId: string,
): Promise<CompanyContent[]> {
  requireRight(actor, 'companies', 'read');
  await findDomain(services, systemId, domainId);
  return await services.contentsOf(services.pool, domainId);
}

async function findDomain(
  services: SystemServices,
  systemId: string,
  domainId: string,
): Promise<CatalogueDomain> {
  const { domains } = await findSystem(services.catalogue, systemId);
  const found = domains.find(({ domain_id }) => domain_id === domainId);
  if (!found) throw new AppError('NOT_FOUND');
  return found;
}

function titleOfTable(domain: CatalogueDomain, table: TableReading, locale: Locale): string {
  const type = domain.resourceTypes.find(({ uri_id }) => uri_id === table.uri_id);
  const company = domain.companies.find(({ company_id }) => company_id === table.company_id);
  return [type ? titleOf(type, locale) : table.uri_id, table.attribute_id, company?.acronym]
    .filter((part) => part)
    .join(', ');
}
