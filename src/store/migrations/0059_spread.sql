-- A process that follows fewer chains than another asks for one of its chains; the holder hands it over between two blocks.
alter table chain_cursor
  add column wanted_by text,
  add column wanted_until timestamptz;
