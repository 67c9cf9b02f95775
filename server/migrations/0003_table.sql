-- Ways of looking at a table, and notes about it. A table is what a person sees under one address: it keeps its views
-- and its note when its cache is built anew, so they hang on the table's id (system, levels, resource type, attribute).

create table saved_view (
  view_id uuid primary key default uuidv7(),
  table_id text not null,
  owner_id int not null references app_user,
  name text not null,
  is_shared boolean not null default false,
  -- {filter, search, order} and the columns, as the contract has them.
  view jsonb not null,
  columns jsonb not null,
  revision int not null default 1,
  updated_at timestamptz not null default now()
);
create index saved_view_table on saved_view (table_id);

create table documentation (
  -- `table:` and the table's id; connectors and actions will have prefixes of their own.
  subject text primary key,
  text text not null,
  revision int not null default 1,
  author_id int not null references app_user,
  updated_at timestamptz not null default now()
);

-- The pushes of a table, the newest first.
create index push_of_collection on push (collection_id, created_at desc);

-- The history of a record.
create index edit_cell_record on edit_cell (rid, edit_id);
create index edit_row_record on edit_row (rid, edit_id);
