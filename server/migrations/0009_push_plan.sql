-- A push keeps what it will send as one list of row ids; an item of its own each of them gets when its turn comes. So
-- a push of any size is asked for at once, and an item is written twice in its life (sent, settled) instead of thrice.
alter table push
  -- Row ids in the order of their sending: first inserts, then updates, then deletes, so many of each.
  add column planned int4[] not null default '{}',
  add column inserts int not null default 0,
  add column updates int not null default 0,
  add column deletes int not null default 0,
  -- Places of the list before this one have an item.
  add column next_seq int not null default 0;
-- A part of a long list is read without the rest.
alter table push alter column planned set storage external;

update push p set inserts = n.inserts, updates = n.updates, deletes = n.deletes, next_seq = n.next_seq, planned = n.planned
from (
  select push_id, count(*) filter (where action = 'i') as inserts, count(*) filter (where action = 'u') as updates,
    count(*) filter (where action = 'd') as deletes,
    count(*) filter (where state <> 'planned' or payload is not null) as next_seq, array_agg(rid order by seq) as planned
  from push_item group by push_id
) n where n.push_id = p.push_id;
-- Items that were never sent follow those that were.
delete from push_item i using push p where p.push_id = i.push_id and i.state = 'planned' and i.payload is null;
