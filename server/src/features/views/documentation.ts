import type { BodyOf, Documentation, updateDocumentation as updateEndpoint } from '@sluice/contract';
import { hasRight, type UserActor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate } from '../../platform/mutate.ts';
import { type ContextServices, openCollection } from '../records/context.ts';
import { authorsOf } from '../sessions/authors.ts';
import * as store from './store.ts';

/** Read with the right to read the table, edited with this one (decisions Q-DOC-01). */
const editRight = { endpoint: 'documentation', action: 'update' } as const;

const subjectOf = (tableId: string): string => `table:${tableId}`;

export async function readNote(
  services: ContextServices,
  actor: UserActor,
  path: string,
): Promise<Documentation> {
  const { tableId } = await openCollection(services, actor, path);
  return await wireOf(services.pool, actor, await store.findNote(services.pool, subjectOf(tableId)));
}

/** An old revision is refused with what is there now, so that nobody's text is lost. */
export async function writeNote(
  services: ContextServices,
  actor: UserActor,
  path: string,
  { text, revision }: BodyOf<typeof updateEndpoint>,
): Promise<Documentation> {
  const { tableId, model } = await openCollection(services, actor, path);
  const subject = subjectOf(tableId);
  return await mutate({ pool: services.pool, actor }, 'documentation.update', editRight, async (tx) => {
    const saved = await store.saveNote(tx, subject, { text, revision, authorId: actor.userId });
    if (!saved) {
      const resource = await wireOf(tx, actor, await store.findNote(tx, subject));
      throw new AppError('REVISION_CONFLICT', { details: { resource, mine: text } });
    }
    tx.audit(`collection:${model.collectionId}`, { revision: saved.revision, length: text.length });
    return await wireOf(tx, actor, saved);
  });
}

async function wireOf(db: Db, actor: UserActor, note: store.NoteRow | null): Promise<Documentation> {
  const canEdit = hasRight(actor, editRight);
  if (!note) return { text: '', revision: 0, updatedAt: null, author: null, canEdit };
  const authors = await authorsOf(db, [note.author_id]);
  return {
    text: note.text,
    revision: note.revision,
    updatedAt: note.updated_at,
    author: authors.get(note.author_id) ?? null,
    canEdit,
  };
}
