-- Notes about connectors and actions go with what they are about, whoever removes it. Tables keep theirs (0003).
alter table documentation
  add column connector_id uuid references connector on delete cascade
    generated always as (case when subject like 'connector:%' then split_part(subject, ':', 2)::uuid end) stored,
  add column action_id uuid references action on delete cascade
    generated always as (case when subject like 'action:%' then split_part(subject, ':', 2)::uuid end) stored;
