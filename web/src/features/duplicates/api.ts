import type { CollectionMetadata, PendingOperation, ReplyOf, getDuplicates } from '@sluice/contract';
import { useQuery } from '@tanstack/react-query';
import { ApiError, call } from '../../platform/call.ts';
import type { Resource } from './duplicates-model.ts';

/** Groups of a page. */
export const pageSize = 50;
/** Records that one answer holds at most. */
const MAX_RECORDS = 5000;

export interface Duplicates {
  found: ReplyOf<typeof getDuplicates>;
  metadata: CollectionMetadata;
  records: ReadonlyMap<string, Resource>;
  operations: ReadonlyMap<string, PendingOperation>;
}

const read = async (
  collection: string,
  fields: readonly string[] | null,
  offset: number,
  signal: AbortSignal,
): Promise<Duplicates> => {
  const [found, described] = await Promise.all([
    call('getDuplicates', {
      params: { collection },
      query: { ...(fields ? { fields: fields.join(',') } : {}), limit: pageSize, offset },
      signal,
    }),
    call('getRecords', {
      params: { collection },
      query: { limit: 0, noTotal: 'true', metadata: 'field-options' },
      signal,
    }),
  ]);
  if (!described.metadata) throw new ApiError('API_ERR', 0, 'metadata is missing', null);
  const [field] = found.fields;
  const records = new Map<string, Resource>();
  const operations = new Map<string, PendingOperation>();
  if (field !== undefined && found.groups.length > 0) {
    const values = [...new Set(found.groups.map((group) => group.values[0] ?? null))];
    const reply = await call('getRecords', {
      params: { collection },
      query: {
        filter: JSON.stringify([{ field, operator: 'in', values }]),
        limit: MAX_RECORDS,
        noTotal: 'true',
        pendingOperations: 'true',
      },
      signal,
    });
    const wanted = new Set(found.groups.flatMap((group) => group.ids));
    for (const record of 'resources' in reply ? reply.resources : [])
      if (wanted.has(record.internalId)) records.set(record.internalId, record);
    const pending = reply.pendingOperations;
    if (pending)
      for (const one of [...pending.insert, ...pending.update, ...pending.delete])
        operations.set(one.id, one);
  }
  return { found, metadata: described.metadata, records, operations };
};

export const useDuplicates = (collection: string, fields: readonly string[] | null, offset: number) =>
  useQuery({
    queryKey: ['duplicates', collection, fields, offset],
    queryFn: ({ signal }) => read(collection, fields, offset, signal),
    placeholderData: (before) => before,
    staleTime: 0,
    gcTime: 0,
  });
