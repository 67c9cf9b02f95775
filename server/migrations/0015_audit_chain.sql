-- Each row of the audit log carries a fingerprint of itself and of the row before it. Who changes, adds or removes a
-- row afterwards breaks the chain from there on, which `npm run audit:verify` shows.

alter table audit add column seq bigint, add column hash bytea;

-- Where the chain ends: rows taken off its end are missed here.
create table audit_head (
  only_one boolean primary key default true check (only_one),
  seq bigint not null,
  hash bytea not null
);
insert into audit_head (seq, hash) values (0, sha256(''));

-- A text that cannot be confused with its neighbours: its length in bytes before it, `-` for none.
create function audit_part(value text) returns text language sql immutable
  return case when value is null then '-' else octet_length(value)::text || ':' || value end;

-- The same content as server/src/features/audit/verify.ts makes of a row.
create function audit_hash(before bytea, entry audit) returns bytea language sql stable
  return sha256(before || convert_to(
    audit_part(entry.seq::text)
      || audit_part((extract(epoch from entry.at) * 1000000)::bigint::text)
      || audit_part(entry.actor_user_id::text)
      || audit_part(entry.actor_name)
      || audit_part(entry.verb)
      || audit_part(entry.target)
      || audit_part(entry.details::text), 'UTF8'));

create function audit_chain() returns trigger language plpgsql as $$
declare
  head audit_head;
begin
  -- Held until the commit, which follows at once: rows get their numbers in the order in which they count.
  select * into head from audit_head for update;
  new.seq := head.seq + 1;
  new.hash := audit_hash(head.hash, new);
  update audit_head set seq = new.seq, hash = new.hash;
  return new;
end $$;

create function audit_stays() returns trigger language plpgsql as $$
begin
  raise exception 'rows of the audit log are neither changed nor removed';
end $$;

-- What was there before this migration.
do $$
declare
  entry audit;
  head audit_head;
begin
  for entry in select * from audit order by audit_id loop
    select * into head from audit_head;
    entry.seq := head.seq + 1;
    entry.hash := audit_hash(head.hash, entry);
    update audit set seq = entry.seq, hash = entry.hash where audit_id = entry.audit_id;
    update audit_head set seq = entry.seq, hash = entry.hash;
  end loop;
end $$;

alter table audit alter column seq set not null, alter column hash set not null;
create unique index audit_seq on audit (seq);

create trigger audit_chain before insert on audit for each row execute function audit_chain();
create trigger audit_stays before update or delete on audit for each row execute function audit_stays();
create trigger audit_stays_whole before truncate on audit for each statement execute function audit_stays();
