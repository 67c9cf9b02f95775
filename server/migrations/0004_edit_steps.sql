-- A foreign key is checked row by row: for 50,000 pasted cells that takes as long as storing them. Cells and rows of a
-- step go with it all the same, by one statement for all steps that go.
alter table edit_cell drop constraint edit_cell_edit_id_fkey;
alter table edit_row drop constraint edit_row_edit_id_fkey;

create function delete_edit_steps() returns trigger language plpgsql as $$
begin
  delete from edit_cell where edit_id in (select edit_id from gone);
  delete from edit_row where edit_id in (select edit_id from gone);
  return null;
end $$;
create trigger edit_steps_go after delete on edit referencing old table as gone
  for each statement execute function delete_edit_steps();

-- Cells are written by the ten thousand and read by step or by record now and then: a tree kept in order for each of
-- them would cost more than the cells. Cells of a step stand together, so that a filter for every 64 pages finds them.
drop index edit_cell_edit, edit_cell_record;
create index edit_cell_steps on edit_cell using brin (edit_id uuid_bloom_ops, rid int4_bloom_ops)
  with (pages_per_range = 64, autosummarize = on);
