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
