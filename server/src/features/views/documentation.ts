import type { BodyOf, Documentation, updateDocumentation as updateEndpoint } from '@sluice/contract';
import { hasRight, type UserActor } from '../../platform/actor.ts';
import type { Db, Pool } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate } from '../../platform/mutate.ts';
import { type ContextServices, openCollection } from '../records/context.ts';
import { authorsOf } from '../sessions/authors.ts';
import * as store from './store.ts';

/** Read with the right to read what the note is about, edited with this one (decisions Q-DOC-01). */
const editRight = { endpoint: 'documentation', action: 'update' } as const;

type NoteBody = BodyOf<typeof updateEndpoint>;

const subjectOf = (tableId: string): string => `table:${tableId}`;

export async function readTableNote(
  services: ContextServices,
  actor: UserActor,
  path: string,
): Promise<Documentation> {
  const { tableId } = await openCollection(services, actor, path);
  return await readNote(services, actor, subjectOf(tableId));
}

export async function writeTableNote(
  services: ContextServices,
  actor: UserActor,
  path: string,
  body: NoteBody,
): Promise<Documentation> {
  const { tableId, model } = await openCollection(services, actor, path);
  const about = { subject: subjectOf(tableId), target: `collection:${model.collectionId}` };
  return await writeNote(services, actor, about, body);
}

/** Whether the actor may read what the subject names is for the caller to check. */
export async function readNote(
  { pool }: { pool: Pool },
  actor: UserActor,
  subject: string,
): Promise<Documentation> {
  return await wireOf(pool, actor, await store.findNote(pool, subject));
}

/**
 * An old revision is refused with what is there now, so that nobody's text is lost. `target` is what the audit log
 * calls the subject.
 */
export async function writeNote(
  { pool }: { pool: Pool },
  actor: UserActor,
  { subject, target }: { subject: string; target: string },
  { text, revision }: NoteBody,
): Promise<Documentation> {
  return await mutate({ pool, actor }, 'documentation.update', editRight, async (tx) => {
    const saved = await store.saveNote(tx, subject, { text, revision, authorId: actor.userId });
    if (!saved) {
      const resource = await wireOf(tx, actor, await store.findNote(tx, subject));
      throw new AppError('REVISION_CONFLICT', { details: { resource, mine: text } });
    }
    tx.audit(target, { revision: saved.revision, length: text.length });
    return await wireOf(tx, actor, saved);
  });
}

/** Actions of a connector whose note says something. */
export async function listNotedActions(db: Db, connectorId: string): Promise<string[]> {
  return await store.listNotedActions(db, connectorId);
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
