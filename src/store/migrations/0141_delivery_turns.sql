-- The process that sends to a destination to which only one message may be under way, and until when it may.
create table delivery_turn (
  destination_id bigint primary key,
  holder uuid not null,
  until timestamptz not null
);
