-- Items of a push are written by the thousand, each batch by the push itself: like the steps of an edit (0004) they are
-- not checked one by one, which took a third of the time of storing them, and leave with their push by statement.
alter table push_item drop constraint push_item_push_id_fkey;
create function delete_push_items() returns trigger language plpgsql as $$
begin
  delete from push_item where push_id in (select push_id from gone);
  return null;
end $$;
create trigger push_items_go after delete on push referencing old table as gone
  for each statement execute function delete_push_items();
