-- How many outcomes of a run's records the source has been told: counted as they are written, so that a list of runs
-- need not count them among millions.
alter table run add column written_back int not null default 0;
