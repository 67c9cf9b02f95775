import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { paths } from './paths.ts';
import { domainParams, paged } from './systems.ts';

export const uploadedFileSchema = z.object({
  name: z.string(),
  /** Bytes. */
  size: z.number().int(),
  modifiedAt: z.string(),
});
export type UploadedFile = z.infer<typeof uploadedFileSchema>;

/** A file's own name: no folders, not hidden. */
const fileParams = domainParams.extend({ name: z.string().regex(/^[^./\\][^/\\\0]{0,199}$/) });

export const getFiles = endpoint({
  route: paths.getFiles,
  summary: 'Files that were uploaded for a domain',
  access: 'user',
  params: domainParams,
  reply: paged(uploadedFileSchema),
});
export const uploadFile = endpoint({
  route: paths.uploadFile,
  summary:
    'Keep a file for a domain; the body is the file (application/octet-stream), one of the same name is replaced',
  access: 'user',
  params: fileParams,
  reply: uploadedFileSchema,
});
export const deleteFile = endpoint({
  route: paths.deleteFile,
  summary: 'Remove an uploaded file',
  access: 'user',
  params: fileParams,
});
