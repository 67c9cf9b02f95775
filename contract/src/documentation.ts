import { z } from 'zod';
import { actionParams, connectorParams } from './connector-parts.ts';
import { endpoint } from './endpoint.ts';
import { paths } from './paths.ts';
import { authorSchema } from './pending.ts';

const collectionParams = z.object({ collection: z.string() });

/** A note about a table, a connector or an action (decisions Q-DOC-01): plain text with line breaks. */
export const documentationSchema = z.object({
  text: z.string(),
  revision: z.number().int(),
  updatedAt: z.string().nullable(),
  author: authorSchema.nullable(),
  canEdit: z.boolean(),
});
export type Documentation = z.infer<typeof documentationSchema>;

const noteReply = z.object({ resource: documentationSchema });
const noteBody = z.object({ text: z.string().max(20_000), revision: z.number().int() }).strict();

export const getDocumentation = endpoint({
  route: paths.getDocumentation,
  summary: 'The note about a table; empty where nobody wrote one',
  access: 'user',
  params: collectionParams,
  reply: noteReply,
});

export const updateDocumentation = endpoint({
  route: paths.updateDocumentation,
  summary: 'Change the note about a table; with an old revision 409 and both texts are kept',
  access: 'user',
  params: collectionParams,
  body: noteBody,
  reply: noteReply,
  errors: ['REVISION_CONFLICT'],
});

export const getConnectorDocumentation = endpoint({
  route: paths.getConnectorDocumentation,
  summary: 'The note about a connector, and which of its actions have one',
  access: 'user',
  params: connectorParams,
  reply: noteReply.extend({ notedActionIds: z.array(z.uuid()) }),
});

export const updateConnectorDocumentation = endpoint({
  route: paths.updateConnectorDocumentation,
  summary: 'Change the note about a connector; with an old revision 409 and both texts are kept',
  access: 'user',
  params: connectorParams,
  body: noteBody,
  reply: noteReply,
  errors: ['REVISION_CONFLICT'],
});

export const getActionDocumentation = endpoint({
  route: paths.getActionDocumentation,
  summary: 'The note about an action; empty where nobody wrote one',
  access: 'user',
  params: actionParams,
  reply: noteReply,
});

export const updateActionDocumentation = endpoint({
  route: paths.updateActionDocumentation,
  summary: 'Change the note about an action; with an old revision 409 and both texts are kept',
  access: 'user',
  params: actionParams,
  body: noteBody,
  reply: noteReply,
  errors: ['REVISION_CONFLICT'],
});
