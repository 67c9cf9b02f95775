import type { UserActor } from '../../../platform/actor.ts';
import { type Db, row, sql } from '../../../platform/db.ts';
import { AppError } from '../../../platform/errors.ts';
import { contentOf } from '../actions.ts';
import { type ActionContent, type ActionRow, type ConnectorRow, findConnector } from '../store.ts';
import type { RunRow } from './run-store.ts';

export interface Subject {
  action: ActionRow;
  connector: ConnectorRow;
  /** Of the version that the run uses. */
  content: ActionContent;
}

export async function findRunAction(
  db: Db,
  run: Pick<RunRow, 'action_id' | 'version'>,
): Promise<Subject | null> {
  const action = await row<ActionRow>(db, sql`select * from action where action_id = ${run.action_id}`);
  const connector = action ? await findConnector(db, action.connector_id) : null;
  if (!action || !connector) return null;
  const version = await row<{ content: ActionContent }>(
    db,
    sql`select content from action_version where action_id = ${run.action_id} and version = ${run.version}`,
  );
  return { action, connector, content: version?.content ?? contentOf(action) };
}

/** The connector itself as an author: who switched it on had the rights that it uses (decisions Q-CONN-04). */
export async function technicalActor(db: Db, connector: ConnectorRow): Promise<UserActor> {
  const person = await row<{ internal_id: string; full_name: string }>(
    db,
    sql`select internal_id, full_name from app_user where user_id = ${connector.technical_user_id}`,
  );
  if (!person) throw new AppError('NOT_FOUND');
  return {
    kind: 'user',
    userId: connector.technical_user_id,
    internalId: person.internal_id,
    fullName: person.full_name,
    isSuperuser: true,
    locale: 'EN',
    sessionId: '',
    rights: new Map(),
    systems: new Map(),
  };
}
