-- An index of the texts of a table, made once people keep searching in it (records/search-index.ts).

create table search_index (
  collection_id int primary key references collection on delete cascade,
  uses int not null default 1,
  state text not null default 'noted' check (state in ('noted', 'wanted', 'ready')),
  used_at timestamptz not null default now()
);
-- The columns that the index holds, once it stands: whoever reads the collection knows that he can use it.
alter table collection add column search_fnos int[];
