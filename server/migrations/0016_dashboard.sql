-- What the dashboard shows: jobs, what went wrong, and which tables people open most -------------------------------

-- What a push came to, counted when it ends, so that lists and plots count no items.
alter table push add column succeeded int not null default 0, add column failed int not null default 0;
update push p set succeeded = n.succeeded, failed = n.failed
from (
  select push_id, count(*) filter (where state = 'succeeded') as succeeded,
    count(*) filter (where state in ('rejected', 'conflict', 'unknown')) as failed
  from push_item group by push_id
) n where n.push_id = p.push_id and p.finished_at is not null;
create index push_at on push (created_at);
create index run_at on run (created_at);
create index client_error_at on client_error (at);

-- Refreshes that somebody asked for, and automatic ones that failed: of those that go well by themselves none is kept.
create table refresh_job (
  refresh_job_id uuid primary key default uuidv7(),
  collection_id int not null references collection on delete cascade,
  -- Null: the domain's interval.
  user_id int,
  status text not null default 'QUEUED' check (status in ('QUEUED', 'RUNNING', 'DONE', 'FAILED')),
  message text,
  -- Records; 0 until it has ended.
  total int not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz
);
create index refresh_job_at on refresh_job (created_at);
create index refresh_job_open on refresh_job (collection_id) where finished_at is null;

-- Openings of a table by a person, a row a day.
create table visit (
  user_id int not null references app_user on delete cascade,
  collection_id int not null references collection on delete cascade,
  day date not null default current_date,
  count int not null default 1,
  at timestamptz not null default now(),
  primary key (user_id, collection_id, day)
);
-- The run behind a connector's push.
create index run_push on run (push_id) where push_id is not null;

-- What people set apart from the rest in their settings (decisions Q-NOTIF-03).
alter table notification add column kind text not null default 'pushFinished'
  check (kind in ('pushFinished', 'runFailed', 'pendingChangedByOthers', 'domainProblem'));
alter table notification alter column kind drop default;
