-- Blocks that a detector or trigger is yet to be shown, because its tenant's share of script time was used up when they came.
-- They are evaluated in their order beside the chain; a row goes in the transaction that writes what came of it.
create table deferred_evaluation (
  chain_uid text not null,
  kind text not null,
  id bigint not null,
  number bigint not null,
  hash text not null,
  -- The block before it as it was then; null: there was none.
  previous_number bigint,
  previous_timestamp bigint,
  tenant_id bigint not null,
  reason text not null,
  attempts integer not null default 0,
  next_attempt_at bigint not null,
  created_at bigint not null,
  primary key (chain_uid, kind, id, number)
);
create index deferred_evaluation_block on deferred_evaluation (chain_uid, number);

-- Blocks in a row in which a script did not end, and the first of them.
alter table watch_fault
  add column looped integer not null default 0,
  add column looped_from bigint;
