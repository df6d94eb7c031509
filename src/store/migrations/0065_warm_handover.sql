-- Whoever asks for a chain first reads what is watched on it, and then says that it is ready, so that the chain goes on at once.
-- A process that stops offers its chains and follows them until others are ready.
alter table chain_cursor
  add column wanted_ready boolean not null default false,
  add column offered boolean not null default false;
