-- The journal is also the history of every record: a step that can no longer be undone or done again stays in it.
alter table edit add column is_over boolean not null default false;
-- What a new step ends: the few that were undone last.
create index edit_redoable on edit (collection_id, user_id) where is_undone and not is_over;

-- One step may do the same to a record twice (delete it, take that back, delete it again): undone in reverse order.
alter table edit_row add column seq bigint generated always as identity;
alter table edit_row drop constraint edit_row_pkey;
create index edit_row_edit on edit_row (edit_id);
