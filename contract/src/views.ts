import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { paths } from './paths.ts';
import { authorSchema } from './pending.ts';
import { viewBodySchema } from './view-query.ts';

const collectionParams = z.object({ collection: z.string() });
const viewParams = collectionParams.extend({ viewId: z.uuid() });

/** A way of looking at a table that has a name: filter, order, columns. */
export const savedViewBodySchema = z
  .object({
    name: z.string().trim().min(1).max(100),
    /** True: everybody who may read the table sees it; only its owner and superusers change it. */
    isShared: z.boolean(),
    view: viewBodySchema,
    /** Columns in shown order; absent ones follow in the metadata's order. */
    columns: z
      .array(
        z.object({
          field: z.string().max(300),
          isHidden: z.boolean(),
          width: z.number().int().min(20).max(2000).nullable(),
          isPinned: z.boolean(),
        }),
      )
      .max(2000),
  })
  .strict();

export const savedViewSchema = savedViewBodySchema.extend({
  viewId: z.uuid(),
  owner: authorSchema,
  isOwn: z.boolean(),
  revision: z.number().int(),
});
export type SavedView = z.infer<typeof savedViewSchema>;

export const listViews = endpoint({
  route: paths.listViews,
  summary: "One's own and the shared views of a table, by name",
  access: 'user',
  params: collectionParams,
  reply: z.object({ resources: z.array(savedViewSchema) }),
});

export const createView = endpoint({
  route: paths.createView,
  summary: 'Keep a view under a name',
  access: 'user',
  params: collectionParams,
  body: savedViewBodySchema,
  reply: z.object({ resource: savedViewSchema }),
});

export const updateView = endpoint({
  route: paths.updateView,
  summary: 'Change a saved view',
  access: 'user',
  params: viewParams,
  body: savedViewBodySchema.partial().extend({ revision: z.number().int() }).strict(),
  reply: z.object({ resource: savedViewSchema }),
  errors: ['REVISION_CONFLICT'],
});

export const deleteView = endpoint({
  route: paths.deleteView,
  summary: 'Remove a saved view',
  access: 'user',
  params: viewParams,
});
