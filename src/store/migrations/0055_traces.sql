-- Blocks whose inner calls are yet to be evaluated. A row goes in the transaction that writes what came of it, or that gives it up.
create table untraced_block (
  chain_uid text not null,
  number bigint not null,
  hash text not null,
  -- The detectors and triggers that remain to be shown them; null: all.
  remaining text[],
  attempts integer not null default 0,
  next_attempt_at bigint not null,
  created_at bigint not null,
  primary key (chain_uid, number)
);

-- How the process that follows the chain fares with traces, and the blocks that were given up: how many, the newest, why and when.
alter table chain_cursor
  add column traces jsonb,
  add column unseen_blocks bigint not null default 0,
  add column unseen_last bigint,
  add column unseen_reason text,
  add column unseen_at bigint;
