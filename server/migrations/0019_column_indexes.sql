-- Indexes of single columns, made in the background: of those that people sort by, and of those that runs match by ---

alter table sort_index rename to column_index;
alter table column_index
  add column purpose text not null default 'sort' check (purpose in ('sort', 'match')),
  drop constraint sort_index_pkey,
  add primary key (collection_id, fno, purpose);
