-- What sort of failure it was, without the record's own values: failures of one sort are told together, and once.
alter table source_update add column sort text not null default '';
drop index source_update_failed;
create index source_update_failed on source_update (action_id, sort) where state = 'failed' and alerted_at is null;
create index source_update_told on source_update (action_id, sort) where state <> 'done' and alerted_at is not null;
