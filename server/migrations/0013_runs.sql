-- Keys of other systems are compared as bytes: in the order of a language each comparison costs several times as much.
alter table link alter column source_key type text collate "C", alter column source_option type text collate "C";
alter table run_seen alter column source_key type text collate "C", alter column source_option type text collate "C";
-- Only runs that are open have rows in it, and they read all of theirs.
drop index run_seen_key;
