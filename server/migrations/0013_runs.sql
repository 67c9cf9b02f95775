-- Keys of other systems are compared as bytes: in the order of a language each comparison costs several times as much.
alter table link alter column source_key type text collate "C", alter column source_option type text collate "C";
alter table run_seen alter column source_key type text collate "C", alter column source_option type text collate "C";
-- Only runs that are open have rows in it, and they read all of theirs.
drop index run_seen_key;
-- What a run made and is pending still is asked for by every list of runs.
do $$
declare pending record;
begin
  for pending in select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname = 'cache' and tablename ~ '^c_[0-9]+_p$' loop
    execute format($q$create index on %s ((origin ->> 'runId')) where origin is not null$q$, pending.name);
  end loop;
end $$;
-- A check of a foreign key for each of a million links and keys takes longer than writing them. Both are written only
-- under the lock of their run, which is gone before its action can be; what belonged to them goes with them as before.
alter table link drop constraint link_action_id_fkey;
alter table run_seen drop constraint run_seen_run_id_fkey;
create function forget_links() returns trigger language plpgsql as $$
begin
  delete from link where action_id = old.action_id;
  return null;
end $$;
create trigger action_forgets_links after delete on action for each row execute function forget_links();
create function forget_seen() returns trigger language plpgsql as $$
begin
  delete from run_seen where run_id = old.run_id;
  return null;
end $$;
create trigger run_forgets_seen after delete on run for each row execute function forget_seen();
-- Source updates that failed are told, shown on the run that they are of, and can be tried again; why, in both languages.
alter table source_update add column run_id uuid, add column alerted_at timestamptz;
alter table source_update alter column message type jsonb using
  case when message is not null then jsonb_build_object('key', 'run.message.plain', 'params', jsonb_build_object('reason', message)) end;
create index source_update_open on source_update (run_id) where state <> 'done';
create index source_update_failed on source_update (action_id) where state = 'failed' and alerted_at is null;
