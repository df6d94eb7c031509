-- A transaction that announces holds a lock of the whole database until it ends. Where alerts are distributed, its end
-- waits for a worker, so it leaves announcing to its process.
create function announce(channel text)
  returns void
  language plpgsql
  as $$
begin
  if current_setting('vigil.announce_later', true) is distinct from 'on' then
    perform pg_notify(channel, '');
  end if;
end $$;

create or replace function notify_alert_event()
  returns trigger
  language plpgsql
  as $$
begin
  perform announce('vigil_alert');
  return null;
end $$;
