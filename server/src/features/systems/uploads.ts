import fs from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { uploadFolderOf } from '@sluice/adapter-files';
import type { UploadedFile } from '@sluice/contract';
import type { Actor, UserActor } from '../../platform/actor.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate } from '../../platform/mutate.ts';
import { findSystem } from './catalogue.ts';
import { learnTables } from './resource-types.ts';
import { requireRight, type SystemServices } from './service.ts';
import * as store from './store.ts';

interface Place {
  kind: string;
  folder: string;
}

/** Folder of a domain whose kind takes files. */
async function placeOf(services: SystemServices, systemId: string, domainId: string): Promise<Place> {
  const { system_id: id, kind } = await findSystem(services.catalogue, systemId);
  const domain = await store.findDomain(services.pool, domainId);
  const adapter = services.connections.adapters.get(kind);
  if (domain?.system_id !== id || !adapter?.takesFiles) throw new AppError('NOT_FOUND');
  return { kind, folder: uploadFolderOf(services.uploads, domain.domain_id) };
}

async function describe(folder: string, name: string): Promise<UploadedFile> {
  const { size, mtime } = await stat(path.join(folder, name));
  return { name, size, modifiedAt: mtime.toISOString() };
}

export async function listFiles(
  services: SystemServices,
  actor: UserActor,
  systemId: string,
  domainId: string,
): Promise<UploadedFile[]> {
  requireRight(actor, 'domains', 'read');
  const { folder } = await placeOf(services, systemId, domainId);
  if (!fs.existsSync(folder)) return [];
  const found = await fs.promises.readdir(folder, { withFileTypes: true });
  const names = found
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
  return await Promise.all(names.toSorted().map(async (name) => await describe(folder, name)));
}

/** Keeps a file as it streams in; a half one is never seen. Its tables are known afterwards. */
export async function saveFile(
  services: SystemServices,
  actor: Actor,
  params: { systemId: string; domainId: string; name: string },
  content: Readable,
): Promise<UploadedFile> {
  requireRight(actor, 'domains', 'update');
  const { domainId, name } = params;
  const { kind, folder } = await placeOf(services, params.systemId, domainId);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const part = path.join(folder, `.${crypto.randomUUID()}`);
  try {
    await pipeline(content, fs.createWriteStream(part, { mode: 0o600 }));
    await mutate(
      { pool: services.pool, actor },
      'domain.uploadFile',
      { endpoint: 'domains', action: 'update' },
      async (tx) => {
        tx.audit(`domain:${domainId}`, { name, size: (await stat(part)).size });
        tx.publish({ topic: 'domain', domainId });
        await rename(part, path.join(folder, name));
      },
    );
  } finally {
    await rm(part, { force: true });
  }
  await readAgain(services, kind, domainId);
  return await describe(folder, name);
}

export async function removeFile(
  services: SystemServices,
  actor: Actor,
  params: { systemId: string; domainId: string; name: string },
): Promise<void> {
  const { domainId, name } = params;
  const { kind, folder } = await placeOf(services, params.systemId, domainId);
  if (!fs.existsSync(path.join(folder, name))) throw new AppError('NOT_FOUND');
  await mutate(
    { pool: services.pool, actor },
    'domain.removeFile',
    { endpoint: 'domains', action: 'update' },
    async (tx) => {
      tx.audit(`domain:${domainId}`, { name });
      tx.publish({ topic: 'domain', domainId });
      await rm(path.join(folder, name));
    },
  );
  await readAgain(services, kind, domainId);
}

/** What columns a file has is found out anew, and the tables that somebody opened are read again. */
async function readAgain(services: SystemServices, kind: string, domainId: string): Promise<void> {
  services.connections.forget(domainId);
  await learnTables(services, kind, domainId);
  await services.wantRefresh(domainId);
}
