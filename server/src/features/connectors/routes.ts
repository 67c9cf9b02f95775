import * as contract from '@sluice/contract';
import { describeFunctions, describeMacros, describeOperators } from '@sluice/mapping/engine';
import type { Router } from '../../platform/http.ts';
import * as actions from './actions.ts';
import { AppError } from '../../platform/errors.ts';
import { fieldPathsOf, describeWired, metadataOfEnd, optionsOf, requireEnd, wiredOf } from './ends.ts';
import { listLinkedRecords } from './links.ts';
import { listNotedActionIds, readConnectorNote, writeConnectorNote } from './notes.ts';
import * as runs from './runs/service.ts';
import * as tests from './runs/test-run.ts';
import * as connectors from './service.ts';
import { nextTimes } from './schedule.ts';
import { exportConnector, importConnector } from './transfer.ts';

const pageOf = (query: { limit?: number | undefined; offset?: number | undefined }, most: number) => ({
  limit: query.limit === undefined || query.limit < 0 ? most : Math.min(query.limit, most),
  offset: query.offset ?? 0,
});

export function connectorRoutes(router: Router, services: connectors.ConnectorServices): void {
  router.handle(contract.getConnectors, async ({ actor, query }) => {
    const all = query.limit === 0 ? [] : await connectors.listConnectors(services, actor);
    const { limit, offset } = pageOf(query, 1000);
    return {
      resources: all.slice(offset, offset + limit),
      offset,
      maxLimit: 1000,
      total: all.length,
      ...(query.metadata ? { metadata: await connectors.connectorMetadata(services, actor) } : {}),
    };
  });
  router.handle(contract.getConnector, async ({ actor, params, query }) => ({
    resource: await connectors.getConnector(services, actor, params.connectorId),
    ...(query.metadata ? { metadata: await connectors.connectorMetadata(services, actor) } : {}),
  }));
  router.handle(contract.createConnector, async ({ actor, body, reply }) => {
    const internalId = await connectors.createConnector(services, actor, body);
    reply.status(201);
    return { internalId };
  });
  router.handle(contract.updateConnector, async ({ actor, params, body }) => ({
    resource: await connectors.updateConnector(services, actor, params.connectorId, body),
  }));
  router.handle(
    contract.deleteConnector,
    async ({ actor, params, query }) =>
      await connectors.deleteConnector(services, actor, params.connectorId, query),
  );
  router.handle(contract.copyConnector, async ({ actor, params, body, once, reply }) => {
    const copied = await actions.copyConnector(services, actor, params.connectorId, body, once);
    reply.status(201);
    return copied;
  });
  router.handle(
    contract.exportConnector,
    async ({ actor, params }) => await exportConnector(services, actor, params.connectorId),
  );
  router.handle(contract.importConnector, async ({ actor, body, reply }) => {
    const made = await importConnector(services, actor, body);
    reply.status(201);
    return made;
  });
  noteRoutes(router, services);
  actionRoutes(router, services);
  runRoutes(router, services);
}

function noteRoutes(router: Router, services: connectors.ConnectorServices): void {
  router.handle(contract.getConnectorDocumentation, async ({ actor, params }) => ({
    resource: await readConnectorNote(services, actor, params),
    notedActionIds: await listNotedActionIds(services, actor, params.connectorId),
  }));
  router.handle(contract.updateConnectorDocumentation, async ({ actor, params, body }) => ({
    resource: await writeConnectorNote(services, actor, params, body),
  }));
  router.handle(contract.getActionDocumentation, async ({ actor, params }) => ({
    resource: await readConnectorNote(services, actor, params),
  }));
  router.handle(contract.updateActionDocumentation, async ({ actor, params, body }) => ({
    resource: await writeConnectorNote(services, actor, params, body),
  }));
}

