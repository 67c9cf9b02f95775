-- What callers call the records they add, so that a call that is sent again adds nothing twice.
create table insert_name (
  collection_id int not null references collection on delete cascade,
  user_id int not null references app_user on delete cascade,
  name uuid not null,
  -- The record and the step that added it; null only within the transaction that adds it.
  rid int,
  edit_id uuid,
  at timestamptz not null default now(),
  primary key (collection_id, user_id, name)
);
create index insert_name_at on insert_name (at);
