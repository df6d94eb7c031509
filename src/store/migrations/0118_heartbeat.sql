-- When a worker last went through its queue, whether or not it had anything to do; rows come with the first pass.
create table worker_pass (
  queue text primary key,
  at bigint not null
);

-- The last judgement of the whole installation: one row for all processes.
create table heartbeat (
  id boolean primary key default true check (id),
  checked_at bigint not null,
  every_ms bigint not null,
  is_ok boolean not null,
  -- Since when it is as it is.
  since bigint not null,
  faults jsonb not null,
  -- How many addresses are called, and when all of them last accepted a call.
  addresses integer not null,
  sent_at bigint,
  send_fault text
);
