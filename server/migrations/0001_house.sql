-- People and sessions -------------------------------------------------------------------------------------------

create table app_user (
  user_id int generated always as identity primary key,
  internal_id uuid not null unique default uuidv7(),
  username text,
  full_name text not null,
  email text,
  identity_provider_username text,
  password_hash text,
  default_company_id text not null default '00000000-0000-0000-0000-000000000000',
  is_active boolean not null default true,
  is_pending boolean not null default false,
  is_superuser boolean not null default false,
  -- Deleted people stay as 'former user' behind what they did.
  is_deleted boolean not null default false,
  created_at timestamptz not null default now()
);
create unique index app_user_username on app_user (lower(username)) where not is_deleted;

create table role (
  role_id uuid primary key default uuidv7(),
  name text not null unique,
  description text not null default '',
  -- [{endpointId, create, read, update, delete}]
  rights jsonb not null default '[]',
  -- [{externalSystemId, levelIds|null}]
  external_system_rights jsonb not null default '[]'
);
create table user_role (
  user_id int not null references app_user on delete cascade,
  role_id uuid not null references role on delete cascade,
  primary key (user_id, role_id)
);
create table user_right (
  user_id int primary key references app_user on delete cascade,
  rights jsonb not null default '[]',
  external_system_rights jsonb not null default '[]'
);
create table user_preference (
  user_id int primary key references app_user on delete cascade,
  language text not null default 'NL' check (language in ('EN', 'NL')),
  options jsonb not null default '{}'
);