function actionRoutes(router: Router, services: connectors.ConnectorServices): void {
  router.handle(contract.getNextTimes, async ({ actor, query }) => {
    connectors.requireConnectorRight(actor, 'read');
    return { times: nextTimes(query.expression, services.timeZone, services.now()) };
  });
  router.handle(contract.getActions, async ({ actor, params, query }) => {
    const all = await actions.listActions(services, actor, params.connectorId);
    const { limit, offset } = pageOf(query, 1000);
    return { resources: all.slice(offset, offset + limit), offset, maxLimit: 1000, total: all.length };
  });
  router.handle(contract.getAction, async ({ actor, params }) => {
    const resource = await actions.getAction(services, actor, params.connectorId, params.actionId);
    const connector = await connectors.requireConnector(services.pool, params.connectorId);
    const [target] = resource.wiring.targets;
    const endOf = async (end: contract.SystemEnd, optionId: string) =>
      await metadataOfEnd(services, actor, end, optionId);
    return {
      resource,
      metadata: {
        target: target ? await endOf(connector.target_system, target.optionId) : null,
        sources: await Promise.all(
          resource.wiring.sources.map(async ({ optionId }) => await endOf(connector.source_system, optionId)),
        ),
        macros: describeMacros(actor.locale, true),
        transformFns: describeFunctions(actor.locale),
        triggerConditionOperators: describeOperators(actor.locale),
      },
    };
  });
  router.handle(contract.createAction, async ({ actor, params, body, reply }) => {
    const internalId = await actions.createAction(services, actor, params.connectorId, body);
    reply.status(201);
    return { internalId };
  });
  router.handle(contract.copyActions, async ({ actor, params, body, once, reply }) => {
    const copied = await actions.copyActions(services, actor, params.connectorId, body, once);
    reply.status(201);
    return copied;
  });
  router.handle(contract.updateAction, async ({ actor, params, body }) => ({
    resource: await actions.updateAction(services, actor, params.connectorId, params.actionId, body),
  }));
  router.handle(
    contract.deleteAction,
    async ({ actor, params, query }) =>
      await actions.deleteAction(services, actor, params.connectorId, params.actionId, query),
  );
  router.handle(
    contract.getVersions,
    async ({ actor, params, query }) =>
      await actions.listVersions(services, actor, params.connectorId, params.actionId, pageOf(query, 100)),
  );
  router.handle(contract.getActionOptions, async ({ actor, params }) => {
    const connector = await connectors.getConnector(services, actor, params.connectorId);
    const source = await requireEnd(services, actor, connector.sourceSystem);
    const target = await requireEnd(services, actor, connector.targetSystem);
    const sourceOptions = optionsOf(services, actor, source);
    const targetOptions = optionsOf(services, actor, target);
    return {
      connector,
      targetOptions,
      sourceOptions,
      defaultTargetOptionId: targetOptions.length === 1 ? (targetOptions[0]?.id ?? null) : null,
      defaultSourceOptionId: sourceOptions.length === 1 ? (sourceOptions[0]?.id ?? null) : null,
    };
  });
  router.handle(contract.getFieldPaths, async ({ actor, params, query }) => {
    const connector = await connectors.getConnector(services, actor, params.connectorId);
    const ends =
      query.end === 'target'
        ? [connector.targetSystem]
        : query.end === 'source'
          ? [connector.sourceSystem]
          : [connector.targetSystem, connector.sourceSystem];
    for (const end of ends) {
      const found = await requireEnd(services, actor, end);
      if (!optionsOf(services, actor, found).some(({ id }) => id === query.id)) continue;
      const { fields } = await describeWired(
        services,
        wiredOf(services, actor, found, query.id),
        actor.locale,
      );
      return { fieldPaths: fieldPathsOf(fields) };
    }
    throw new AppError('NOT_FOUND', {
      text: { key: 'connector.missingOption', params: { id: query.id, system: connector.name } },
    });
  });
}

function runRoutes(router: Router, services: connectors.ConnectorServices): void {
  router.handle(
    contract.getSamples,
    async ({ actor, params, query }) =>
      await tests.getSamples(services, actor, params.connectorId, params.actionId, query),
  );
  router.handle(
    contract.previewLookup,
    async ({ actor, params, body }) =>
      await tests.previewLookup(services, actor, params.connectorId, params.actionId, body),
  );
  router.handle(
    contract.testRun,
    async ({ actor, params, body }) =>
      await tests.testRun(services, actor, params.connectorId, params.actionId, body),
  );
  router.handle(
    contract.expectRun,
    async ({ actor, params, body }) =>
      await tests.expectRun(services, actor, params.connectorId, params.actionId, body),
  );
  router.handle(contract.manualRun, async ({ actor, params, body, once, reply }) => {
    const started = await runs.startManualRun(services, actor, params, body, once);
    reply.status(202);
    return started;
  });
  router.handle(contract.getRunDays, async ({ actor, params }) => ({
    resources: await connectors.listRunDays(services, actor, params.connectorId),
  }));
  router.handle(
    contract.getRuns,
    async ({ actor, params, query }) =>
      await runs.listRuns(services, actor, params.connectorId, params.actionId, pageOf(query, 100)),
  );
  router.handle(
    contract.getRun,
    async ({ actor, params, query }) => await runs.getRun(services, actor, params, pageOf(query, 1000)),
  );
  router.handle(contract.cancelRun, async ({ actor, params }) => ({
    resource: await runs.cancelRun(services, actor, params),
  }));
  router.handle(contract.retryRun, async ({ actor, params, reply }) => {
    const started = await runs.retryRun(services, actor, params);
    reply.status(202);
    return started;
  });
  router.handle(
    contract.retrySourceUpdates,
    async ({ actor, params }) => await runs.retrySourceUpdates(services, actor, params),
  );
  router.handle(
    contract.discardRun,
    async ({ actor, params }) => await runs.discardRun(services, actor, params),
  );
  router.handle(
    contract.getLinks,
    async ({ actor, params, query }) =>
      await listLinkedRecords(services, actor, params.connectorId, params.actionId, {
        ...pageOf(query, 1000),
        search: query.search ?? '',
      }),
  );
}
