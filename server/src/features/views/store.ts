import type { SavedView } from '@sluice/contract';
import { type Db, execute, row, rows, sql } from '../../platform/db.ts';

export interface ViewRow {
  view_id: string;
  table_id: string;
  owner_id: number;
  name: string;
  is_shared: boolean;
  view: unknown;
  columns: SavedView['columns'];
  revision: number;
}

export type ViewValues = Pick<SavedView, 'name' | 'isShared' | 'view' | 'columns'>;

export async function listViewsOf(db: Db, tableId: string, userId: number): Promise<ViewRow[]> {
  return await rows(
    db,
    sql`select view_id, table_id, owner_id, name, is_shared, view, columns, revision from saved_view
        where table_id = ${tableId} and (is_shared or owner_id = ${userId})
        order by name collate sluice_text, view_id`,
  );
}

export async function lockView(db: Db, tableId: string, viewId: string): Promise<ViewRow | null> {
  return await row(
    db,
    sql`select view_id, table_id, owner_id, name, is_shared, view, columns, revision from saved_view
        where view_id = ${viewId} and table_id = ${tableId} for update`,
  );
}

export async function insertView(
  db: Db,
  tableId: string,
  ownerId: number,
  { name, isShared, view, columns }: ViewValues,
): Promise<ViewRow> {
  const inserted = await row<ViewRow>(
    db,
    sql`insert into saved_view (table_id, owner_id, name, is_shared, view, columns)
        values (${tableId}, ${ownerId}, ${name}, ${isShared}, ${JSON.stringify(view)}, ${JSON.stringify(columns)}) returning *`,
  );
  if (!inserted) throw new Error('The view was not created');
  return inserted;
}

export async function saveView(
  db: Db,
  viewId: string,
  { name, isShared, view, columns }: ViewValues,
): Promise<ViewRow | null> {
  return await row(
    db,
    sql`update saved_view set name = ${name}, is_shared = ${isShared}, view = ${JSON.stringify(view)},
          columns = ${JSON.stringify(columns)}, revision = revision + 1, updated_at = now()
        where view_id = ${viewId} returning *`,
  );
}

export async function removeView(db: Db, viewId: string): Promise<void> {
  await execute(db, sql`delete from saved_view where view_id = ${viewId}`);
}

export interface NoteRow {
  text: string;
  revision: number;
  author_id: number;
  updated_at: string;
}

export async function findNote(db: Db, subject: string): Promise<NoteRow | null> {
  return await row(
    db,
    sql`select text, revision, author_id, updated_at from documentation where subject = ${subject}`,
  );
}

export async function listNotedActions(db: Db, connectorId: string): Promise<string[]> {
  const noted = await rows<{ action_id: string }>(
    db,
    sql`select d.action_id from documentation d join action a using (action_id)
        where a.connector_id = ${connectorId} and d.text <> '' order by d.action_id`,
  );
  return noted.map(({ action_id }) => action_id);
}

/** Writes the note if it still is of that revision (0 = there is none yet); answers null where it is not. */
export async function saveNote(
  db: Db,
  subject: string,
  note: { text: string; revision: number; authorId: number },
): Promise<NoteRow | null> {
  if (note.revision === 0)
    return await row(
      db,
      sql`insert into documentation (subject, text, author_id) values (${subject}, ${note.text}, ${note.authorId})
          on conflict (subject) do nothing returning text, revision, author_id, updated_at`,
    );
  return await row(
    db,
    sql`update documentation set text = ${note.text}, revision = revision + 1, author_id = ${note.authorId}, updated_at = now()
        where subject = ${subject} and revision = ${note.revision} returning text, revision, author_id, updated_at`,
  );
}
