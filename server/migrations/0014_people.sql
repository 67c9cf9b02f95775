-- Signing in, and what people may do.

alter table app_user
  -- A number that grows with every change: who saves over another's change is told so.
  add column revision int not null default 1,
  -- `issuer subject` of the identity provider, known from the first sign-in on.
  add column identity_subject text,
  -- The second factor: sealed secret, and since when it is asked for (null: it was never confirmed).
  add column sealed_totp bytea,
  add column totp_since timestamptz,
  -- The last time step of which a code was taken: a code works once.
  add column totp_step bigint not null default 0;
create unique index app_user_identity_subject on app_user (identity_subject) where not is_deleted;
create unique index app_user_provider_name on app_user (lower(identity_provider_username)) where not is_deleted;
create unique index app_user_email on app_user (lower(email)) where not is_deleted;

create table recovery_code (
  user_id int not null references app_user on delete cascade,
  -- SHA-256: a stolen table opens nothing.
  code_hash text not null,
  primary key (user_id, code_hash)
);

-- Links by which somebody sets a password: an invitation, or because it was forgotten. They work once.
create table access_link (
  -- SHA-256 of what stands in the link.
  token_hash text primary key,
  user_id int not null references app_user on delete cascade,
  kind text not null check (kind in ('invitation', 'reset')),
  expires_at timestamptz not null
);
create index access_link_of_user on access_link (user_id);

alter table role add column revision int not null default 1;

-- Roles to begin with; all of them may be changed and deleted. `data:*` are the tables of all systems.
insert into role (name, description, rights, external_system_rights)
select name, description, rights, '[{"externalSystemId": "*", "levelIds": null}]'::jsonb
from (
  select 'Viewer' as name, 'Reads all tables.' as description,
    '[{"endpointId": "data:*", "create": false, "read": true, "update": false, "delete": false}]'::jsonb as rights
  union all
  select 'Data editor', 'Changes the records of all tables and pushes them.',
    '[{"endpointId": "data:*", "create": true, "read": true, "update": true, "delete": true},
      {"endpointId": "documentation", "create": false, "read": true, "update": true, "delete": false}]'
  union all
  select 'Integrator', 'A data editor who also builds and runs connectors.',
    '[{"endpointId": "data:*", "create": true, "read": true, "update": true, "delete": true},
      {"endpointId": "documentation", "create": false, "read": true, "update": true, "delete": false},
      {"endpointId": "connectors", "create": true, "read": true, "update": true, "delete": true},
      {"endpointId": "connectorRuns", "create": true, "read": true, "update": true, "delete": true},
      {"endpointId": "jobsOfOthers", "create": false, "read": true, "update": false, "delete": false}]'
) as starting
where not exists (select 1 from role);
insert into role (name, description, rights)
select name, description, rights
from (
  select 'User administrator' as name, 'Invites people and gives them roles, as far as his own rights go.' as description,
    '[{"endpointId": "users", "create": true, "read": true, "update": true, "delete": true},
      {"endpointId": "roles", "create": true, "read": true, "update": true, "delete": true}]'::jsonb as rights
  union all
  select 'Domain administrator', 'Connects external systems: domains and their companies.',
    '[{"endpointId": "domains", "create": true, "read": true, "update": true, "delete": true},
      {"endpointId": "companies", "create": false, "read": true, "update": true, "delete": false}]'
) as starting
where not exists (select 1 from role where name in ('User administrator', 'Domain administrator'));
