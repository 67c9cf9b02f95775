-- Connectors: what is read from one system, mapped, and made pending in another -----------------------------------

-- The author of what a connector changes by itself: it cannot log in and is in no list of people.
alter table app_user add column is_technical boolean not null default false;

create table connector (
  connector_id uuid primary key default uuidv7(),
  name text not null,
  description text not null default '',
  -- {id, levelIds}; an end may be gone, which the screen says (CONN-15).
  source_system jsonb not null,
  target_system jsonb not null,
  -- {emails, webhookUrl}
  alerts jsonb not null default '{"emails": [], "webhookUrl": null}',
  technical_user_id int not null references app_user,
  revision int not null default 1,
  created_at timestamptz not null default now()
);

create table action (
  action_id uuid primary key default uuidv7(),
  connector_id uuid not null references connector on delete cascade,
  name text not null,
  is_active boolean not null default false,
  is_copy_allowed boolean not null default true,
  schedule jsonb not null default '{"kind": "afterRefresh"}',
  -- As the contract has them (contract/src/connectors.ts).
  wiring jsonb not null,
  mappings jsonb not null default '[]',
  triggers jsonb not null default '[]',
  source_updates jsonb not null default '{}',
  version int not null default 1,
  revision int not null default 1,
  -- Of the last run that ended: null, or why it ended badly (decisions Q-ST-02).
  problem text check (problem in ('ERROR_SYNC_FAILED', 'ERROR_AUTH_FAILED', 'ERROR_OTHER')),
  -- {key, params} of the texts.
  problem_message jsonb,
  last_run_at timestamptz,
  last_good_run_at timestamptz,
  -- When the schedule wants it next; null = not by time.
  next_run_at timestamptz,
  run_count int not null default 0,
  -- The time that it was told about not having run at.
  missed_at timestamptz,
  created_at timestamptz not null default now()
);
create index action_connector on action (connector_id);
create index action_due on action (next_run_at) where next_run_at is not null;

create table action_version (
  action_id uuid not null references action on delete cascade,
  version int not null,
  at timestamptz not null default now(),
  user_id int not null,
  -- {wiring, mappings, triggers, sourceUpdateConfigs}
  content jsonb not null,
  primary key (action_id, version)
);

-- Which source record stands for which target row: the memory behind new, existing and deleted (decisions Q-CONN-01).
create table link (
  action_id uuid not null references action on delete cascade,
  source_option text not null,
  source_key text not null,
  collection_id int not null,
  rid int not null,
  -- Of the mapped source values when they were last taken over; '' = they were not.
  hash text not null,
  run_id uuid not null,
  at timestamptz not null default now(),
  primary key (action_id, source_option, source_key)
);
create index link_target on link (collection_id, rid);

create table run (
  run_id uuid primary key default uuidv7(),
  action_id uuid not null references action on delete cascade,
  number int not null,
  kind text not null check (kind in ('manual', 'scheduled', 'retry')),
  -- Null: the schedule.
  user_id int,
  notification_id uuid not null default gen_random_uuid(),
  version int not null,
  status text not null default 'QUEUED'
    check (status in ('QUEUED', 'RUNNING', 'DONE', 'PARTIALLY_FAILED', 'FAILED', 'CANCELLED')),
  -- {triggerId, query}; of a retry the run whose failures it takes.
  request jsonb not null,
  retry_of uuid,
  is_pushed boolean not null,
  push_id uuid,
  collection_id int not null,
  is_cancel_requested boolean not null default false,
  -- Where it goes on after a crash: place in the sources and the adapter's cursor, committed with each batch.
  source_index int not null default 0,
  cursor text,
  is_complete boolean not null default true,
  current int not null default 0,
  total int,
  inserted int not null default 0,
  updated int not null default 0,
  deleted int not null default 0,
  unchanged int not null default 0,
  failed int not null default 0,
  conflicts int not null default 0,
  -- {key, params} of the texts.
  message jsonb,
  -- When it was seen alive last: a run that stands still is told about.
  beat_at timestamptz,
  alerted_at timestamptz,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  unique (action_id, number)
);
-- One run of an action at a time, also between processes.
create unique index run_open on run (action_id) where finished_at is null;

-- Source keys that a run has met: what is linked and not among them was deleted.
create table run_seen (
  run_id uuid not null references run on delete cascade,
  source_option text not null,
  source_key text not null
);
create index run_seen_key on run_seen (run_id, source_option, source_key);

create table run_failure (
  run_id uuid not null references run on delete cascade,
  seq int generated always as identity,
  source_option text not null,
  source_key text not null,
  kind text not null check (kind in ('failed', 'conflict')),
  -- [{targetField, path, fnIndex, input, code, params}] and the record as it was read.
  errors jsonb not null,
  source_record jsonb not null,
  primary key (run_id, seq)
);

-- Writing back to the source what became of a record in the push (decisions Q-SUC-02).
create table source_update (
  source_update_id bigint generated always as identity primary key,
  action_id uuid not null references action on delete cascade,
  source_option text not null,
  source_key text not null,
  push_id uuid not null,
  seq int not null,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'failed')),
  attempts int not null default 0,
  next_at timestamptz not null default now(),
  message text,
  unique (push_id, seq, action_id, source_option, source_key)
);
create index source_update_due on source_update (next_at) where state = 'waiting';
-- Outcomes of pushes before this are not written back.
alter table push add column is_told boolean not null default true;
alter table push alter column is_told set default false;
create index push_untold on push (finished_at) where not is_told;
