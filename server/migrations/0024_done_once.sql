-- Calls that came with an Idempotency-Key (decisions Q-GEN-09): what they did, kept with it in one transaction, so that
-- the same call again, after an answer that got lost, does nothing and is answered the same. A day long.
create table done_once (
  user_id int not null references app_user on delete cascade,
  key text not null,
  -- Fingerprint of the call: one key is for one call.
  call text not null,
  result jsonb,
  made_at timestamptz not null default now(),
  primary key (user_id, key)
);
create index on done_once (made_at);
