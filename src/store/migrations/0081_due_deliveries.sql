-- Finds what is due without looking at every destination that waits for another attempt.
create index delivery_queue_next on delivery_queue (next_attempt_at) include (destination_id);
