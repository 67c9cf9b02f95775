import * as contract from '@sluice/contract';
import type { Router } from '../../platform/http.ts';
import { companyContents, domainActivity } from './activity.ts';
import { externalSystems } from './catalogue.ts';
import { listCompanies, patchCompanies, requestRefresh } from './companies.ts';
import { testConnection } from './connection-test.ts';
import { adapterKinds } from './domain-form.ts';
import { draftSetting } from './draft-setting.ts';
import * as systems from './service.ts';
import { listFiles, removeFile, saveFile } from './uploads.ts';

const pageOf = <T>(resources: T[]): { resources: T[]; offset: number; maxLimit: number; total: number } => ({
  resources,
  offset: 0,
  maxLimit: 5000,
  total: resources.length,
});

export function systemRoutes(router: Router, services: systems.SystemServices): void {
  router.handle(contract.getExternalSystems, async ({ actor }) =>
    pageOf(externalSystems(await services.catalogue.systems(), services.connections, actor)),
  );
  router.handle(contract.getAdapterKinds, async ({ locale }) => ({
    resources: adapterKinds(services, locale),
  }));
  router.handle(contract.getSystems, async ({ actor }) => pageOf(await systems.listSystems(services, actor)));
  router.handle(contract.createSystem, async ({ actor, body, reply }) => {
    reply.status(201);
    return await systems.createSystem(services, actor, body);
  });
  router.handle(
    contract.updateSystem,
    async ({ actor, params, body }) => await systems.updateSystem(services, actor, params.systemId, body),
  );
  router.handle(
    contract.deleteSystem,
    async ({ actor, params }) => await systems.deleteSystem(services, actor, params.systemId),
  );

  router.handle(contract.getDomains, async ({ actor, params }) =>
    pageOf(await systems.listDomains(services, actor, params.systemId)),
  );
  router.handle(contract.getDomain, async ({ actor, params }) => ({
    resource: await systems.getDomain(services, actor, params.systemId, params.domainId),
  }));
  router.handle(contract.createDomain, async ({ actor, params, body, reply }) => {
    reply.status(201);
    return await systems.createDomain(services, actor, params.systemId, body);
  });
  router.handle(
    contract.updateDomain,
    async ({ actor, params, body }) =>
      await systems.updateDomain(services, actor, params.systemId, params.domainId, body),
  );
  router.handle(
    contract.deleteDomain,
    async ({ actor, params, query }) =>
      await systems.deleteDomain(services, actor, params.systemId, params.domainId, query.confirm === 'true'),
  );
  router.handle(
    contract.testConnection,
    async ({ actor, params, body }) => await testConnection(services, actor, params.systemId, body),
  );
  router.handle(
    contract.draftSetting,
    async ({ actor, params, body }) => await draftSetting(services, actor, params.systemId, body.source),
  );
  router.handle(
    contract.refreshDomain,
    async ({ actor, params }) => await requestRefresh(services, actor, params.systemId, params.domainId),
  );
  router.handle(contract.getFiles, async ({ actor, params }) =>
    pageOf(await listFiles(services, actor, params.systemId, params.domainId)),
  );
  router.handle(
    contract.uploadFile,
    async ({ actor, params, request }) => await saveFile(services, actor, params, request.raw),
  );
  router.handle(contract.deleteFile, async ({ actor, params }) => await removeFile(services, actor, params));
  router.handle(contract.getDomainActivity, async ({ actor, params }) => ({
    resource: await domainActivity(services, actor, params.systemId, params.domainId),
  }));
  router.handle(contract.getCompanyContents, async ({ actor, params }) =>
    pageOf(await companyContents(services, actor, params.systemId, params.domainId)),
  );
  router.handle(contract.getCompanies, async ({ actor, params }) =>
    pageOf(await listCompanies(services, actor, params.systemId, params.domainId)),
  );
  router.handle(contract.patchCompanies, async ({ actor, params, body }) => ({
    resources: await patchCompanies(services, actor, params.systemId, params.domainId, body),
  }));
}
