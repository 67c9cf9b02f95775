-- What a kind of external system asks for beyond address, database and credentials; its secrets only in the sealed part.
alter table domain
  add column settings jsonb not null default '{}',
  add column sealed_settings bytea;