create table session (
  -- SHA-256 of the cookie's value: a stolen table opens no session.
  session_id text primary key,
  user_id int not null references app_user on delete cascade,
  csrf_token text not null,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index session_of_user on session (user_id);
create table login_miss (
  username text not null,
  address text not null,
  at timestamptz not null default now()
);
create index login_miss_at on login_miss (username, address, at);

create table audit (
  audit_id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor_user_id int,
  actor_name text not null,
  verb text not null,
  target text,
  details jsonb not null default '{}'
);
create index audit_at on audit using brin (at);

create table client_error (
  client_error_id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  user_id int,
  request_id text not null,
  error text not null,
  route text,
  user_agent text
);

-- External systems ----------------------------------------------------------------------------------------------

create table external_system (
  system_id uuid primary key default uuidv7(),
  name text not null,
  acronym text not null,
  url text not null unique,
  kind text not null,
  created_at timestamptz not null default now()
);

create table domain (
  domain_id uuid primary key default uuidv7(),
  system_id uuid not null references external_system,
  name text not null,
  acronym text not null,
  url text not null,
  database text not null,
  auth_type text not null check (auth_type in ('basic', 'oAuth')),
  username text not null default '',
  sealed_password bytea,
  client_id text not null default '',
  sealed_client_secret bytea,
  token_url text not null default '',
  scope text not null default '',
  is_production boolean not null default true,
  cache_refresh_minutes int not null default 60,
  max_api_calls int,
  is_active boolean not null default true,
  is_paused boolean not null default false,
  -- What the state machine of decisions Q-ST-01 has reached; INACTIVE is derived from is_active.
  status text not null default 'NEVER_SYNCED',
  status_message text,
  failures int not null default 0,
  last_sync_at timestamptz,
  resource_types_at timestamptz,
  created_at timestamptz not null default now()
);
create index domain_system on domain (system_id);

create table domain_company (
  domain_id uuid not null references domain on delete cascade,
  -- The external system's own id.
  company_id text not null,
  name text not null,
  acronym text not null,
  is_active boolean not null default false,
  disabled_at timestamptz,
  primary key (domain_id, company_id)
);

-- The tables that a domain offers, as its adapter lists them.
create table resource_type (
  domain_id uuid not null references domain on delete cascade,
  uri_id text not null,
  code text not null,
  title_en text not null,
  title_nl text not null,
  number_of_levels int not null,
  has_attribute boolean not null,
  primary key (domain_id, uri_id)
);

-- Limits of a connection, shared by all processes.
create table connection_limit (
  domain_id uuid primary key references domain on delete cascade,
  day date not null default current_date,
  calls int not null default 0,
  paused_until timestamptz
);

-- Cached collections (one physical table each, in schema cache) --------------------------------------------------

create schema cache;
-- How people expect text to sort: by language rules, with numbers inside by value.
create collation sluice_text (provider = icu, locale = 'und-u-kn-true');

create table collection (
  collection_id int generated always as identity primary key,
  domain_id uuid not null references domain,
  -- '' where the collection belongs to the domain itself.
  company_id text not null,
  resource_type_uri_id text not null,
  attribute_id text not null default '',
  code text not null,
  state text not null default 'empty' check (state in ('empty', 'loading', 'ready', 'failed')),
  -- FieldDescriptor[] per language, and what else the adapter's description says.
  fields_en jsonb not null default '[]',
  fields_nl jsonb not null default '[]',
  description jsonb not null default '{}',
  fingerprint text not null default '',
  schema_version int not null default 0,
  row_count int not null default 0,
  loaded int not null default 0,
  expected int,
  -- A refresh under way: where it goes on after a crash.
  refresh_id uuid,
  refresh_kind text,
  refresh_cursor text,
  refresh_started_at timestamptz,
  refreshed_at timestamptz,
  full_at timestamptz,
  message text,
  wanted_at timestamptz,
  attempted_at timestamptz,
  -- Changes with every refresh that changed rows: views built before are stale.
  generation int not null default 0,
  unique (domain_id, company_id, resource_type_uri_id, attribute_id)
);

create table collection_field (
  collection_id int not null references collection on delete cascade,
  fno int not null,
  path text not null,
  pg_type text not null,
  state text not null default 'active' check (state in ('active', 'retired')),
  retired_at timestamptz,
  primary key (collection_id, fno)
);
create unique index collection_field_path on collection_field (collection_id, path) where state = 'active';

create table poisoned_record (
  collection_id int not null references collection on delete cascade,
  key text not null,
  message text not null,
  at timestamptz not null default now(),
  primary key (collection_id, key)
);

-- Indexes made on demand for sorting, so that unused ones can go.
create table sort_index (
  collection_id int not null references collection on delete cascade,
  fno int not null,
  state text not null default 'wanted' check (state in ('wanted', 'ready')),
  used_at timestamptz not null default now(),
  primary key (collection_id, fno)
);

-- Pending changes: one revision counter, so that a revision is never used twice for a record ---------------------

create sequence pending_revision;

create table edit (
  edit_id uuid primary key,
  seq bigint generated always as identity,
  collection_id int not null references collection on delete cascade,
  user_id int not null,
  kind text not null,
  at timestamptz not null default now(),
  count int not null default 0,
  is_undone boolean not null default false
);
create index edit_of_user on edit (collection_id, user_id, seq desc);
create table edit_cell (
  edit_id uuid not null references edit on delete cascade,
  rid int not null,
  fno int not null,
  -- The column's text in PostgreSQL, like the old values of pending cells.
  old text,
  new text
);
create index edit_cell_edit on edit_cell (edit_id);
create table edit_row (
  edit_id uuid not null references edit on delete cascade,
  rid int not null,
  kind text not null check (kind in ('add', 'delete', 'undelete', 'discard')),
  -- The pending row (action, cells, origin …) and the values of the record that are needed to bring it back.
  before jsonb,
  after jsonb,
  primary key (edit_id, rid, kind)
);

-- Push ------------------------------------------------------------------------------------------------------------

create table push (
  push_id uuid primary key default uuidv7(),
  collection_id int not null references collection,
  user_id int not null,
  notification_id uuid not null,
  status text not null default 'QUEUED'
    check (status in ('QUEUED', 'RUNNING', 'DONE', 'PARTIALLY_FAILED', 'FAILED', 'CANCELLED')),
  is_cancel_requested boolean not null default false,
  message text,
  skipped jsonb not null default '[]',
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz
);
create index push_open on push (collection_id, created_at) where finished_at is null;

create table push_item (
  push_id uuid not null references push on delete cascade,
  seq int not null,
  collection_id int not null,
  rid int not null,
  action "char" not null,
  op_id uuid not null,
  key text,
  label text,
  version text,
  -- Field id -> value, as sent; and as the user saw it before.
  payload jsonb,
  before jsonb,
  -- planned -> sent -> one of the ends; back to planned when it is certain that nothing was done.
  state text not null default 'planned'
    check (state in ('planned', 'sent', 'succeeded', 'rejected', 'conflict', 'unknown', 'cancelled')),
  attempts int not null default 0,
  is_second_pass boolean not null default false,
  sent_at timestamptz,
  -- Highest row id at the time of sending: rows beyond it cannot have been known before.
  sent_watermark int,
  settled_at timestamptz,
  new_key text,
  errors jsonb,
  primary key (push_id, seq)
);
create index push_item_state on push_item (push_id, state, seq);
create index push_item_settled on push_item (collection_id, settled_at) where settled_at is not null;
create index push_item_record on push_item (collection_id, rid);

-- Notifications ---------------------------------------------------------------------------------------------------

create table notification (
  notification_id uuid primary key,
  user_id int not null references app_user on delete cascade,
  created_at timestamptz not null default now(),
  title jsonb not null,
  message jsonb not null,
  class text not null check (class in ('info', 'error', 'warning', 'success')),
  url text,
  total int,
  current int,
  finished_at timestamptz
);
create index notification_user on notification (user_id, created_at);
