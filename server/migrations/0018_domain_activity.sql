-- How much a domain is asked, and how its status changed: what its screen plots and lists -------------------------

-- API calls by the hour, so that the hours of a day and the days of two weeks can be shown against the limit.
create table domain_calls (
  domain_id uuid not null references domain on delete cascade,
  hour timestamptz not null,
  calls int not null,
  primary key (domain_id, hour)
);

-- What people saw as the status from then on, with the reason that was known.
create table domain_status (
  domain_status_id bigint generated always as identity primary key,
  domain_id uuid not null references domain on delete cascade,
  at timestamptz not null default clock_timestamp(),
  status text not null,
  message text,
  -- Null: the product found it out while it read or pushed.
  user_id int
);
create index domain_status_domain on domain_status (domain_id, domain_status_id);
