import { rows, sql } from '../../platform/db.ts';
import type { Tx } from '../../platform/mutate.ts';

/** So many ids of sessions fit into one message of the bus. */
const idsPerMessage = 100;

/** Ends the sessions of a user, sockets too; all of them, or all but one. */
export async function endSessions(tx: Tx, userId: number, exceptSessionId = ''): Promise<void> {
  const ended = await rows<{ session_id: string }>(
    tx,
    sql`delete from session where user_id = ${userId} and session_id <> ${exceptSessionId} returning session_id`,
  );
  const ids = ended.map(({ session_id }) => session_id);
  for (let at = 0; at < ids.length; at += idsPerMessage)
    tx.publish({ topic: 'session', sessionIds: ids.slice(at, at + idsPerMessage) });
}
