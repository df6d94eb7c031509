-- The settings of a destination's kind. Those that are secret show [sealed] here; the box has all of them as one JSON object.
alter table destination
  add column settings jsonb not null default '{}',
  add column sealed_settings bytea;
