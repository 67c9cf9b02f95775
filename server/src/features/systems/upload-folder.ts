import { rm } from 'node:fs/promises';
import { uploadFolderOf } from '@sluice/adapter-files';
import type { SystemServices } from './service.ts';

/** A domain that is gone leaves no files behind. */
export async function dropFiles(services: Pick<SystemServices, 'uploads'>, domainId: string): Promise<void> {
  await rm(uploadFolderOf(services.uploads, domainId), { recursive: true, force: true });
}
