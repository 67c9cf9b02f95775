-- What undo needs to put a pending cell back as it was: its author and old value, and whether the step left the cell
-- without a pending change (a change back to the external system's value).
alter table edit_cell add column was jsonb;
alter table edit_cell add column is_kept boolean not null default true;
