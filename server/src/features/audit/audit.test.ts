import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Api, type Product, startProduct } from '@sluice/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { verifyAudit } from './verify.ts';

let product: Product;
let admin: Api;

const listReply = z.object({
  resources: z.array(
    z.looseObject({
      seq: z.number(),
      actorName: z.string(),
      verb: z.string(),
      area: z.string(),
      target: z.string().nullable(),
    }),
  ),
  total: z.number(),
});
const list = async (query = '') => await admin.get(`/api/v1/manage/audit?${query}`, listReply);
const addRole = async (name: string): Promise<void> => {
  const body = { name, description: '', rights: [], externalSystemRights: [] };
  await admin.send('POST', '/api/v1/manage/roles', body, z.unknown());
};

beforeAll(async () => {
  product = await startProduct(inject('postgresUrl'), { roles: ['web'] });
  admin = product.admin;
  for (const name of ['One', 'Two, "quoted"', '=1+1']) await addRole(name);
});
afterAll(async () => await product?.stop());

describe('the audit log', () => {
  it('tells who did what, the newest first, by area, time and text', async () => {
    const { resources, total } = await list();
    expect(total).toBe(resources.length);
    expect(resources[0]).toMatchObject({
      actorName: 'Ada Minster',
      verb: 'role.create',
      area: 'people',
      details: { name: '=1+1' },
      targetName: '=1+1',
    });
    const login = (await list('area=signIn')).resources.find(({ verb }) => verb === 'session.login');
    expect(login).toMatchObject({ targetName: 'Ada Minster' });
    expect(resources.at(-1)?.seq).toBe(1);
    expect((await list('area=signIn')).resources.map(({ verb }) => verb)).toContain('session.login');
    expect((await list('area=people')).resources.every(({ area }) => area === 'people')).toBe(true);
    expect((await list('search=quoted')).total).toBe(1);
    expect((await list('search=%25')).total).toBe(0);
    expect((await list('dateFrom=2000-01-01&dateTo=2000-01-02')).total).toBe(0);
    expect((await list('limit=1&offset=1')).resources[0]?.seq).toBe((resources[0]?.seq ?? 0) - 1);
  });

  it('is for who has the right, as a file too', async () => {
    const plain = await product.addUser({ username: 'plain' });
    expect((await plain.call('GET', '/api/v1/manage/audit')).status).toBe(403);
    expect((await plain.call('GET', '/api/v1/manage/audit/export')).status).toBe(403);
    const reader = await product.addUser({
      username: 'reader',
      rights: [{ endpointId: 'audit', create: false, read: true, update: false, delete: false }],
    });
    expect((await reader.call('GET', '/api/v1/manage/audit')).status).toBe(200);
  });

  it('is exported as CSV that no spreadsheet takes for formulas', async () => {
    const answer = await admin.call('GET', '/api/v1/manage/audit/export?area=people');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = String(answer.body).split('\r\n');
    expect(lines[0]).toBe('number,at,actor,actorId,area,verb,target,details');
    expect(lines).toHaveLength(3 + 2);
    expect(lines[2]).toContain(String.raw`""name"": ""Two, \""quoted\""""`.replaceAll('": ', '":'));
    await product.query(`insert into audit (actor_name, verb) values ('=cmd()', 'user.update')`);
    expect(String((await admin.call('GET', '/api/v1/manage/audit/export?area=people')).body)).toContain(
      ",'=cmd(),",
    );
  });
});

describe('the chain of the audit log', () => {
  const verify = async (expected?: string) => await verifyAudit(product.app.pool, expected);
  /** As somebody with all rights on the database could: past the triggers, and put back afterwards. */
  const tampered = async (statements: string): Promise<string | null> => {
    await product.query('create table kept as select * from audit');
    await product.query('create table kept_head as select * from audit_head');
    await product.query(`set session_replication_role = replica; ${statements}`);
    const { problem } = await verify();
    await product.query(
      `set session_replication_role = replica; delete from audit;
       insert into audit overriding system value select * from kept;
       delete from audit_head; insert into audit_head select * from kept_head; drop table kept, kept_head`,
    );
    return problem;
  };
  beforeEach(async () => expect((await verify()).problem).toBeNull());

  it('is in order after changes one by one and at the same moment', async () => {
    const before = (await verify()).checked;
    await Promise.all(Array.from({ length: 20 }, async (_, n) => await addRole(`At once ${n}`)));
    const { checked, problem } = await verify();
    expect(problem).toBeNull();
    expect(checked).toBe(before + 20);
  });

  it('breaks at a row that was changed, and names it', async () => {
    const { seq } = (await list('search=quoted')).resources[0] ?? { seq: 0 };
    for (const change of [
      `actor_name = 'Somebody Else'`,
      `verb = 'role.delete'`,
      `target = null`,
      `details = '{}'`,
      `at = at - interval '1 second'`,
      `actor_user_id = 99`,
    ]) {
      expect(await tampered(`update audit set ${change} where seq = ${seq}`), change).toContain(
        `The content of row ${seq} (`,
      );
    }
  });

  it('breaks where a row was removed, within and at the end, and where one was put in', async () => {
    const { checked } = await verify();
    expect(await tampered('delete from audit where seq = 2')).toContain('Rows 2 to 2 are missing');
    expect(await tampered(`delete from audit where seq = ${checked}`)).toContain(
      `Rows ${checked} to ${checked} are missing at the end`,
    );
    expect(await tampered('delete from audit_head')).toContain('is gone');
    expect(
      await tampered(
        `update audit set seq = seq + 1000000 where seq > 2; update audit set seq = seq - 999999 where seq > 1000000;
         insert into audit (seq, actor_name, verb, hash) values (3, 'Ghost', 'role.create', sha256('x'))`,
      ),
    ).toContain('row 3 (');
  });

  it('shows a log that was written anew whole to who kept an older fingerprint', async () => {
    const { fingerprint } = await verify();
    await addRole('After it');
    expect((await verify(fingerprint)).isExpectedFound).toBe(true);
    expect((await verify('0'.repeat(64))).isExpectedFound).toBe(false);
  });

  it('refuses changes and removals by the ordinary way', async () => {
    for (const statement of ['update audit set verb = verb', 'delete from audit', 'truncate audit'])
      await expect(product.query(statement)).rejects.toThrow(/neither changed nor removed/);
  });

  it('the command says in words whether the log is in order, and fails when it is not', async () => {
    const run = () =>
      spawnSync(process.execPath, [fileURLToPath(new URL('../../audit-verify.ts', import.meta.url))], {
        env: {
          PATH: process.env['PATH'],
          DATABASE_URL: product.databaseUrl,
          SLUICE_SECRET_KEY: '0'.repeat(64),
        },
        encoding: 'utf8',
      });
    const good = run();
    expect(good.stdout).toMatch(/The audit log is in order: \d+ rows/);
    expect(good.status).toBe(0);
    await product.query(
      `set session_replication_role = replica; update audit set actor_name = 'Nobody' where seq = 3`,
    );
    const bad = run();
    expect(bad.stderr).toContain('The audit log has been tampered with.');
    expect(bad.stderr).toContain('row 3 (');
    expect(bad.status).toBe(1);
    await product.query(
      `set session_replication_role = replica; update audit set actor_name = 'Ada Minster' where seq = 3`,
    );
  });
});
