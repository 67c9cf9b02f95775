import { hashPassword } from '@sluice/server/passwords';
import { testPassword } from '@sluice/testing';
import { inDatabase } from './database.ts';

export interface NewUser {
  username: string;
  fullName: string;
  isSuperuser: boolean;
  /** Tables of the sandbox that he may read and nothing more. */
  readsOnly?: readonly string[];
  /** Endpoints of the product itself that he may read too: `connectors`. */
  looksAt?: readonly string[];
}

/** Adds a user to a running product on its data folder, by its database: the users screen comes later. */
export async function addUser(home: string, user: NewUser): Promise<void> {
  await inDatabase(home, async (client) => {
    await client.query(
      'insert into app_user (username, full_name, password_hash, is_superuser) values ($1, $2, $3, $4) on conflict do nothing',
      [user.username, user.fullName, await hashPassword(testPassword), user.isSuperuser],
    );
    if (!user.readsOnly) return;
    const { rows } = await client.query<{ id: string }>(
      "select system_id::text as id from external_system where url = 'sandbox-erp'",
    );
    const systemId = rows[0]?.id;
    const endpoints = [
      ...user.readsOnly.map((resource) => `data:${systemId}:${resource}`),
      ...(user.looksAt ?? []),
    ];
    const rights = endpoints.map((endpointId) => ({
      endpointId,
      create: false,
      read: true,
      update: false,
      delete: false,
    }));
    await client.query(
      `insert into user_right (user_id, rights, external_system_rights)
       select user_id, $2, $3 from app_user where username = $1 on conflict do nothing`,
      [
        user.username,
        JSON.stringify(rights),
        JSON.stringify([{ externalSystemId: systemId, levelIds: null }]),
      ],
    );
  });
}

/** What the user is known by is changed in the database, under a session that goes on. */
export async function renameUser(
  home: string,
  fullName: string,
  names: { username: string | null; identityProviderUsername: string | null; email: string | null },
): Promise<void> {
  await inDatabase(home, async (client) => {
    await client.query(
      'update app_user set username = $2, identity_provider_username = $3, email = $4 where full_name = $1',
      [fullName, names.username, names.identityProviderUsername, names.email],
    );
  });
}
