-- A push marks each pending operation that it takes: with room beside it in its page that leaves the index as it is,
-- and writes a quarter as much (cache/table.ts). Of tables that stand it counts for what is pending from now on.
do $$
declare pending record;
begin
  for pending in select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname = 'cache' and tablename ~ '^c_[0-9]+_p$' loop
    execute format('alter table %s set (fillfactor = 45)', pending.name);
  end loop;
end $$;
