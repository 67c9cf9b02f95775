import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '@sluice/sandbox';
import {
  type Api,
  connectDomain,
  connectSandbox,
  type Product,
  startProduct,
  startSandbox,
  tableOf,
  waitUntilCached,
} from '@sluice/testing';
import { findSshdProblem, type SftpServer, startSshd } from '@sluice/testing/sshd';
import { describeSystem } from '@sluice/testing/system';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { fromField, makeAction, makeConnector, runAction } from '../test-support/action.ts';

/** A file as an old program writes it: Windows-1252, semicolons, decimal commas. */
describeSystem('a file over SFTP connected to the sandbox', findSshdProblem(), () => {
  let server: SftpServer;
  let sandbox: Sandbox;
  let product: Product;
  let api: Api;
  let suppliers: ReturnType<typeof tableOf>;
  let action: string;

  const write = (lines: string[]): void =>
    writeFileSync(
      join(server.folder, 'leveranciers.csv'),
      Buffer.from(`nummer;naam;rekening;minimum\r\n${lines.join('\r\n')}\r\n`, 'latin1'),
    );

  beforeAll(async () => {
    server = await startSshd();
    write([
      '1;Crème & Zn;NL91ABNA0000000001;1.234,50',
      '2;"Façade; Groß";NL91ABNA0000000002;0,05',
      '3;Ångström;NL91ABNA0000000003;',
    ]);
    sandbox = await startSandbox({ journalEntries: 100 });
    product = await startProduct(inject('postgresUrl'));
    api = product.admin;
    const source = await connectDomain(api, {
      kind: 'sftp',
      systemName: 'Old program',
      url: `sftp://127.0.0.1:${server.port}${server.folder}`,
      database: '',
      username: server.username,
      password: '',
      settings: {
        privateKey: server.privateKey,
        fingerprint: server.fingerprint,
        keys: 'leveranciers: nummer',
        encoding: 'windows-1252',
      },
    });
    const erp = await connectSandbox(api, sandbox, { systemName: 'ERP', database: 'test' });
    suppliers = tableOf(api, erp.table('suppliers'));
    await waitUntilCached(api, suppliers.path);
    const connector = await makeConnector(
      api,
      'Old program to ERP',
      { id: source.systemId, levelIds: [source.domainId] },
      { id: erp.systemId, levelIds: [erp.domainId, `${erp.domainId}.NL01`] },
    );
    const from = (field: string) => fromField('leveranciers', field);
    action = await makeAction(api, connector, {
      name: 'Suppliers',
      source: 'leveranciers',
      target: 'suppliers',
      mappings: [
        { targetField: 'name', mappingSources: from('naam') },
        { targetField: 'iban', isUnique: true, mappingSources: from('rekening') },
        {
          targetField: 'currency',
          mappingSources: [
            {
              sourceOptionId: 'leveranciers',
              source: { type: 'customValue', value: 'EUR' },
              transformFns: [],
            },
          ],
        },
        { targetField: 'minimumOrder', mappingSources: from('minimum') },
      ],
    });
  }, 180_000);
  afterAll(async () => {
    await product?.stop();
    await sandbox?.close();
    await server?.stop();
  });

  it('[MAP-06] letters with accents and decimal commas arrive as they are meant, and a changed file is followed', async () => {
    expect((await runAction(api, action)).counts).toMatchObject({ inserted: 3, failed: 0 });
    const named = async (n: number) => (await suppliers.where('iban', `NL91ABNA000000000${n}`))[0];
    expect(await named(1)).toMatchObject({ name: 'Crème & Zn', minimumOrder: 1234.5, currency: 'EUR' });
    expect(await named(2)).toMatchObject({ name: 'Façade; Groß', minimumOrder: 0.05 });
    expect(await named(3)).toMatchObject({ name: 'Ångström', minimumOrder: null });
    expect((await suppliers.pushAll()).succeeded).toBe(3);
    write(['1;Crème & Zn;NL91ABNA0000000001;1.234,50', '3;Ångström;NL91ABNA0000000003;12,34']);
    expect((await runAction(api, action)).counts).toMatchObject({
      inserted: 0,
      updated: 1,
      deleted: 1,
      unchanged: 1,
    });
    expect((await suppliers.pushAll()).succeeded).toBe(2);
    expect(await named(3)).toMatchObject({ minimumOrder: 12.34 });
    expect(await named(2)).toBeUndefined();
  }, 120_000);

  it('a file that breaks off in the middle of a quote is no reason to delete anything', async () => {
    write(['1;Crème & Zn;NL91ABNA0000000001;1.234,50', '3;"Ångström;NL91ABNA0000000003;12,34']);
    const run = await runAction(api, action);
    expect(run.status).toBe('FAILED');
    expect(run.message).toContain('leveranciers.csv');
    expect(run.counts.deleted).toBe(0);
    expect(await suppliers.pending()).toEqual([]);
  }, 120_000);
});
